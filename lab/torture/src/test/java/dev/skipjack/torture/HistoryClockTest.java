package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests processes with different wall clocks on a machine with one monotonic clock. */
class HistoryClockTest {

  private static final long HOUR = 3_600 * MadeUpRun.SECOND;

  /** The time in microseconds. */
  private final AtomicLong time = new AtomicLong();

  private HistoryClock clock(long ahead) {
    long origin = -77; // System.nanoTime() has an arbitrary origin
    return HistoryClock.of(() -> time.get() + ahead, () -> origin + time.get() * 1_000);
  }

  @ParameterizedTest
  @ValueSource(longs = {-HOUR, 0, HOUR})
  void aHistoryClockFollowsTheParentProcessDespiteASkewedWallClock(long ahead) {
    HistoryClock skewed = clock(ahead);
    time.set(5);
    HistoryClock corrected = skewed.from(clock(0).moment());

    time.set(9 * MadeUpRun.SECOND);
    assertThat(skewed.micros()).isEqualTo(9 * MadeUpRun.SECOND + ahead);
    assertThat(corrected.micros()).isEqualTo(9 * MadeUpRun.SECOND);
  }

  @Test
  void aSkewedWallClockDoesNotChangeTheVerdict(@TempDir Path folder) {
    Function<HistoryClock, HistoryClock> corrected = skewed -> skewed.from(clock(0).moment());

    assertThat(countersWith(folder.resolve("0"), clock(0))).containsExactly(Counter.LOST);
    assertThat(countersWith(folder.resolve("1"), corrected.apply(clock(HOUR))))
        .containsExactly(Counter.LOST);
    assertThat(countersWith(folder.resolve("2"), corrected.apply(clock(-HOUR))))
        .containsExactly(Counter.LOST);

    // Times of the skewed wall clock lead to another verdict.
    assertThat(countersWith(folder.resolve("3"), clock(HOUR)))
        .containsExactly(Counter.STALE_ACCEPTED);
  }

  /**
   * Returns the counters of a run whose outcome, accepted at 5 s, is missing because the attempt
   * was rescued at 7 s.
   */
  private List<Counter> countersWith(Path folder, HistoryClock clock) {
    MadeUpRun run = new MadeUpRun();
    run.acknowledged("a", 7);
    run.job(7, "completed", "a", "", 2, 71);
    run.attempt(70, 7, 1, "lost", 3, 7);
    run.attempt(71, 7, 2, "succeeded", 8, 10);
    run.fault("proxy", Event.ALL, 3, 4);
    time.set(5 * MadeUpRun.SECOND);
    assertThat(folder.toFile().mkdir()).isTrue();
    try (HistoryFile history = HistoryFile.open(folder, "worker-1", clock)) {
      history.write(EventType.ACCEPTED, Event.NONE, 7, 70, "failed");
    }
    run.history.addAll(HistoryFile.readAll(folder));
    return run.nonZeroCounters();
  }
}
