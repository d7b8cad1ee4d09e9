package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.skipjack.faults.ForkedJvm;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What times a process tells whose clock is an hour off; where libfaketime is installed. */
@Timeout(120)
class SkewedClocksTest {

  private static final double MICROS_OF_HOUR = 3_600e6;

  /** Tells its wall clock's time, and the one for its history. */
  static final class TellsTheTime {

    private TellsTheTime() {}

    public static void main(String[] args) {
      HistoryClock wall = HistoryClock.ofWall();
      System.out.println("times " + wall.micros() + " " + wall.from(args[0]).micros());
    }
  }

  @ParameterizedTest
  @CsvSource({"worker-1, 0", "worker-2, -1", "worker-3, 1"})
  void aWorkersClockIsWrongAndItsHistoryIsNot(String worker, int hours) {
    Optional<SkewedClocks> clocks = SkewedClocks.find();
    assumeTrue(clocks.isPresent() || hours == 0, "libfaketime is not installed");
    HistoryClock ours = HistoryClock.ofWall();
    long before = ours.micros();
    ForkedJvm.Builder process = ForkedJvm.of(TellsTheTime.class).arguments(ours.moment());
    clocks.ifPresent(skewed -> skewed.skew(process, worker));

    String[] times;
    try (ForkedJvm running = process.start()) {
      times = running.awaitLine("times ", Duration.ofSeconds(90)).split(" ", -1);
    }

    long wall = Long.parseLong(times[1]);
    long told = Long.parseLong(times[2]);
    assertThat(told).isBetween(before, ours.micros());
    assertThat(Math.round((wall - told) / MICROS_OF_HOUR)).isEqualTo(hours);
  }
}
