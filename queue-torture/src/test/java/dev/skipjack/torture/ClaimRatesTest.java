package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Twenty claims a second for a minute, but where something goes wrong. */
class ClaimRatesTest {

  private static final int PER_SECOND = 20;

  private final MadeUpRun run = new MadeUpRun();
  private int claims;

  private void claims(double from, double to, int perSecond) {
    for (int n = 0; n < Math.round((to - from) * perSecond); n++) {
      double at = from + (double) n / perSecond;
      run.event(at, EventType.ASKED, "k" + claims, 0, 0, "plain");
      run.attempt(++claims, claims, 1, "succeeded", at, at + 0.01);
    }
  }

  private Map<String, Long> row(String kind) {
    return ClaimRates.of(run.checked(), run.log()).row(kind);
  }

  private void assertBack(String kind, long healings, long slowest) {
    assertThat(row(kind))
        .containsEntry("healings", healings)
        .containsEntry("rate_back_max_ms", slowest);
  }

  @Test
  void aFaultThatNobodyFeltIsOverAtOnce() {
    claims(0, 60, PER_SECOND);
    run.fault("backend", Event.ALL, 20, 20);
    assertBack("backend", 1, 0);
    assertThat(ClaimRates.of(run.checked(), run.log()).typical()).isEqualTo(PER_SECOND);
  }

  @Test
  void timeCountsFromTheHealingToTheFirstOfTwoSecondsThatAreAsBefore() {
    claims(0, 20, PER_SECOND);
    claims(26, 60, PER_SECOND);
    run.fault("postmaster", Event.ALL, 20, 23);
    // 95 % of 40 claims, so 38, are there in 25.9 to 27.9.
    assertBack("postmaster", 1, 2_900);
  }

  @Test
  void nineOfTenIsNotAsBefore() {
    claims(0, 20, PER_SECOND);
    claims(20, 30, PER_SECOND * 9 / 10);
    claims(30, 60, PER_SECOND);
    run.fault("proxy", Event.ALL, 20, 22);
    assertThat(row("proxy").get("rate_back_max_ms")).isBetween(6_500L, 8_000L);
  }

  @Test
  void faultsThatOverlapAreOneUnderTheNamesOfAll() {
    claims(0, 20, PER_SECOND);
    claims(32, 60, PER_SECOND);
    run.fault("proxy", Event.ALL, 20, 23);
    run.fault("postmaster", Event.ALL, 24, 29);
    run.fault("kill", "worker-1", 28, 28.5);
    for (String kind : List.of("proxy", "postmaster", "kill")) {
      assertBack(kind, 1, 2_900);
    }
    assertThat(ClaimRates.of(run.checked(), run.log()).percentile(0.5)).isEqualTo(2_900);
  }

  @Test
  void secondsInWhichAnEarlierFaultWasFeltAreNotBefore() {
    claims(0, 20, PER_SECOND);
    claims(29, 31, PER_SECOND);
    claims(31, 60, PER_SECOND / 2);
    run.fault("proxy", Event.ALL, 20, 28);
    run.fault("postmaster", Event.ALL, 31, 32);
    // Half the rate is not enough, though it is more than that of the ten seconds before.
    assertThat(row("postmaster").get("rate_back_max_ms")).isGreaterThan(20_000);
  }

  @Test
  void cutCommitsArePartOfTheNormalRate() {
    claims(0, 60, PER_SECOND);
    run.fault("commit-cut", Event.ALL, 20, 20.1);
    assertBack("commit-cut", 0, 0);
    assertThat(ClaimRates.of(run.checked(), run.log()).unmeasured()).isZero();
  }

  @Test
  void nothingIsSaidOfTheFirstSecondsAndOfWhatIsNotOverAtTheEnd() {
    claims(0, 20, PER_SECOND);
    claims(29, 30, PER_SECOND);
    run.fault("kill", "worker-1", 2, 2);
    run.fault("postmaster", Event.ALL, 20, 25);
    assertBack("kill", 0, 0);
    assertBack("postmaster", 0, 0);
    assertThat(ClaimRates.of(run.checked(), run.log()).unmeasured()).isEqualTo(2);
  }

  @Test
  void aRateThatIsNeverBackIsSlowAndNotUnknown() {
    claims(0, 20, PER_SECOND);
    claims(25, 60, PER_SECOND / 2);
    run.fault("postmaster", Event.ALL, 20, 25);
    assertThat(row("postmaster").get("rate_back_max_ms")).isGreaterThan(ClaimRates.TARGET_MILLIS);
  }

  @Test
  void aRunWithoutFaultsHasNoFigures() {
    assertBack("kill", 0, 0);
    claims(0, 10, PER_SECOND);
    assertThat(ClaimRates.of(run.checked(), run.log()).percentile(0.99)).isZero();
  }
}
