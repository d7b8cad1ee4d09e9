package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RescueMarkTest {

  private static final long LATER = RescueMark.UNMARKED_EVERY.plusSeconds(1).toNanos();

  private static final long TEN_SECONDS = Duration.ofSeconds(10).toNanos();

  private final RescueMark mark = new RescueMark(Duration.ofMillis(20));

  @Test
  void healthyDatabaseHasNoMark() {
    assertThat(sweep(0, Duration.ofMillis(19), 0)).isZero();
    assertThat(sweep(1, Duration.ofMillis(19), 0)).isZero();
  }

  @Test
  void slowSweepsBeginAfterTheOldestAttemptOfTwoSweepsAgo() {
    assertThat(sweep(0, Duration.ofSeconds(1), 100)).isZero();
    assertThat(sweep(1, Duration.ofSeconds(1), 200)).isZero();
    assertThat(sweep(2, Duration.ofMillis(1), 300)).isEqualTo(99);
    assertThat(sweep(3, Duration.ofMillis(1), 400)).isEqualTo(199);
  }

  @Test
  void oneSweepPerMinuteHasNoMark() {
    slow();
    assertThat(mark.begin(LATER)).isZero();
    assertThat(mark.begin(LATER + 1)).isPositive();
  }

  @Test
  void fastSweepOfAllRemovesTheMark() {
    slow();
    assertThat(sweep(LATER, Duration.ofMillis(1), 0)).isZero();
    assertThat(sweep(LATER + 1, Duration.ofMillis(1), 0)).isZero();
  }

  /** If the sweep failed with a timeout, further sweeps are possible only with the mark. */
  @Test
  void failedSweepOfAllKeepsTheMark() {
    slow();
    assertThat(mark.begin(LATER)).isZero();
    assertThat(mark.begin(LATER + 1)).isEqualTo(199);
  }

  @Test
  void markStaysWhileNothingRuns() {
    slow();
    mark.learn(OptionalLong.empty());
    mark.learn(OptionalLong.empty());
    assertThat(mark.begin(4)).isEqualTo(299);
  }

  @Test
  void aProcessWhoseFirstSweepTimesOutBeginsAtItsOldestClaim() {
    mark.claimed(501);
    mark.claimed(500);
    mark.claimed(502);
    timeOut(0);
    assertThat(mark.begin(TEN_SECONDS + 1)).isEqualTo(499);
    assertThat(mark.begin(LATER)).as("a minute after the end of the other").isEqualTo(499);
    assertThat(mark.begin(TEN_SECONDS + LATER)).isZero();
  }

  @Test
  void aMarkThatBeganAtAClaimRises() {
    mark.claimed(500);
    timeOut(0);
    assertThat(sweep(TEN_SECONDS + 1, Duration.ofMillis(1), 600)).isEqualTo(499);
    assertThat(sweep(TEN_SECONDS + 2, Duration.ofMillis(1), 700)).isEqualTo(499);
    assertThat(sweep(TEN_SECONDS + 3, Duration.ofMillis(1), 800)).isEqualTo(599);
  }

  @Test
  void withoutAClaimNoSweepAfterATimeoutHasAMark() {
    timeOut(0);
    assertThat(mark.begin(TEN_SECONDS + 1)).isZero();
  }

  @Test
  void sweepThatFailsAtOnceDoesNotCountAsSlow() {
    mark.claimed(500);
    mark.timedOut(mark.begin(0), 0, Duration.ofMillis(19).toNanos());
    assertThat(mark.begin(1)).isZero();
  }

  @Test
  void sweepOfAllThatTimesOutKeepsTheMark() {
    slow();
    mark.claimed(50);
    timeOut(LATER);
    assertThat(mark.begin(LATER + TEN_SECONDS)).isEqualTo(199);
  }

  private void timeOut(long now) {
    mark.timedOut(mark.begin(now), now, now + TEN_SECONDS);
  }

  private void slow() {
    sweep(0, Duration.ofSeconds(1), 100);
    sweep(1, Duration.ofSeconds(1), 200);
    sweep(2, Duration.ofSeconds(1), 300);
  }

  private long sweep(long now, Duration took, long oldest) {
    long after = mark.begin(now);
    if (mark.searched(after, took.toNanos())) {
      mark.learn(OptionalLong.of(oldest));
    }
    return after;
  }
}
