package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests attempts under a limit of four, two per group and five starts in a period, that was set
 * from 0.1 to 0.2.
 */
class LimitCheckTest {

  private static final double LEASE = Pace.FORKED.lease().toMillis() / 1_000.0;

  private final MadeUpRun run = new MadeUpRun();
  private final Map<String, List<String>> keys = new HashMap<>();
  private long jobs;

  @BeforeEach
  void limit() {
    for (int n = 0; n < 200; n++) {
      keys.computeIfAbsent(LimitedWork.group("k" + n), group -> new ArrayList<>()).add("k" + n);
    }
    change(0.1, 0.2, 4, 2);
  }

  /** The rate of the limit. */
  private static final int STARTS = 5;

  private static final double PERIOD = LimitedWork.PERIOD.toMillis() / 1_000.0;

  private void change(double requested, double returned, int running, int perGroup) {
    String detail = new LimitedWork.Setting(running, perGroup, STARTS).detail();
    run.event("operator", requested, EventType.LIMIT_REQUESTED, 0, 0, detail);
    if (returned > 0) {
      run.event("operator", returned, EventType.LIMIT_RETURNED, 0, 0, "");
    }
  }

  /** Adds a job with one attempt, and returns its key. */
  private String attempt(int group, double from, double to) {
    String name = keys.keySet().stream().sorted().toList().get(group);
    List<String> ofGroup = Objects.requireNonNull(keys.get(name));
    String key = ofGroup.remove(0);
    long job = ++jobs;
    run.job(job, "completed", Workload.LIMITED, key, "", 1, job * 10);
    run.attempt(job * 10, job, 1, "succeeded", from, to);
    return key;
  }

  private List<String> violations() {
    return LimitCheck.check(run.checked(), Pace.FORKED).stream().map(Violation::what).toList();
  }

  @Test
  void eachGroupHasJobsInEachQueue() {
    assertThat(keys)
        .hasSize(LimitedWork.GROUPS)
        .allSatisfy(
            (group, ofGroup) ->
                assertThat(ofGroup.stream().map(LimitedWork::queue))
                    .containsAll(LimitedWork.QUEUES));
  }

  @Test
  void asManyAttemptsAsTheLimitAreNoViolation() {
    attempt(0, 3, 5);
    attempt(0, 3, 6);
    attempt(1, 3, 7);
    attempt(2, 3, 8);
    attempt(0, 5, 9);
    attempt(0, 6, 9);
    assertThat(violations()).isEmpty();
  }

  @Test
  void oneAttemptMoreThanTheLimitIsAViolation() {
    attempt(0, 3, 5);
    attempt(1, 3, 6);
    attempt(2, 3, 7);
    attempt(3, 3, 8);
    attempt(3, 4.999_999, 9);
    assertThat(violations()).containsExactly("An attempt started as number 5, but the limit is 4.");
    assertThat(run.report().count(Counter.LIMIT_VIOLATIONS)).isEqualTo(1);
  }

  @Test
  void oneAttemptOfAGroupMoreThanItsLimitIsAViolation() {
    attempt(1, 3, 5);
    attempt(1, 3, 6);
    attempt(1, 4, 7);
    assertThat(violations())
        .singleElement()
        .asString()
        .startsWith("An attempt started as number 3 of")
        .endsWith("but the limit per group is 2.");
  }

  @Test
  void asManyStartsAsTheRateInAnyPeriodAreNoViolation() {
    for (int n = 0; n < 20; n++) {
      double start = 3 + Math.floorDiv(n, STARTS) * PERIOD + n % STARTS * 0.01;
      attempt(n % 2, start, start + 0.001);
    }
    assertThat(violations()).isEmpty();
  }

  @Test
  void oneStartMoreThanTheRateInAPeriodIsAViolation() {
    for (int n = 0; n <= STARTS; n++) {
      attempt(n % 2, 3 + n * (PERIOD - 0.001) / STARTS, 3.001 + n * (PERIOD - 0.001) / STARTS);
    }
    assertThat(violations())
        .containsExactly("An attempt started as number 6 in 400 ms, but the rate is 5.");
  }

  @Test
  void noAttemptStartsWhileStartsAreStopped() {
    attempt(0, 2, 3);
    run.event("worker", 4, EventType.THROTTLE_REQUESTED, 1, 10, "");
    run.event("worker", 4.1, EventType.THROTTLE_RETURNED, 1, 10, "");
    attempt(1, 4.05, 5);
    attempt(1, 4 + LimitedWork.RETRY_AFTER.toMillis() / 1_000.0, 5);
    assertThat(violations()).isEmpty();

    attempt(2, 4.1 + LEASE / 5, 5);
    assertThat(violations())
        .containsExactly("An attempt started although a handler had stopped all starts.");
  }

  @Test
  void anAttemptWithoutAnEndRunsUntilTheEndOfTheRun() {
    attempt(1, 3, 0);
    attempt(1, 3, 0);
    attempt(1, 100, 101);
    assertThat(violations()).hasSize(1);
  }

  @Test
  void attemptsOfOtherWorkloadsUseNothing() {
    for (int n = 1; n <= 9; n++) {
      run.job(n, "completed", "k" + n, "", 1, n * 10L);
      run.attempt(n * 10L, n, 1, "succeeded", 3, 4);
    }
    assertThat(violations()).isEmpty();
  }

  @Test
  void aLowerLimitAppliesToStartsAfterItsChangeHasReturned() {
    change(3, 4, 2, 1);
    attempt(0, 2, 20);
    attempt(1, 2, 20);
    attempt(2, 3.5, 20);
    attempt(3, 4 + LEASE / 20, 20); // within the difference of two clocks
    assertThat(violations()).isEmpty();

    attempt(3, 4 + LEASE / 5, 20);
    assertThat(violations()).hasSize(2);
  }

  @Test
  void aHigherLimitAppliesFromItsRequest() {
    change(3, 4, 4, 3);
    attempt(0, 2, 20);
    attempt(0, 2, 20);
    attempt(0, 3, 20);
    assertThat(violations()).isEmpty();

    attempt(0, 2.999_999, 20);
    assertThat(violations()).hasSize(2);
  }

  /** Its process was killed, so the change may have been committed. */
  @Test
  void aChangeThatDidNotReturnMayBeInForce() {
    change(3, 0, 4, 3);
    attempt(0, 2, 20);
    attempt(0, 2, 20);
    attempt(0, 10, 20);
    assertThat(violations()).isEmpty();

    change(3, 0, 2, 1);
    attempt(1, 11, 20);
    assertThat(violations()).isEmpty();
  }

  @Test
  void noAttemptOfAPausedGroupStarts() {
    String key = attempt(0, 2, 3);
    String group = LimitedWork.group(key);
    run.event("operator", 4, EventType.GROUP_PAUSED, 0, 0, group);
    assertThat(violations()).isEmpty();

    run.attempt(11, 1, 2, "succeeded", 4 + LEASE / 20, 5);
    assertThat(violations()).isEmpty();

    run.attempt(12, 1, 3, "succeeded", 6, 7);
    assertThat(violations()).containsExactly("An attempt started while its group was paused.");

    run.event("operator", 6, EventType.GROUP_RESUME_REQUESTED, 0, 0, group);
    assertThat(violations()).isEmpty();
  }
}
