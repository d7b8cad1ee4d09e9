package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobOrder;
import dev.skipjack.api.operations.JobQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FilterTextTest {

  private static final Instant NOW = Instant.parse("2026-11-27T12:00:00Z");

  private static JobQuery parsed(String text) {
    return FilterText.parse(text, NOW);
  }

  @Test
  void wordsBecomeAQuery() {
    assertThat(
            parsed(
                " queue:emails kind:send-mail status:dead group:tenant-42 tag:vip error:\"timed \\\"out\\\"\""
                    + " class:IOException error-group:\"Order * failed\" since:2h payload.user.id:42 "))
        .isEqualTo(
            JobQuery.live()
                .queue("emails")
                .kind("send-mail")
                .status(JobStatus.DEAD)
                .group("tenant-42")
                .tag("vip")
                .error("timed \"out\"")
                .errorClass("IOException")
                .errorGroup("Order * failed")
                .since(NOW.minus(Duration.ofHours(2)))
                .payload("user.id", "42"));
    assertThat(parsed("")).isEqualTo(JobQuery.live());
  }

  @Test
  void endedJobsAreReadFromTheArchive() {
    assertThat(parsed("status:ended").order()).isEqualTo(JobOrder.FINISHED);
    assertThat(parsed("queue:a status:completed").status()).isEqualTo(JobStatus.COMPLETED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "queue:emails status:dead",
        "status:ended tag:a:b",
        "error:\"a b\" class:a.b.C$D",
        "error-group:\"\"",
        "group:\"a b\"",
        "error-group:\"it's \\\"quoted\\\" \\\\ *\" since:2026-11-27T10:00:00Z",
        "payload.a.b:\"x y\""
      })
  void theTextOfAQueryReadsTheSame(String text) {
    JobQuery query = parsed(text);

    assertThat(parsed(FilterText.of(query))).isEqualTo(query);
  }

  @Test
  void invalidFiltersAreExplained() {
    for (List<String> wrong :
        List.of(
            List.of("emails", "'emails' is not a filter"),
            List.of("queue:", "needs a value"),
            List.of("queues:a", "There is no word 'queues'"),
            List.of("status:asleep", "There is no status 'asleep'"),
            List.of("queue:Ab!", "Ab!"),
            List.of("since:yesterday", "must be a time"),
            List.of("since:999999999d", "time"),
            List.of("error:\"open", "is not a filter"),
            List.of("payload.:1", "There is no word"),
            List.of("status:ended class:X", "Archived jobs"))) {
      if (wrong.get(0).startsWith("since:9")) {
        assertThat(parsed(wrong.get(0)).since()).isEqualTo(Instant.EPOCH);
      } else {
        assertThatThrownBy(() -> parsed(wrong.get(0)))
            .as(wrong.get(0))
            .isInstanceOf(Refusal.class)
            .hasMessageContaining(wrong.get(1));
      }
    }
  }
}
