package dev.skipjack.operations.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.operations.JobOrder;
import dev.skipjack.api.operations.PageToken;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PositionTest {

  @ParameterizedTest
  @EnumSource(JobOrder.class)
  void tokenIsParsedAsThePositionThatItWasMadeFrom(JobOrder order) {
    Position position = Position.of(Instant.parse("2026-01-02T03:04:05.678901Z"), 42);

    assertThat(Position.of(position.token(order), order)).isEqualTo(position);
    assertThat(Position.of(Position.of(7).token(order), order)).isEqualTo(Position.of(7));
  }

  /** Applications keep tokens in links, so every later release must parse this one. */
  @Test
  void tokensOfEarlierReleasesAreParsed() {
    assertThat(Position.of(new PageToken("MXxJRHwtaW5maW5pdHl8NDI"), JobOrder.ID))
        .isEqualTo(Position.of(42));
    assertThat(Position.of(42).token(JobOrder.ID).text()).isEqualTo("MXxJRHwtaW5maW5pdHl8NDI");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1",
        "1|ID|-infinity",
        "2|ID|-infinity|1",
        "1|DUE|-infinity|1",
        "1|ID|-infinity|x",
        "1|ID|yesterday|1",
        "1|ID|'; --|1",
        "1|ID|-infinity|99999999999999999999"
      })
  void forgedTokensAreRejected(String text) {
    PageToken token =
        new PageToken(
            Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(text.getBytes(StandardCharsets.UTF_8)));

    assertThatThrownBy(() -> Position.of(token, JobOrder.ID))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Start with the first page");
  }
}
