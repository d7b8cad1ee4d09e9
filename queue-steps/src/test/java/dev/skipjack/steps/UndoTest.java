package dev.skipjack.steps;

import static dev.skipjack.steps.StepOptions.undo;
import static dev.skipjack.testkit.QueueAssertions.assertThatJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that the steps of dead and cancelled jobs are undone once, and those of others never. */
@QueueTest
class UndoTest {

  private static final JobType<String> FLOW = JobType.of("flow", String.class).maxAttempts(1);
  private static final JobType<String> UNDO =
      JobType.of("undo", String.class).onQueue("undos").maxAttempts(7).payloadVersion(2);

  private final List<String> ran = new ArrayList<>();
  private QueueDatabase database;
  private JobQueue queue;

  @BeforeEach
  void create(QueueDatabase database) {
    this.database = database;
    queue = JobQueue.on(database.dataSource());
  }

  private interface End {
    Outcome run(Steps steps) throws Exception;
  }

  private JobRuns flows(End end) {
    return JobRuns.with(
        Worker.on(queue)
            .handle(
                FLOW,
                (payload, job) -> {
                  Steps steps = Steps.of(job);
                  for (String name : List.of("account", "mailbox")) {
                    steps.run(
                        name,
                        String.class,
                        key -> {
                          ran.add(key.replaceFirst("^" + job.jobId() + "/", "job/"));
                          return name;
                        },
                        undo(UNDO, result -> "delete " + result));
                  }
                  steps.run("note", () -> ran.add("note"));
                  return end.run(steps);
                })
            .queue("default", 1)
            .build(),
        database);
  }

  /** A worker that knows the jobs that undo, but not the job whose steps they undo. */
  private JobRuns undos() {
    return JobRuns.with(
        Worker.on(queue)
            .handle(
                UNDO,
                (payload, job) -> {
                  ran.add(payload);
                  return Outcome.completed();
                })
            .queue("undos", 1)
            .build(),
        database);
  }

  private void sweep() {
    queue.sweepers().forEach(sweeper -> sweeper.sweep());
  }

  private List<String> enqueued() {
    return StepRows.query(
        database, "SELECT payload #>> '{}' FROM @jobs WHERE kind = 'undo' ORDER BY id");
  }

  @Test
  void compensationUndoesTheStepsNewestFirst() {
    JobId job = queue.enqueue(FLOW, "x");
    flows(steps -> steps.compensate("rejected")).due();
    assertThatJob(database, job).isDead().hasLastErrorContaining("rejected");
    assertThat(enqueued()).containsExactly("delete mailbox", "delete account");
    assertThat(
            StepRows.query(
                database,
                "SELECT DISTINCT concat_ws(' ', queue, ordering_key, max_attempts, payload_version)"
                    + " FROM @jobs WHERE kind = 'undo'"))
        .containsExactly("undos undo/" + job + " 7 2");
    undos().toTheEnd();
    assertThat(ran)
        .containsExactly("job/account", "job/mailbox", "note", "delete mailbox", "delete account");
  }

  @Test
  void deathUndoesTheSteps() {
    queue.enqueue(FLOW, "x");
    flows(
            steps -> {
              throw new IllegalStateException("last attempt");
            })
        .due();
    assertThat(enqueued()).containsExactly("delete mailbox", "delete account");
    sweep();
    assertThat(enqueued()).hasSize(2);
  }

  @Test
  void cancellationByTheHandlerUndoesTheSteps() {
    JobId job = queue.enqueue(FLOW, "x");
    flows(steps -> Outcome.cancelled("no longer wanted")).due();
    assertThatJob(database, job).isCancelled();
    assertThat(enqueued()).containsExactly("delete mailbox", "delete account");
    assertThat(StepRows.memos(database)).isEmpty();
    assertThat(StepRows.query(database, "SELECT jsonb_array_length(steps) FROM @jobs_archive"))
        .containsExactly("3");
  }

  @Test
  void completionUndoesNothing() {
    JobId job = queue.enqueue(FLOW, "x");
    flows(steps -> Outcome.completed()).due();
    sweep();
    assertThatJob(database, job).isCompleted();
    assertThat(enqueued()).isEmpty();
    assertThat(StepRows.memos(database)).isEmpty();
  }

  @Test
  void cancellationByAnOperatorIsUndoneByTheSweep() {
    JobId job = queue.enqueue(FLOW, "x");
    flows(
            steps -> {
              steps.sleep("nap", Duration.ofDays(1));
              return Outcome.completed();
            })
        .due();
    assertThat(queue.admin().cancel(List.of(job))).containsExactly(CancelResult.CANCELLED);
    sweep();
    assertThat(enqueued()).containsExactly("delete mailbox", "delete account");
    assertThat(StepRows.memos(database)).isEmpty();
    assertThat(StepRows.query(database, "SELECT jsonb_array_length(steps) FROM @jobs_archive"))
        .containsExactly("4");
    sweep();
    assertThat(enqueued()).hasSize(2);
  }

  @Test
  void cancellationIsUndoneEvenIfTheQueueKeepsNoEndedJobs() {
    queue.admin().configure("default", QueueSettings.defaults().noArchive());
    JobId job = queue.enqueue(FLOW, "x");
    flows(
            steps -> {
              steps.sleep("nap", Duration.ofDays(1));
              return Outcome.completed();
            })
        .due();
    queue.admin().cancel(List.of(job));
    sweep();
    assertThat(enqueued()).containsExactly("delete mailbox", "delete account");
  }

  @Test
  void jobThatDiesByARescueIsUndoneByAWorkerWithoutItsCode() {
    JobId job = queue.enqueue(FLOW, "x");
    flows(
            steps -> {
              database.loseLease(
                  new JobId(
                      Long.parseLong(StepRows.query(database, "SELECT id FROM @jobs").get(0))),
                  queue);
              return Outcome.completed();
            })
        .due();
    assertThatJob(database, job).isDead();
    assertThat(enqueued()).isEmpty();
    sweep();
    assertThat(enqueued()).containsExactly("delete mailbox", "delete account");
    undos().toTheEnd();
    assertThat(ran).endsWith("delete mailbox", "delete account");
  }

  @Test
  void redrivenJobRunsItsUndoneStepsAgainWithOtherKeys() {
    JobId job = queue.enqueue(FLOW, "x");
    flows(steps -> steps.compensate("rejected")).due();
    undos().toTheEnd();
    ran.clear();
    queue.admin().redrive(List.of(job));
    JobRuns runs = flows(steps -> steps.compensate("rejected again"));
    runs.toTheEnd();
    assertThat(ran).hasSize(2).allMatch(key -> key.matches("job/(account|mailbox)#[0-9]+"));
    assertThat(enqueued()).containsExactly("delete mailbox", "delete account");
    undos().toTheEnd();
    queue.admin().redrive(List.of(job));
    flows(steps -> Outcome.completed()).toTheEnd();
    assertThatJob(database, job).isCompleted();
    assertThat(enqueued()).isEmpty();
    assertThat(
            StepRows.query(
                database,
                "SELECT jsonb_array_length(steps) FROM @jobs_archive WHERE id = ?",
                job.value()))
        .containsExactly("3");
  }
}
