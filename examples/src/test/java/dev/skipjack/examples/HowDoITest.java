package dev.skipjack.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.operations.EditResult;
import dev.skipjack.api.operations.Fix;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.JobExplanation;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobOperations;
import dev.skipjack.api.operations.JobPage;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.OperationPreview;
import dev.skipjack.api.operations.QueuePause;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.operations.RedriveSummary;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that the recipes of docs/guides/how-do-i.md do what that page says. */
@QueueTest
class HowDoITest {

  record Remind(String user) {}

  static final JobType<Remind> REMIND =
      JobType.of("remind", Remind.class).onQueue("emails").maxAttempts(1);

  private JobQueue queue;

  @BeforeEach
  void setUp(QueueDatabase database) {
    queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
  }

  // snippet: later
  JobId inTwoHours() {
    return queue.enqueue(REMIND, new Remind("ada"), job -> job.delay(Duration.ofHours(2)));
  }

  JobId at(Instant instant) {
    return queue.enqueue(REMIND, new Remind("ada"), job -> job.at(instant));
  }

  // end of snippet

  // snippet: cancel
  CancelResult cancel(JobId job) {
    return queue.admin().cancel(List.of(job)).get(0);
  }

  // end of snippet

  // snippet: redrive
  RedriveResult redrive(JobId dead) {
    return queue.admin().redrive(List.of(dead)).get(0);
  }

  RedriveSummary redriveAllReminders() {
    return queue.admin().redriveAll(DeadJobs.all().ofQueue("emails").ofKind("remind"));
  }

  // end of snippet

  // snippet: patch
  JobOperation correctUserAndRedrive() {
    JobOperations operations = queue.operations();
    OperationPreview preview =
        operations.preview(
            OperationAction.REDRIVE,
            JobQuery.live().kind("remind").errorClass("NoSuchElementException"),
            "{\"user\": \"grace\"}");
    JobOperation operation = operations.start(preview, "anna");
    return operations.run(operation.id(), progress -> {});
  }

  // end of snippet

  // snippet: list
  JobPage waiting() {
    return queue.reader().list(JobQuery.pending("emails").kind("remind").limit(20));
  }

  JobDetails details(JobId job) {
    return queue.reader().find(job).orElseThrow();
  }

  // end of snippet

  // snippet: why
  String whyNot(JobId job) {
    JobExplanation why = queue.reader().why(job).orElseThrow();
    Fix fix = why.fix();
    return fix == null ? why.sentence() : why.sentence() + " Fix: " + fix.command();
  }

  // end of snippet

  // snippet: pause
  void pauseForAnHour() {
    queue
        .admin()
        .pause(
            "emails",
            QueuePause.of(Duration.ofHours(1)).by("anna").because("The mail server is down."));
  }

  void resume() {
    queue.admin().resume("emails");
  }

  // end of snippet

  // snippet: drain
  int drain() {
    try (Worker worker =
        Worker.on(queue)
            .handle(REMIND, (reminder, context) -> Outcome.completed())
            .queue("emails", 10)
            .build()) {
      return worker.runUntilIdle();
    }
  }

  // end of snippet

  // snippet: edit
  EditResult remindAnotherUser(JobId waiting) {
    return queue.admin().edit(waiting, JobEdit.nothing().payload(new Remind("grace")));
  }

  // end of snippet

  @Test
  void aDelayedJobIsListedEditedAndCancelled() {
    JobId job = inTwoHours();
    at(Instant.now().plus(Duration.ofDays(1)));

    assertThat(waiting().jobs()).hasSize(2);
    remindAnotherUser(job);
    assertThat(details(job).payload()).contains("grace");
    assertThat(cancel(job)).isEqualTo(CancelResult.CANCELLED);
    assertThat(cancel(job)).isEqualTo(CancelResult.GONE);
    assertThat(waiting().jobs()).hasSize(1);
  }

  @Test
  void aPausedQueueIsNotDrainedBeforeItIsResumed() {
    JobId job = at(Instant.now());
    pauseForAnHour();
    assertThat(drain()).isZero();
    assertThat(whyNot(job))
        .startsWith("Queue emails has been paused by anna for ")
        .endsWith("Reason: The mail server is down. Fix: skipjack queues resume emails");
    resume();
    assertThat(drain()).isEqualTo(1);
  }

  @Test
  void aDeadJobIsRedriven() {
    JobId job = at(Instant.now());
    try (Worker worker =
        Worker.on(queue)
            .handle(REMIND, (reminder, context) -> Outcome.dead("no such user"))
            .queue("emails", 1)
            .build()) {
      worker.runUntilIdle();
    }
    assertThat(details(job).summary().status()).isEqualTo(JobStatus.DEAD);

    assertThat(redrive(job)).isEqualTo(new RedriveResult.Redriven());
    redriveAllReminders();
    assertThat(drain()).isEqualTo(1);
  }

  @Test
  void aWrongPayloadIsCorrectedAndItsJobRedriven() {
    JobId job = at(Instant.now());
    try (Worker worker =
        Worker.on(queue)
            .handle(
                REMIND,
                (reminder, context) -> {
                  throw new NoSuchElementException(reminder.user());
                })
            .queue("emails", 1)
            .build()) {
      worker.runUntilIdle();
    }

    assertThat(correctUserAndRedrive().done()).isEqualTo(1);
    assertThat(details(job).payload()).isEqualTo("{\"user\": \"grace\"}");
    assertThat(drain()).isEqualTo(1);
  }
}
