package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.QueueAccess;
import dev.skipjack.store.jooq.internal.payload.JacksonCodec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Tests that the limits of payloads also apply to results, and are checked before a result is
 * written.
 */
class ResultTest {

  private static final PayloadCodec AS_IT_IS =
      new PayloadCodec() {
        @Override
        public String encode(Object payload) {
          return payload.toString();
        }

        @Override
        public <T> T decode(String json, Class<T> payloadClass) {
          return payloadClass.cast(json);
        }
      };

  private static QueueAccess queue(PayloadCodec codec) {
    return JobQueue.builder(new PGSimpleDataSource()).codec(codec).payloadLimit(1_024).build();
  }

  @Test
  void aResultIsWrittenByTheCodec() {
    QueueAccess queue = queue(new JacksonCodec());

    assertThat(queue.encodeResult("k", Map.of("rows", List.of(1, 2))))
        .isEqualTo("{\"rows\":[1,2]}");
    assertThat(queue.encodeResult("k", "text")).isEqualTo("\"text\"");
  }

  @Test
  void nullIsAResult() {
    assertThat(queue(AS_IT_IS).encodeResult("k", "null")).isEqualTo("null");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {"{", "\"\\u0000\"", "\"\\ud800\"", "1e400", "{} {}", "``"})
  void resultThatPostgresRejectsIsRejectedWithItsPosition(String json) {
    assertThatThrownBy(() -> queue(AS_IT_IS).encodeResult("k", json))
        .isInstanceOf(PayloadException.class)
        .hasMessageStartingWith("Result of kind 'k' ")
        .hasMessageContaining(", at ");
  }

  @Test
  void aResultThatIsTooLargeIsRefused() {
    assertThatThrownBy(() -> queue(AS_IT_IS).encodeResult("k", "\"" + "x".repeat(1_023) + "\""))
        .isInstanceOf(PayloadException.class)
        .hasMessage(
            "Result of kind 'k' has 1,025 bytes; 1,024 are allowed. Store the document elsewhere and return its id.");
  }

  @Test
  void resultThatCannotBeWrittenAsJsonIsRefused() {
    assertThatThrownBy(() -> queue(new JacksonCodec()).encodeResult("k", new Object()))
        .isInstanceOf(PayloadException.class);
  }
}
