package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.DurationHistogram;
import dev.skipjack.api.spi.JobMinute;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class MinuteCountsTest {

  private final MinuteCounts counts = new MinuteCounts();

  static AttemptInfo attempt(String queue, String kind) {
    return new AttemptInfo(new JobId(1), new ExecutionId(1), queue, kind, 1, 3);
  }

  @Test
  void attemptsAreCountedByQueueAndKind() {
    counts.waited(attempt("a", "x"), Duration.ofMillis(5));
    counts.ran(attempt("a", "x"), Duration.ofSeconds(1).toNanos());
    counts.ended(attempt("a", "x"), MinuteCounts.Result.COMPLETED);
    counts.ended(attempt("a", "x"), MinuteCounts.Result.COMPLETED);
    counts.ended(attempt("a", "y"), MinuteCounts.Result.DEAD);
    counts.ended(attempt("b", "x"), MinuteCounts.Result.LOST);

    assertThat(counts.take())
        .containsExactlyInAnyOrder(
            new JobMinute(
                "a",
                "x",
                2,
                0,
                0,
                0,
                0,
                0,
                DurationHistogram.of(0, 0, 0, 1),
                DurationHistogram.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)),
            new JobMinute(
                "a", "y", 0, 0, 1, 0, 0, 0, DurationHistogram.EMPTY, DurationHistogram.EMPTY),
            new JobMinute(
                "b", "x", 0, 0, 0, 0, 0, 1, DurationHistogram.EMPTY, DurationHistogram.EMPTY));
  }

  @Test
  void takenNumbersAreNotCountedAgain() {
    counts.ended(attempt("a", "x"), MinuteCounts.Result.SNOOZED);
    assertThat(counts.take()).hasSize(1);

    assertThat(counts.take()).isEmpty();

    counts.ended(attempt("a", "x"), MinuteCounts.Result.CANCELLED);
    List<JobMinute> next = counts.take();
    assertThat(next).hasSize(1);
    assertThat(next.get(0).snoozed()).isZero();
    assertThat(next.get(0).cancelled()).isEqualTo(1);
  }
}
