package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class LowWaterMarksTest {

  private static final Lane LANE = new Lane("q", 0);
  private static final Lane OTHER = new Lane("other", 0);
  private static final Duration SLOW = Duration.ofMillis(6);
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  private final LowWaterMarks marks = new LowWaterMarks(LowWaterMarks.FAST);
  private Instant databaseTime = NOON;
  private long now = Duration.ofHours(-3).toNanos(); // nanoTime may be negative

  @Nested
  class InForce {

    @Test
    void marksAreUsedAfterThreeSlowClaimsInARow() {
      unhinted(SLOW, NOON);
      unhinted(SLOW, NOON);
      assertThat(marks.inForce()).isFalse();
      assertThat(marks.of(LANE, now)).isNull();

      unhinted(SLOW, NOON);

      assertThat(marks.inForce()).isTrue();
      assertThat(marks.of(LANE, now)).isEqualTo(NOON.minus(LowWaterMarks.LAG));
    }

    @Test
    void aSingleSlowClaimChangesNothingHoweverSlow() {
      for (int i = 0; i < 10; i++) {
        unhinted(Duration.ofMinutes(1));
        unhinted(Duration.ofMinutes(1));
        unhinted(Duration.ofMillis(4));
      }

      assertThat(marks.inForce()).isFalse();
    }

    /** Returning jobs takes time in a healthy database too. */
    @Test
    void aClaimMayTakeLongerIfItReturnsJobs() {
      Instant[] hundred = new Instant[100];
      Arrays.fill(hundred, NOON);
      for (int i = 0; i < 5; i++) {
        unhinted(Duration.ofMillis(9), hundred);
      }
      assertThat(marks.inForce()).isFalse();

      for (int i = 0; i < 3; i++) {
        unhinted(Duration.ofMillis(10), hundred);
      }
      assertThat(marks.inForce()).isTrue();
    }

    @Test
    void marksAreNotUsedAfterThreeFastClaimsWithoutHintsInARow() {
      force(NOON);
      unhinted(Duration.ZERO);
      unhinted(Duration.ZERO);
      unhinted(SLOW);
      unhinted(Duration.ZERO);
      unhinted(Duration.ZERO);
      assertThat(marks.inForce()).isTrue();

      unhinted(Duration.ZERO);

      assertThat(marks.inForce()).isFalse();
    }

    /** The hints make these claims fast even if the database is slow. */
    @Test
    void fastClaimsWithHintsDoNotEndTheUseOfMarks() {
      force(NOON);
      for (int i = 0; i < 10; i++) {
        hinted(Duration.ZERO, NOON);
      }

      assertThat(marks.inForce()).isTrue();
    }

    @Test
    void deadEntriesAreTheCauseUnlessClaimsWithHintsAreSlowToo() {
      assertThat(marks.skipDeadEntries()).isFalse();
      force(NOON);
      assertThat(marks.skipDeadEntries()).isTrue();
      hinted(SLOW, NOON);
      hinted(SLOW, NOON);
      assertThat(marks.skipDeadEntries()).isTrue();

      hinted(SLOW, NOON);

      assertThat(marks.skipDeadEntries()).as("on a busy machine").isFalse();
      for (int i = 0; i < 3; i++) {
        hinted(Duration.ZERO, NOON);
      }
      assertThat(marks.skipDeadEntries()).isTrue();
    }

    @Test
    void laterSlownessIsJudgedAgain() {
      force(NOON);
      for (int i = 0; i < 3; i++) {
        hinted(SLOW, NOON);
      }
      for (int i = 0; i < 3; i++) {
        unhinted(Duration.ZERO);
      }
      assertThat(marks.inForce()).isFalse();

      force(NOON);

      assertThat(marks.skipDeadEntries()).isTrue();
    }
  }

  @Nested
  class Level {

    @Test
    void aClaimWithAHintOnlyRaisesTheMark() {
      force(NOON);

      hinted(Duration.ZERO, NOON.plusSeconds(5));
      assertThat(marks.of(LANE, now)).isEqualTo(NOON.plusSeconds(5).minus(LowWaterMarks.LAG));
      hinted(Duration.ZERO, NOON.plusSeconds(3));

      assertThat(marks.of(LANE, now)).isEqualTo(NOON.plusSeconds(5).minus(LowWaterMarks.LAG));
    }

    /**
     * If there are more late jobs than one claim takes, successive claims find them without more
     * sweeps.
     */
    @Test
    void claimFromTheHeadMovesTheMarkToItsEnd() {
      force(NOON);

      unhinted(SLOW, NOON.minusSeconds(60));

      assertThat(marks.of(LANE, now)).isEqualTo(NOON.minusSeconds(60).minus(LowWaterMarks.LAG));
    }

    @Test
    void sweepThatReturnsNothingKeepsTheMark() {
      force(NOON);
      sweep(Set.of(LANE));

      unhinted(SLOW);

      assertThat(marks.of(LANE, now)).isEqualTo(NOON.minus(LowWaterMarks.LAG));
    }
  }

  @Nested
  class Sweeps {

    @Test
    void sweepIsDueAfterTwoSeconds() {
      force(NOON);
      sweep(Set.of(LANE));

      now += Duration.ofMillis(1_999).toNanos();
      assertThat(marks.isSweepDue(now)).isFalse();
      now += Duration.ofMillis(1).toNanos();
      assertThat(marks.isSweepDue(now)).isTrue();
    }

    @Test
    void nextSweepOnlyHasToBeAffordableAfterAFastOne() {
      force(NOON);
      sweep(Set.of(LANE));
      unhinted(Duration.ofMillis(1));

      assertThat(marks.isSweepDue(now)).isFalse();
      now += Duration.ofMillis(20).toNanos();
      assertThat(marks.isSweepDue(now)).isTrue();

      sweep(Set.of(LANE));
      unhinted(SLOW);
      now += Duration.ofMillis(1_900).toNanos();
      assertThat(marks.isSweepDue(now)).isFalse();
    }

    /** The next job of the ordering key is often due below the mark. */
    @Test
    void sweepIsDueWhenAffordableAfterAJobWithAnOrderingKey() {
      force(NOON);
      marks.sweep(now, Duration.ofMillis(50).toNanos(), Set.of(LANE), Set.of());
      long affordable = now + Duration.ofSeconds(1).toNanos();
      hinted(Duration.ZERO, NOON);
      assertThat(marks.isSweepDue(affordable)).isFalse();

      ClaimedJob ordered = ClaimAnswers.ordered(LANE, NOON, databaseTime);
      marks.claimed(
          ClaimAnswers.of(List.of(share(LANE, true)), 1, List.of(ordered), Duration.ZERO), now);

      assertThat(marks.isSweepDue(affordable - 1)).isFalse();
      assertThat(marks.isSweepDue(affordable)).isTrue();
      sweep(Set.of(LANE));
      assertThat(marks.isSweepDue(affordable)).isFalse();
    }

    @Test
    void sweepsTakeATwentiethOfTheTimeAtMost() {
      force(NOON);
      marks.sweep(now, Duration.ofMillis(150).toNanos(), Set.of(LANE), Set.of());
      long began = now;
      unhinted(Duration.ofMillis(250), NOON);

      assertThat(marks.isSweepDue(began + Duration.ofMillis(7_999).toNanos())).isFalse();
      assertThat(marks.isSweepDue(began + Duration.ofSeconds(8).toNanos())).isTrue();
    }

    /**
     * Each later claim also reads the lane from its beginning, but only the first one belongs to
     * the sweep.
     */
    @Test
    void sweepIsNotDelayedByLaterClaimsFromTheSameLane() {
      force(NOON);
      marks.sweep(now, Duration.ofMillis(50).toNanos(), Set.of(LANE), Set.of());
      long began = now;
      for (int i = 0; i < 19; i++) {
        now += Duration.ofMillis(100).toNanos();
        unhinted(Duration.ofMillis(50), NOON);
      }

      assertThat(marks.isSweepDue(began + Duration.ofSeconds(2).toNanos())).isTrue();
    }

    @Test
    void sweepIsDueAfterTwentySecondsHoweverLongTheLastOneTook() {
      force(NOON);
      marks.sweep(now, Duration.ofMinutes(1).toNanos(), Set.of(LANE), Set.of());

      assertThat(marks.isSweepDue(now + Duration.ofMillis(19_999).toNanos())).isFalse();
      assertThat(marks.isSweepDue(now + Duration.ofSeconds(20).toNanos())).isTrue();
    }

    @Test
    void sweepIsAffordableAfterTwentyTimesItsDuration() {
      force(NOON);
      marks.sweep(now, Duration.ofMillis(50).toNanos(), Set.of(LANE), Set.of());

      assertThat(marks.isSweepAffordable(now + Duration.ofMillis(999).toNanos())).isFalse();
      assertThat(marks.isSweepAffordable(now + Duration.ofSeconds(1).toNanos())).isTrue();
      marks.sweep(now, Duration.ofMinutes(1).toNanos(), Set.of(LANE), Set.of());
      assertThat(marks.isSweepAffordable(now + Duration.ofMillis(19_999).toNanos())).isFalse();
      assertThat(marks.isSweepAffordable(now + Duration.ofSeconds(20).toNanos())).isTrue();
    }

    /** Without marks, only a sweep finds jobs in lanes that were short. */
    @Test
    void sweepIsAffordableAtOnceWhenMarksWereDropped() {
      force(NOON);
      marks.sweep(now, Duration.ofMinutes(1).toNanos(), Set.of(LANE), Set.of());
      marks.clear();
      assertThat(marks.isSweepAffordable(now)).isTrue();

      unhinted(SLOW, NOON);
      marks.sweep(now, Duration.ofMinutes(1).toNanos(), Set.of(LANE), Set.of());
      databaseTime = NOON.minusSeconds(3_600);
      hinted(Duration.ZERO, NOON);
      assertThat(marks.isSweepAffordable(now)).isTrue();
    }

    @Test
    void sweepRemovesTheMarkOfALaneWithDueJobsUntilTheLaneIsRead() {
      force(NOON);

      sweep(Set.of(LANE));
      assertThat(marks.of(LANE, now)).isNull();
      answer(List.of(share(OTHER, false)), SLOW, List.of());
      assertThat(marks.of(LANE, now)).isNull();
      unhinted(SLOW, NOON);

      assertThat(marks.of(LANE, now)).isNotNull();
    }

    /** The claim was full before it reached the lane. */
    @Test
    void sweepHasNotReadALaneBehindTheLimit() {
      force(NOON);
      sweep(Set.of(LANE, OTHER));

      marks.claimed(
          ClaimAnswers.of(
              List.of(share(OTHER, false), share(LANE, false)),
              1,
              List.of(ClaimAnswers.job(OTHER, NOON, databaseTime)),
              SLOW),
          now);

      assertThat(marks.of(OTHER, now)).isNotNull();
      assertThat(marks.of(LANE, now)).isNull();
    }

    /** The listing has read the lane and found no due job. */
    @Test
    void sweepKeepsTheMarkOfAnEmptyLane() {
      force(NOON);

      sweep(Set.of());

      assertThat(marks.of(LANE, now)).isEqualTo(NOON.minus(LowWaterMarks.LAG));
    }

    @Test
    void sweepDropsTheMarksOfAPausedQueue() {
      force(NOON);

      marks.sweep(now, 0, Set.of(), Set.of("q"));

      assertThat(marks.of(LANE, now)).isNull();
    }
  }

  @Nested
  class Idle {

    @Test
    void laneIsIdleIfNothingWasClaimedFromItForASecond() {
      force(NOON);
      Instant low = NOON.minus(LowWaterMarks.LAG);

      now += Duration.ofMillis(999).toNanos();
      assertThat(marks.of(LANE, now)).isEqualTo(low);
      assertThat(marks.ofIdle(LANE, now)).isNull();
      hinted(Duration.ZERO);
      now += Duration.ofMillis(1).toNanos();
      assertThat(marks.of(LANE, now)).isNull();
      assertThat(marks.ofIdle(LANE, now)).isEqualTo(low);
    }
  }

  @Nested
  class Dropped {

    @Test
    void markIsDroppedWhenNothingWasClaimedForAMinute() {
      force(NOON);

      now += Duration.ofMillis(59_999).toNanos();
      sweep(Set.of());
      assertThat(marks.has(LANE)).isTrue();
      now += Duration.ofMillis(1).toNanos();
      sweep(Set.of());
      assertThat(marks.has(LANE)).isFalse();
      assertThat(marks.ofIdle(LANE, now)).isNull();
    }

    /** A healthy worker keeps no idle lanes. */
    @Test
    void unusedMarkIsDroppedWhenNothingWasClaimedForASecond() {
      unhinted(Duration.ZERO, NOON);
      now += Duration.ofSeconds(1).toNanos();
      sweep(Set.of());

      for (int i = 0; i < 3; i++) {
        answer(List.of(share(OTHER, false)), SLOW, List.of());
      }

      assertThat(marks.inForce()).isTrue();
      assertThat(marks.has(LANE)).isFalse();
    }

    @Test
    void markIsDroppedWhenTheDatabasesClockStepsBack() {
      force(NOON);
      databaseTime = NOON.minusSeconds(3_600);

      hinted(Duration.ZERO, NOON);
      assertThat(marks.of(LANE, now)).isNull();

      unhinted(SLOW, NOON.minusSeconds(3_600));
      Instant low = NOON.minusSeconds(3_600).minus(LowWaterMarks.LAG);
      assertThat(marks.of(LANE, now)).isEqualTo(low);
      databaseTime = databaseTime.plusSeconds(1);
      hinted(Duration.ZERO, NOON.minusSeconds(3_600));
      assertThat(marks.of(LANE, now)).isEqualTo(low); // the mark is dropped only once
    }

    @Test
    void marksAreDroppedWhenCleared() {
      force(NOON);

      marks.clear();

      assertThat(marks.of(LANE, now)).isNull();
      assertThat(marks.inForce()).isTrue(); // the database may still be slow
    }
  }

  /**
   * Makes the database slow enough for marks to be used, with the lane's mark at {@code
   * scheduledAt}.
   */
  private void force(Instant scheduledAt) {
    for (int i = 0; i < 3; i++) {
      unhinted(SLOW, scheduledAt);
    }
    assertThat(marks.inForce()).isTrue();
  }

  private void sweep(Set<Lane> due) {
    marks.sweep(now, 0, due, Set.of());
  }

  private void unhinted(Duration duration, Instant... scheduledAt) {
    answer(List.of(share(LANE, false)), duration, List.of(scheduledAt));
  }

  private void hinted(Duration duration, Instant... scheduledAt) {
    answer(List.of(share(LANE, true)), duration, List.of(scheduledAt));
  }

  private void answer(List<LaneShare> shares, Duration duration, List<Instant> scheduledAt) {
    List<ClaimedJob> jobs = new ArrayList<>();
    scheduledAt.forEach(at -> jobs.add(ClaimAnswers.job(LANE, at, databaseTime)));
    marks.claimed(ClaimAnswers.of(shares, 1_000, jobs, duration), now);
  }

  private static LaneShare share(Lane lane, boolean hinted) {
    return new LaneShare(lane, 1_000, hinted ? Instant.EPOCH : null);
  }
}
