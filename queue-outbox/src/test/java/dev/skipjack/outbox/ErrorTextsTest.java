package dev.skipjack.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.StoreException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class ErrorTextsTest {

  private static final ErrorTexts TEXTS =
      new ErrorTexts(text -> text.replace("card 4711", "[card]"));

  @Test
  void traceHasTheCauses() {
    Exception failure =
        new IllegalStateException("not sent", new IllegalArgumentException("card 4711"));

    assertThat(TEXTS.trace(failure))
        .contains("IllegalStateException: not sent", "IllegalArgumentException: [card]")
        .contains("at dev.skipjack.outbox.ErrorTextsTest");
  }

  /** The detail of a database error may quote a row, in which the redactor cannot find secrets. */
  @Test
  void traceHasNoCauseOfADatabaseError() {
    StoreException refused =
        new StoreException("Enqueuing failed", new SQLException("Detail: (id)=(4711)"));
    Exception failure = new IllegalStateException("no job for card 4711", refused);

    assertThat(TEXTS.trace(failure))
        .contains("IllegalStateException: no job for [card]", "Enqueuing failed")
        .doesNotContain("Detail");
  }
}
