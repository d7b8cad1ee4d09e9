package dev.skipjack.operations.bulk;

import static dev.skipjack.store.jooq.Fixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobOperation.State;
import dev.skipjack.api.operations.JobOperations;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.OperationPreview;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.store.jooq.Fixture.Work;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class JooqJobOperationsTest {

  private Fixture fixture;
  private JobOperations operations;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    operations = fixture.queue.operations();
  }

  @Test
  void deadJobsOfAnErrorAreRedrivenInBatches() {
    die(1_200, "timeout");
    die(30, "bad payload");
    OperationPreview preview =
        operations.preview(OperationAction.REDRIVE, JobQuery.live().error("TIMEOUT"));
    assertThat(preview.jobs()).isEqualTo(1_200);
    assertThat(preview.atLeast()).isFalse();
    assertThat(preview.sample()).hasSize(5);
    assertThat(preview.filter().status()).isEqualTo(JobStatus.DEAD);

    List<Long> progress = new ArrayList<>();
    JobOperation operation = operations.start(preview, "anna");
    JobOperation ended = operations.run(operation.id(), step -> progress.add(step.done()));

    assertThat(progress).containsExactly(500L, 1_000L, 1_200L);
    assertThat(ended.state()).isEqualTo(State.FINISHED);
    assertThat(ended.finishedAt()).isNotNull();
    assertThat(ended.actor()).isEqualTo("anna");
    assertThat(count("status = 'pending'")).isEqualTo(1_200);
    assertThat(count("status = 'dead'")).isEqualTo(30);
  }

  @Test
  void jobsThatHaveNotBeenDeadForTheAgeAreNotPruned() {
    die(700, "timeout");
    fixture.execute("UPDATE @jobs SET died_at = now() - interval '2 h' WHERE id % 2 = 0");
    OperationPreview preview = operations.previewPrune(JobQuery.live(), Duration.ofHours(1));
    assertThat(preview.jobs()).isEqualTo(350);
    assertThat(preview.sample()).hasSize(5).allMatch(job -> job.id().value() % 2 == 0);
    JobOperation operation = operations.start(preview, "anna");
    // An operation that continues later uses the age at the time of the preview.
    fixture.execute("UPDATE @jobs SET died_at = now() WHERE id % 100 = 0");

    JobOperation ended = fixture.queue.operations().run(operation.id(), step -> {});

    assertThat(ended.done()).isEqualTo(343);
    assertThat(ended.diedBefore()).isEqualTo(preview.diedBefore());
    assertThat(count("status = 'dead'")).isEqualTo(357);
    assertThatThrownBy(() -> operations.previewPrune(JobQuery.live(), Duration.ofDays(36_501)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not in 0..36500 days");
  }

  @Test
  void jobsEnqueuedAfterThePreviewAreNotChanged() {
    fixture.enqueue(3);
    OperationPreview preview = operations.preview(OperationAction.CANCEL, JobQuery.live());
    fixture.enqueue(4);

    JobOperation ended = run(preview);

    assertThat(ended.done()).isEqualTo(3);
    assertThat(count("true")).isEqualTo(4);
  }

  @Test
  void aStoppedOperationContinuesAfterItsLastBatch() {
    die(1_200, "timeout");
    JobOperation operation =
        operations.start(operations.preview(OperationAction.PRUNE, JobQuery.live()), "anna");

    JobOperation stopped = operations.run(operation.id(), step -> operations.stop(step.id()));

    assertThat(stopped.state()).isEqualTo(State.STOPPED);
    assertThat(stopped.done()).isEqualTo(500);
    assertThat(count("status = 'dead'")).isEqualTo(700);
    assertThat(operations.stop(operation.id())).isFalse();
    JobOperation ended = operations.run(operation.id(), step -> {});
    assertThat(ended.state()).isEqualTo(State.FINISHED);
    assertThat(ended.done()).isEqualTo(1_200);
    assertThat(count("status = 'dead'")).isZero();
  }

  @Test
  void anOperationWhoseProcessDiedContinuesAndMayBeRepeated() {
    die(1_200, "timeout");
    JobOperation operation =
        operations.start(operations.preview(OperationAction.REDRIVE, JobQuery.live()), "anna");
    assertThatThrownBy(
            () ->
                operations.run(
                    operation.id(),
                    step -> {
                      throw new IllegalStateException("the process dies");
                    }))
        .hasMessage("the process dies");
    assertThat(operations.find(operation.id()).orElseThrow().done()).isEqualTo(500);

    JobOperation ended = fixture.queue.operations().run(operation.id(), step -> {});

    assertThat(ended.done()).isEqualTo(1_200);
    assertThat(count("status = 'pending'")).isEqualTo(1_200);
    assertThat(operations.run(operation.id(), step -> {})).isEqualTo(ended);
  }

  /** Simulates a process that ended before it recorded the jobs that it had changed. */
  @Test
  void aBatchThatWasChangedButNotRecordedIsHarmless() {
    die(700, "timeout");
    OperationPreview preview = operations.preview(OperationAction.REDRIVE, JobQuery.live());
    JobOperation operation = operations.start(preview, "anna");
    fixture.queue.admin().redrive(preview.sample().stream().map(job -> job.id()).toList());

    assertThat(operations.run(operation.id(), step -> {}).done()).isEqualTo(695);
    assertThat(count("status = 'pending'")).isEqualTo(700);
  }

  @Test
  void jobsThatCannotBeChangedAreSkippedWithAReason() {
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, died_at, freed_unique_key) VALUES ('work', '{}', 'dead', now(), 'k')");
    fixture.execute("INSERT INTO @jobs (kind, payload, unique_key) VALUES ('work', '{}', 'k')");

    JobOperation ended = run(operations.preview(OperationAction.REDRIVE, JobQuery.live()));

    assertThat(ended.done()).isZero();
    assertThat(ended.skipped()).isEqualTo(1);
    assertThat(ended.lastReason()).contains("was skipped: job ", "holds its unique key.");
  }

  @Test
  void delayedJobsAreMadeDue() {
    fixture.queue.enqueue(WORK, new Work(1), job -> job.delay(Duration.ofDays(2)).tags("vip"));
    fixture.queue.enqueue(WORK, new Work(2), job -> job.delay(Duration.ofDays(2)));

    JobOperation ended =
        run(operations.preview(OperationAction.RUN_NOW, JobQuery.live().tag("vip")));

    assertThat(ended.done()).isEqualTo(1);
    assertThat(count("scheduled_at <= now()")).isEqualTo(1);
  }

  @Test
  void deadJobsAreNotCancelled() {
    die(2, "timeout");
    fixture.enqueue(1);

    assertThat(operations.preview(OperationAction.CANCEL, JobQuery.live()).jobs()).isEqualTo(1);
    assertThat(run(operations.preview(OperationAction.CANCEL, JobQuery.live())).done())
        .isEqualTo(1);
    assertThat(count("status = 'dead'")).isEqualTo(2);
  }

  @Test
  void theRecordKeepsTheWholeFilter() {
    die(1, "timeout");
    JobQuery filter =
        JobQuery.live()
            .queue("default")
            .kind("work")
            .tag("vip")
            .error("timeout")
            .errorClass("Timeout")
            .errorGroup("Order * timed out")
            .since(Instant.EPOCH)
            .payload("user.id", "42");

    JobOperation operation =
        operations.start(operations.preview(OperationAction.PRUNE, filter), "anna");

    assertThat(operations.list(10)).containsExactly(operation);
    assertThat(operations.find(operation.id())).contains(operation);
    assertThat(operation.filter()).isEqualTo(filter.status(JobStatus.DEAD).limit(500));
    assertThat(run(operation).state()).isEqualTo(State.FINISHED);
  }

  @Test
  void invalidArgumentsAreRejected() {
    assertThatThrownBy(() -> operations.preview(OperationAction.CANCEL, JobQuery.archived()))
        .hasMessageContaining("JobQuery.live()");
    assertThatThrownBy(
            () ->
                operations.preview(
                    OperationAction.PRUNE, JobQuery.live().status(JobStatus.PENDING)))
        .hasMessage("PRUNE changes jobs of the status DEAD, not PENDING.");
    OperationPreview preview = operations.preview(OperationAction.CANCEL, JobQuery.live());
    assertThatThrownBy(() -> operations.start(preview, " ")).hasMessageStartingWith("Actor ' '");
    assertThatThrownBy(() -> operations.run(-1, step -> {}))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> operations.list(0)).isInstanceOf(IllegalArgumentException.class);
    assertThat(run(preview).state()).isEqualTo(State.FINISHED);
  }

  private JobOperation run(OperationPreview preview) {
    return run(operations.start(preview, "anna"));
  }

  private JobOperation run(JobOperation operation) {
    return operations.run(operation.id(), step -> {});
  }

  private void die(int count, String error) {
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, died_at, last_error) SELECT 'work', '{}', 'dead', now(), '%s' FROM generate_series(1, %d)"
            .formatted(error, count));
  }

  private long count(String condition) {
    return Long.parseLong(fixture.value("SELECT count(*) FROM @jobs WHERE " + condition));
  }
}
