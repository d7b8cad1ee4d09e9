package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.PendingAge;
import dev.skipjack.api.operations.QueueState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StatsScreenTest {

  private static final Instant NOW = Instant.parse("2026-11-22T08:00:00Z");
  private static final long SECOND = 1_000_000_000;

  private final Rates rates = new Rates();

  private static QueueOverview queue(String name, long pending, @Nullable Instant pausedAt) {
    return new QueueOverview(
        name,
        Map.of(JobStatus.PENDING, pending),
        false,
        new PendingAge(name, NOW, Duration.ofSeconds(95)),
        new QueueState(name, pausedAt, null, null, null, null, false, null, null, null, null, NOW),
        List.of());
  }

  private static Overview overview(QueueOverview... queues) {
    return new Overview(List.of(queues), List.of(), List.of(), List.of());
  }

  private List<String> draw(Overview overview, int width, int height) {
    return new StatsScreen(Style.PLAIN)
        .draw("skipjack stats", overview, rates, new Terminal.Size(width, height));
  }

  @Test
  void aViewOfEightyColumnsShowsEveryColumn() {
    List<String> lines = draw(overview(queue("emails", 1_200_000, NOW)), 80, 24);

    assertThat(lines.get(2))
        .isEqualTo(
            "QUEUE    STATE    PENDING   OLDEST  RUNNING  WAITING    DEAD    IN/S   OUT/S WRK");
    assertThat(lines.get(3))
        .isEqualTo(
            "emails   paused      1.2M   1m 35s        0        0       0       -       -   0");
    assertThat(lines)
        .contains(
            "! Queue 'emails' is paused and has pending jobs.",
            "! Queue 'emails' has due jobs, but no worker.");
  }

  @Test
  void nothingExceedsTheScreen() {
    QueueOverview[] queues =
        IntStream.range(0, 60)
            .mapToObj(i -> queue("a-queue-with-a-very-long-name-" + i, i, NOW))
            .toArray(QueueOverview[]::new);
    for (int[] size : new int[][] {{80, 24}, {200, 50}, {40, 12}, {20, 13}}) {
      List<String> lines = draw(overview(queues), size[0], size[1]);
      assertThat(lines).hasSizeLessThanOrEqualTo(size[1]);
      assertThat(lines).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(size[0]));
    }
    assertThat(draw(overview(queues), 80, 24)).contains("... and 48 more queues");
  }

  @Test
  void ratesAreThoseSinceTheLastReading() {
    rates.update(ended(NOW, 1), overview(queue("emails", 100, null)), SECOND);
    List<JobSummary> later = new ArrayList<>(ended(NOW.plusSeconds(2), 40));
    later.addAll(ended(NOW, 1));
    Overview grown = overview(queue("emails", 120, null));
    rates.update(later, grown, 3 * SECOND);

    QueueOverview emails = grown.queues().get(0);
    assertThat(rates.out(emails)).isEqualTo("20");
    assertThat(rates.in(emails)).isEqualTo("30");
  }

  private static List<JobSummary> ended(Instant at, int jobs) {
    return IntStream.rangeClosed(1, jobs)
        .mapToObj(
            id ->
                new JobSummary(
                    new JobId(id),
                    JobStatus.COMPLETED,
                    "emails",
                    "k",
                    null,
                    0,
                    1,
                    0,
                    5,
                    at,
                    at,
                    at,
                    null,
                    at,
                    null,
                    null,
                    List.of()))
        .toList();
  }
}
