package dev.skipjack.steps;

import static dev.skipjack.testkit.QueueAssertions.assertThatJob;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the testkit's assertions about steps. */
@QueueTest
class StepAssertionsTest {

  private static final JobType<String> FLOW =
      JobType.of("flow", String.class).retry(Backoff.fixed(Duration.ofHours(1)));
  private static final JobType<String> PART = JobType.of("part", String.class).onQueue("parts");

  @Test
  void assertionsFollowAJobThroughItsWaits(QueueDatabase database) {
    JobQueue queue = JobQueue.on(database.dataSource());
    JobRuns flows =
        JobRuns.with(
            Worker.on(queue)
                .handle(
                    FLOW,
                    (payload, job) -> {
                      Steps steps = Steps.of(job);
                      steps.run("first", () -> {});
                      steps.await("review", String.class, Duration.ofDays(7));
                      steps.sleep("nap", Duration.ofDays(3));
                      Children parts = steps.enqueueAll("parts", PART, List.of("a"));
                      steps.join(parts);
                      if (job.attempt() == 1) {
                        throw new IllegalStateException("after the join");
                      }
                      return Outcome.completed();
                    })
                .queue("default", 1)
                .build(),
            database);
    JobRuns parts =
        JobRuns.with(
            Worker.on(queue)
                .handle(PART, (payload, job) -> Outcome.completed())
                .queue("parts", 1)
                .build(),
            database);
    JobId job = queue.enqueue(FLOW, "x");
    assertThatJob(database, job).hasSteps();

    flows.due();
    assertThatJob(database, job).waitsFor("review").hasSteps("first").isDueIn(Duration.ofDays(7));
    assertThatThrownBy(() -> assertThatJob(database, job).waitsFor("nap"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("to wait for 'nap', but it is this")
        .hasMessageContaining("steps [first], waits for 'review'");
    assertThatThrownBy(() -> assertThatJob(database, job).hasSteps("other"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("to have recorded the steps [other]");

    Signals.on(queue).send(job, "review", "ok");
    assertThatJob(database, job).isDue();
    assertThatThrownBy(() -> assertThatJob(database, job).waitsFor("review"))
        .isInstanceOf(AssertionError.class);
    flows.due();
    assertThatJob(database, job).waitsFor("nap").hasSteps("first", "review", "nap");

    flows.dueWithin(Duration.ofDays(3));
    assertThatJob(database, job).waitsFor("parts").hasSteps("first", "review", "nap", "parts");
    parts.due();
    flows.due();
    assertThatJob(database, job).isDueWithin(Duration.ofHours(1)).hasLastErrorContaining("join");
    flows.toTheEnd();
    assertThatJob(database, job)
        .isCompleted()
        .hasSteps("first", "review", "nap", "parts", "parts/join");
  }
}
