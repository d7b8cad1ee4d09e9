package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests claim rates with twenty claims per second for a minute, unless a test states otherwise. */
class ClaimRatesTest {

  private static final int PER_SECOND = 20;

  private final MadeUpRun run = new MadeUpRun();
  private int claims;

  private void claims(double from, double to, int perSecond) {
    for (int n = 0; n < Math.round((to - from) * perSecond); n++) {
      double at = from + (double) n / perSecond;
      run.event(at, EventType.REQUESTED, "k" + claims, 0, 0, "plain");
      run.attempt(++claims, claims, 1, "succeeded", at, at + 0.01);
    }
  }

  private Map<String, Long> row(String kind) {
    return ClaimRates.of(run.checked(), run.log()).row(kind);
  }

  private void assertRateBack(String kind, long measured, long slowest) {
    assertThat(row(kind))
        .containsEntry("rate_back_measured", measured)
        .containsEntry("rate_back_max_ms", slowest);
  }

  @Test
  void aFaultThatDoesNotReduceTheRateTakesZeroMilliseconds() {
    claims(0, 60, PER_SECOND);
    run.fault("backend", Event.ALL, 20, 20);
    assertRateBack("backend", 1, 0);
    assertThat(ClaimRates.of(run.checked(), run.log()).typical()).isEqualTo(PER_SECOND);
  }

  @Test
  void timeCountsFromTheEndOfTheFaultToTheStartOfTwoSecondsAtTheOldRate() {
    claims(0, 20, PER_SECOND);
    claims(26, 60, PER_SECOND);
    run.fault("postmaster", Event.ALL, 20, 23);
    // 38 claims, 95 % of 40, are between 25.9 and 27.9.
    assertRateBack("postmaster", 1, 2_900);
  }

  @Test
  void ninetyPercentOfTheOldRateIsNotEnough() {
    claims(0, 20, PER_SECOND);
    claims(20, 30, PER_SECOND * 9 / 10);
    claims(30, 60, PER_SECOND);
    run.fault("proxy", Event.ALL, 20, 22);
    assertThat(row("proxy").get("rate_back_max_ms")).isBetween(6_500L, 8_000L);
  }

  @Test
  void overlappingFaultsAreOneDisturbanceOfEachKind() {
    claims(0, 20, PER_SECOND);
    claims(32, 60, PER_SECOND);
    run.fault("proxy", Event.ALL, 20, 23);
    run.fault("postmaster", Event.ALL, 24, 29);
    run.fault("kill", "worker-1", 28, 28.5);
    for (String kind : List.of("proxy", "postmaster", "kill")) {
      assertRateBack(kind, 1, 2_900);
    }
    assertThat(ClaimRates.of(run.checked(), run.log()).percentile(0.5)).isEqualTo(2_900);
  }

  @Test
  void disturbedSecondsDoNotCountTowardsTheRateBefore() {
    claims(0, 20, PER_SECOND);
    claims(29, 31, PER_SECOND);
    claims(31, 60, PER_SECOND / 2);
    run.fault("proxy", Event.ALL, 20, 28);
    run.fault("postmaster", Event.ALL, 31, 32);
    // Half the rate is not enough, although it is more than in the ten seconds before.
    assertThat(row("postmaster").get("rate_back_max_ms")).isGreaterThan(20_000);
  }

  @Test
  void cutCommitsArePartOfTheNormalRate() {
    claims(0, 60, PER_SECOND);
    run.fault("commit-cut", Event.ALL, 20, 20.1);
    assertRateBack("commit-cut", 0, 0);
    assertThat(ClaimRates.of(run.checked(), run.log()).unmeasured()).isZero();
  }

  @Test
  void disturbancesInTheFirstSecondsOrUnfinishedAtTheEndAreNotMeasured() {
    claims(0, 20, PER_SECOND);
    claims(29, 30, PER_SECOND);
    run.fault("kill", "worker-1", 2, 2);
    run.fault("postmaster", Event.ALL, 20, 25);
    assertRateBack("kill", 0, 0);
    assertRateBack("postmaster", 0, 0);
    assertThat(ClaimRates.of(run.checked(), run.log()).unmeasured()).isEqualTo(2);
  }

  @Test
  void aRateThatNeverComesBackMissesTheTarget() {
    claims(0, 20, PER_SECOND);
    claims(25, 60, PER_SECOND / 2);
    run.fault("postmaster", Event.ALL, 20, 25);
    assertThat(row("postmaster").get("rate_back_max_ms")).isGreaterThan(ClaimRates.TARGET_MILLIS);
  }

  @Test
  void aRunWithoutFaultsHasNoFigures() {
    assertRateBack("kill", 0, 0);
    claims(0, 10, PER_SECOND);
    assertThat(ClaimRates.of(run.checked(), run.log()).percentile(0.99)).isZero();
  }
}
