package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests jobs 1 and 2 of an ordering key, which one producer enqueued one after the other. Job 1
 * runs from 10 to 20, and job 2 from 30 to 40.
 */
class OrderCheckTest {

  private static final String SKIP = Work.orderingKey(1);
  private static final String BLOCK = Work.orderingKey(0);
  private static final String PARK = Work.orderingKey(2);
  private static final String STRICT = Work.orderingKey(3);

  private final MadeUpRun run = new MadeUpRun();

  @BeforeEach
  void enqueue() {
    enqueued("producer-1", 1, 1, 2);
    enqueued("producer-1", 2, 3, 4);
  }

  private void enqueued(String producer, long job, double requested, double acknowledged) {
    run.event(producer, requested, EventType.REQUESTED, job, 0, "ordered");
    run.event(producer, acknowledged, EventType.ACKNOWLEDGED, job, 0, "created");
  }

  /** Adds a job with one attempt and the end of the handler. */
  private void ran(long job, String key, double from, double to) {
    run.ordered(job, "completed", key, 1, 5, to);
    attempt(job, 1, "succeeded", from, to);
  }

  private void attempt(long job, int number, String status, double from, double to) {
    run.attempt(job * 10 + number, job, number, status, from, to);
  }

  private void redriven(String process, long job, double requested, double returned) {
    run.event(process, requested, EventType.REDRIVE_REQUESTED, job, 0, "");
    run.event(process, returned, EventType.REDRIVE_RETURNED, job, 0, Operator.REDRIVEN);
  }

  private void assertClean() {
    assertThat(run.violations()).isEmpty();
  }

  private void assertViolatedBy(long job, String what) {
    assertThat(run.violations())
        .containsExactly(new Violation(Counter.ORDER_VIOLATIONS, job, "k" + job, what));
  }

  private static String held(long job) {
    return "An attempt started while job %d held the ordering key.".formatted(job);
  }

  private static String overtaken(long job) {
    return "An attempt started before job %d, which is in front of it, had run.".formatted(job);
  }

  @Test
  void oneAfterAnotherIsNoViolation() {
    ran(1, BLOCK, 10, 20);
    ran(2, BLOCK, 20, 30);
    assertClean();
  }

  @Test
  void jobsOfDifferentKeysMayOverlap() {
    ran(1, BLOCK, 10, 20);
    ran(2, SKIP, 5, 30);
    assertClean();
  }

  @Test
  void aLaterJobMustNotStartBeforeTheEarlierOneHasEnded() {
    ran(1, BLOCK, 10, 20);
    ran(2, BLOCK, 19.9, 30);
    assertViolatedBy(2, held(1));
  }

  @Test
  void aLaterJobMustNotRunFirst() {
    ran(1, BLOCK, 30, 40);
    ran(2, BLOCK, 10, 20);
    assertViolatedBy(2, overtaken(1));
  }

  @Test
  void aJobHoldsItsKeyBetweenItsAttempts() {
    run.ordered(1, "completed", BLOCK, 2, 5, 31);
    attempt(1, 1, "failed", 10, 11);
    attempt(1, 2, "succeeded", 30, 31);
    ran(2, BLOCK, 20, 21);
    assertViolatedBy(2, held(1));
  }

  @Test
  void withoutAnAcknowledgementAnyOrderIsAllowedButNoOverlap() {
    run.history.removeIf(event -> event.type() == EventType.ACKNOWLEDGED);
    ran(1, BLOCK, 30, 40);
    ran(2, BLOCK, 10, 20);
    assertClean();

    run.jobs.remove(1);
    run.executions.remove(1);
    ran(2, BLOCK, 39, 50);
    assertViolatedBy(2, held(1));
  }

  @Test
  void jobsOfAStrictKeyRunInTheOrderOfTheirIdsWithoutAnAcknowledgement() {
    run.history.removeIf(event -> event.type() == EventType.ACKNOWLEDGED);
    ran(1, STRICT, 10, 20);
    ran(2, STRICT, 30, 40);
    assertClean();

    run.jobs.remove(0);
    run.executions.remove(0);
    ran(1, STRICT, 50, 60);
    assertViolatedBy(2, overtaken(1));
  }

  @Test
  void anotherProducersJobIsLaterOnlyIfItWasRequestedClearlyAfterTheAcknowledgement() {
    run.history.clear();
    enqueued("producer-1", 1, 1, 2);
    enqueued("producer-2", 2, 2.2, 4);
    ran(1, BLOCK, 30, 40);
    ran(2, BLOCK, 10, 20);
    assertClean();

    run.history.clear();
    enqueued("producer-1", 1, 1, 2);
    enqueued("producer-2", 2, 2.4, 4);
    assertViolatedBy(2, overtaken(1));
  }

  @Test
  void theJobsOfOneCallAreInItsOrder() {
    run.history.clear();
    run.event("producer-1", 1, EventType.REQUESTED, 1, 0, "ordered");
    run.event("producer-1", 1, EventType.REQUESTED, 2, 0, "ordered");
    run.event("producer-1", 2, EventType.ACKNOWLEDGED, 1, 0, "created");
    run.event("producer-1", 2, EventType.ACKNOWLEDGED, 2, 0, "created");
    ran(1, BLOCK, 30, 40);
    ran(2, BLOCK, 10, 20);
    assertViolatedBy(2, overtaken(1));
  }

  @Test
  void aHandlerMustNotStartBeforeTheEarlierOneHasEnded() {
    ran(1, BLOCK, 10, 20);
    ran(2, BLOCK, 20, 30);
    run.event("worker-1", 19, EventType.ENDED, 1, 11, "Completed");
    run.event("worker-1", 21, EventType.STARTED, 2, 21, "");
    assertClean();

    run.event("worker-1", 22, EventType.ENDED, 1, 11, "Completed");
    assertViolatedBy(
        2, "A handler started before that of job 1, which is in front of it, had ended.");
  }

  @Test
  void theHandlerOfALostAttemptMayEndLate() {
    run.fault("kill", "worker-1", 10, 11);
    run.ordered(1, "cancelled", BLOCK, 1, 5, 20);
    attempt(1, 1, "lost", 10, 20);
    run.event(19, EventType.CANCEL_REQUESTED, Event.NONE, 1, 0, "");
    ran(2, BLOCK, 20, 30);
    run.event("worker-1", 25, EventType.ENDED, 1, 11, "Completed");
    run.event("worker-1", 21, EventType.STARTED, 2, 21, "");
    assertClean();
  }

  @Test
  void aDeadJobBlocksItsKeyUntilItIsSkipped() {
    run.ordered(1, "dead", BLOCK, 3, 3, 20);
    attempt(1, 1, "failed", 10, 11);
    attempt(1, 2, "failed", 12, 13);
    attempt(1, 3, "dead", 14, 20);
    ran(2, BLOCK, 30, 40);
    assertViolatedBy(2, held(1));

    run.event("producer-1", 31, EventType.UNBLOCK_REQUESTED, 1, 0, BLOCK);
    assertViolatedBy(2, held(1));

    run.event("producer-1", 29, EventType.UNBLOCK_REQUESTED, 1, 0, BLOCK);
    assertClean();
  }

  @Test
  void aDeadJobDoesNotHoldAKeyWithAnotherPolicy() {
    run.ordered(1, "dead", SKIP, 3, 3, 20);
    attempt(1, 1, "failed", 10, 11);
    attempt(1, 2, "failed", 12, 13);
    attempt(1, 3, "dead", 14, 20);
    ran(2, SKIP, 20, 30);
    assertClean();
  }

  @Test
  void aRedrivenJobThatBlockedItsKeyRunsNext() {
    died(BLOCK, 50);
    ran(2, BLOCK, 30, 40);
    assertViolatedBy(2, held(1));

    run.event("producer-1", 22, EventType.UNBLOCK_REQUESTED, 1, 0, BLOCK);
    assertClean();
  }

  /** Makes job 1 dead at 20, redrives it at 25, and completes it. */
  private void died(String key, double completed) {
    run.ordered(1, "completed", key, 4, 5, completed);
    attempt(1, 1, "failed", 10, 11);
    attempt(1, 2, "failed", 12, 13);
    attempt(1, 3, "dead", 14, 20);
    redriven("producer-1", 1, 25, 26);
    attempt(1, 4, "succeeded", completed - 5, completed);
  }

  @Test
  void anyOtherRedrivenJobGoesToTheBack() {
    died(SKIP, 50);
    ran(2, SKIP, 30, 40);
    assertClean();

    enqueued("producer-1", 3, 27, 28);
    ran(3, SKIP, 42, 43);
    assertViolatedBy(3, overtaken(1));
  }

  @Test
  void aRedrivenJobThatLostItsKeyDoesNotOvertakeThoseInFront() {
    died(SKIP, 50);
    ran(2, SKIP, 60, 61);
    assertClean(); // the redrive may have come before the key was freed

    enqueued("producer-1", 3, 5, 6);
    ran(3, SKIP, 30, 31);
    assertThat(run.violations())
        .extracting(Violation::what)
        .containsExactlyInAnyOrder(overtaken(2), overtaken(2));
  }

  @Test
  void aJobThatMayHaveBeenRedrivenTwiceIsCheckedByItsAttempts() {
    died(SKIP, 50);
    run.event("producer-2", 27, EventType.REDRIVE_REQUESTED, 1, 0, "");
    ran(2, SKIP, 30, 40);
    enqueued("producer-1", 3, 27, 28);
    ran(3, SKIP, 42, 43);
    assertClean();

    ran(4, SKIP, 46, 47);
    run.event("producer-1", 29, EventType.REQUESTED, 4, 0, "ordered");
    assertViolatedBy(4, held(1));
  }

  @Test
  void aJobIsParkedOnlyBehindADeadOne() {
    ran(1, PARK, 10, 20);
    run.ordered(2, "dead", PARK, 0, 5, 21);
    assertViolatedBy(2, "The job was parked, but no other job of its key has died.");

    run.jobs.remove(0);
    run.executions.remove(0);
    run.ordered(1, "dead", PARK, 1, 1, 20);
    attempt(1, 1, "dead", 10, 20);
    assertClean();
  }

  @Test
  void aJobOfAnotherPolicyIsNeverParked() {
    run.history.removeIf(event -> event.job() == 2);
    run.ordered(1, "dead", SKIP, 0, 5, 21);
    assertThat(run.nonZeroCounters()).containsExactly(Counter.UNEXPECTED);
  }
}
