package dev.skipjack.observation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.Headers;
import dev.skipjack.api.spi.NewJob;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceHeadersTest {

  private static final JobType<String> MAIL = JobType.of("mail", String.class);
  private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  private static final TraceHeaders HEADERS =
      new TraceHeaders(
          Duration.ofMinutes(1),
          Clock.fixed(Instant.parse("2026-11-24T10:00:00.123456789Z"), ZoneOffset.UTC));

  private static Map<String, String> written(
      UnaryOperator<EnqueueOptions> options, Map<String, String> propagated, boolean hasParent) {
    NewJob job = NewJob.of(MAIL, "{}", options.apply(EnqueueOptions.none()));
    return HEADERS.write(List.of(job), propagated, hasParent).get(0).headers();
  }

  /**
   * In JSON, a quotation mark and a backslash take two bytes each. In UTF-8, an umlaut takes two.
   */
  @ParameterizedTest
  @ValueSource(strings = {"x", "\"", "\\", "\u00fc"})
  void headersOfATraceTakeAtMostHalfOfTheSpaceForHeaders(String character) {
    for (int length = 900; length < 2_050; length++) {
      Map<String, String> propagated = new LinkedHashMap<>();
      propagated.put("baggage", character.repeat(length));
      propagated.put("Traceparent", TRACE);

      Map<String, String> headers = written(options -> options, propagated, true);

      assertThat(Headers.size(headers)).isLessThanOrEqualTo(2_048);
      assertThat(headers).containsEntry("traceparent", TRACE).containsKey("enqueued-at");
    }
  }

  @Test
  void headersOfATraceIncludeBaggageThatFits() {
    assertThat(
            written(
                options -> options,
                Map.of("baggage", "x".repeat(1_850), "traceparent", TRACE),
                true))
        .containsOnlyKeys("baggage", "enqueued-at", "traceparent");
  }

  /** Enqueues outside of a trace, as a stage of an asynchronous handler may. */
  @ParameterizedTest
  @ValueSource(strings = {"b3", "uber-trace-id", "x-b3-traceid"})
  void headersOfAGivenTraceAreKeptInEveryFormatAndGetBaggage(String format) {
    assertThat(
            written(
                options -> options.header(format, "given"),
                Map.of(format, "new", "baggage", "tenant=acme"),
                false))
        .isEqualTo(
            Map.of(
                format,
                "given",
                "baggage",
                "tenant=acme",
                "enqueued-at",
                "2026-11-24T10:00:00.123456789Z"));
  }
}
