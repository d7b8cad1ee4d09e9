package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.skipjack.faults.ForkedJvm;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests the clocks of processes. The tests with a skewed clock are skipped if libfaketime is not
 * installed.
 */
@Timeout(120)
class SkewedClocksTest {

  private static final double MICROS_PER_HOUR = 3_600e6;

  /** Prints the times of its wall clock and its history clock. */
  static final class ClockPrinter {

    private ClockPrinter() {}

    public static void main(String[] args) {
      HistoryClock wall = HistoryClock.ofWall();
      System.out.println("times " + wall.micros() + " " + wall.from(args[0]).micros());
    }
  }

  @ParameterizedTest
  @CsvSource({"worker-1, 0", "worker-2, -1", "worker-3, 1"})
  void aWorkerWithASkewedClockWritesCorrectTimes(String worker, int hours) {
    Optional<SkewedClocks> clocks = SkewedClocks.find();
    assumeTrue(clocks.isPresent() || hours == 0, "libfaketime is not installed");
    HistoryClock ours = HistoryClock.ofWall();
    long before = ours.micros();
    ForkedJvm.Builder process = ForkedJvm.of(ClockPrinter.class).arguments(ours.moment());
    clocks.ifPresent(skewed -> skewed.skew(process, worker));

    String[] times;
    try (ForkedJvm running = process.start()) {
      times = running.awaitLine("times ", Duration.ofSeconds(90)).split(" ", -1);
    }

    long wall = Long.parseLong(times[1]);
    long history = Long.parseLong(times[2]);
    assertThat(history).isBetween(before, ours.micros());
    assertThat(Math.round((wall - history) / MICROS_PER_HOUR)).isEqualTo(hours);
  }
}
