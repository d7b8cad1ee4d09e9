package dev.skipjack.examples.secrets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@QueueTest
class RedactedTest {

  @Test
  @Timeout(60)
  void noCardNumberIsKept(QueueDatabase empty) throws InterruptedException {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Redacted.run(database.dataSource(), story.out);
    }

    assertThat(story.lines())
        .contains(
            "kept: provider says: card [card] expired",
            "kept: The text is withheld, because it could not be redacted.")
        .startsWith(
            Runtime.version().feature() >= 21
                ? "handlers ran on virtual threads"
                : "handlers ran on platform threads")
        .noneMatch(line -> line.contains("4111"));
  }
}
