package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.torture.FinalRead.ScheduleRow;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests schedules that were created at 100, fired at 101 to 103, and were paused at 104. */
class FireCheckTest {

  private static final String EACH = "torture-interval";

  private final MadeUpRun run = new MadeUpRun();

  @BeforeEach
  void fire() {
    run.schedules.add(new ScheduleRow(EACH, 100, 104, 104));
    run.schedules.add(new ScheduleRow(ScheduledWork.LATEST_ONLY, 100, 104, 104));
    job(1, EACH, 101);
    job(2, EACH, 102);
    job(3, EACH, 103);
    job(4, ScheduledWork.LATEST_ONLY, 103);
  }

  private void job(long id, String schedule, long second) {
    String key = ScheduledWork.key(schedule, second);
    run.job(id, "completed", Workload.SCHEDULED, key, "", 1, id * 10);
    run.attempt(id * 10, id, 1, "succeeded", 2, 3);
  }

  private void assertOnly(Counter counter, long number) {
    assertThat(run.nonZeroCounters()).containsExactly(counter);
    assertThat(run.report().count(counter)).isEqualTo(number);
  }

  @Test
  void oneJobForEachFireIsNoViolation() {
    assertThat(run.violations()).isEmpty();
  }

  @Test
  void aFireWithoutAJobIsLost() {
    run.jobs.remove(1);
    run.executions.remove(1);
    assertOnly(Counter.LOST_FIRES, 1);
  }

  @Test
  void aScheduleThatSkipsMissedFiresMustFireTheLatest() {
    run.jobs.remove(3);
    run.executions.remove(3);
    assertOnly(Counter.LOST_FIRES, 1);
  }

  @Test
  void twoJobsForOneFireAreADoubleFire() {
    job(5, EACH, 102);
    assertOnly(Counter.DOUBLE_FIRES, 1);
  }

  @Test
  void aFireBeforeTheFirstOrAfterTheLastIsUnexpected() {
    job(5, EACH, 100);
    job(6, EACH, 104);
    assertOnly(Counter.UNEXPECTED, 2);
  }

  @Test
  void aJobOfAScheduleThatDoesNotExistIsUnexpected() {
    job(5, "another", 101);
    assertOnly(Counter.UNEXPECTED, 1);
  }

  @Test
  void aScheduleThatStoppedFiringHasLostFires() {
    run.schedules.set(0, new ScheduleRow(EACH, 100, 104, 114));
    assertThat(run.violations()).isEmpty();

    run.schedules.set(0, new ScheduleRow(EACH, 100, 104, 115));
    assertOnly(Counter.LOST_FIRES, 1);
  }
}
