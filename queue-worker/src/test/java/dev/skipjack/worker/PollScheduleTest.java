package dev.skipjack.worker;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class PollScheduleTest {

  private static final Duration INTERVAL = Duration.ofMillis(1_250);

  /** Always draws the lowest random number, so that each pause is as short as possible. */
  private final PollSchedule schedule = new PollSchedule(INTERVAL, new Least());

  private long now = Long.MAX_VALUE - MILLISECONDS.toNanos(100); // nanoTime may overflow

  @Test
  void anIdleWorkerPollsAtThePollInterval() {
    assertThat(pauses(3)).containsExactly(1_000L, 1_000L, 1_000L);
  }

  @Test
  void fourPollsFollowEachArrivalOfJobs() {
    pauses(1);
    schedule.jobsArrived(now);

    assertThat(pauses(5)).containsExactly(5L, 20L, 100L, 500L, 1_000L);
  }

  @Test
  void onePollFollowsAWakeUpThatReturnedNoJob() {
    schedule.wokenUp(now);

    assertThat(pauses(2)).containsExactly(5L, 1_000L);
  }

  @Test
  void aWakeUpAddsAPollToThoseThatFollowJobs() {
    schedule.jobsArrived(now);
    now += MILLISECONDS.toNanos(30);
    schedule.wokenUp(now);

    assertThat(pauses(4)).containsExactly(5L, 90L, 500L, 1_000L);
  }

  /** The loop is also woken when a slot becomes free. */
  @Test
  void earlierPollDoesNotReplaceAPlannedOne() {
    schedule.jobsArrived(now);
    now += MILLISECONDS.toNanos(4);

    assertThat(pauses(2)).containsExactly(1L, 20L);
  }

  @Test
  void theFirstPollIsNeverEarlierThanFiveMilliseconds() {
    PollSchedule random = new PollSchedule(INTERVAL, new SplittableRandom());
    for (int i = 0; i < 1_000; i++) {
      random.jobsArrived(now);
      assertThat(random.pause(now)).isBetween(millis(5), millis(6));
      random.wokenUp(now);
      assertThat(random.pause(now)).isBetween(millis(5), millis(6));
      now += millis(2_000);
    }
  }

  @Test
  void noPauseIsMuchLongerThanThePollInterval() {
    PollSchedule hasty = new PollSchedule(Duration.ofMillis(10), new SplittableRandom());
    hasty.jobsArrived(now);
    now += millis(5);

    for (int i = 0; i < 100; i++) {
      assertThat(hasty.pause(now)).isBetween(millis(8), millis(12));
    }
  }

  private static long millis(long millis) {
    return MILLISECONDS.toNanos(millis);
  }

  /** Returns the next pauses, and advances the clock by each of them. */
  private List<Long> pauses(int count) {
    List<Long> pauses = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long pause = schedule.pause(now);
      now += pause;
      pauses.add(pause / MILLISECONDS.toNanos(1));
    }
    return pauses;
  }

  private static final class Least implements RandomGenerator {
    @Override
    public long nextLong() {
      return 0;
    }

    @Override
    public long nextLong(long bound) {
      return 0;
    }
  }
}
