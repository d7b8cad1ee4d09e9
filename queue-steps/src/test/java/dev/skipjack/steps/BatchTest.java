package dev.skipjack.steps;

import static dev.skipjack.steps.BatchFixture.ALARM;
import static dev.skipjack.steps.BatchFixture.REPORT;
import static dev.skipjack.steps.BatchFixture.ROW;
import static dev.skipjack.steps.BatchFixture.SUCCESS;
import static dev.skipjack.steps.BatchFixture.rows;
import static dev.skipjack.steps.BatchFixture.succeeding;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.QueueException;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.steps.BatchFixture.Report;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.InlineRuns;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class BatchTest {

  private BatchFixture fixture;

  @BeforeEach
  void begin(QueueDatabase database) {
    fixture = new BatchFixture(database);
  }

  private void run() {
    fixture.worker().build().runUntilIdle();
  }

  @Test
  void callbacksRunOnceAfterTheLastJobOfASealedBatch() {
    Batch batch = fixture.open("import").add(ROW, succeeding(3));
    run();
    assertThat(fixture.isFinished(batch.id())).as("not sealed").isFalse();
    batch.add(ROW, succeeding(2)).seal();
    assertThat(fixture.isFinished(batch.id())).as("two jobs are live").isFalse();
    run();
    run();

    assertThat(fixture.callbacks)
        .containsExactlyInAnyOrder("report/" + batch.id(), "success/" + batch.id());
    BatchStatus status = fixture.status(batch.id());
    assertThat(status.total()).isEqualTo(5);
    assertThat(status.ended()).isEqualTo(5);
    assertThat(status.succeeded()).isTrue();
    assertThat(status.firstDeadAt()).isEmpty();
  }

  @Test
  void aBatchWhoseJobsHaveEndedFinishesWhenItIsSealed() {
    Batch ended = fixture.open("ended").add(ROW, succeeding(3));
    run();
    Batch empty = fixture.open("empty");
    ended.seal();
    empty.seal();

    assertThat(fixture.isFinished(ended.id())).isTrue();
    assertThat(fixture.isFinished(empty.id())).isTrue();
    assertThat(fixture.enqueued(REPORT)).isEqualTo(2);
  }

  @Test
  void aBatchIsOpenedAndSealedInACallersTransaction() throws Exception {
    BatchId[] id = new BatchId[1];
    fixture.inTransaction(
        connection -> {
          Batches bound = fixture.batches.in(connection);
          id[0] = BatchFixture.withCallbacks(bound.open("import")).add(ROW, succeeding(2)).seal();
          assertThat(fixture.batches.find(id[0])).isEmpty();
        });
    run();

    assertThat(fixture.callbacks).contains("report/" + id[0], "success/" + id[0]).hasSize(2);
  }

  @Test
  void progressCountsTheJobsOfEachStatus() {
    BatchId batch = fixture.open("import").add(ROW, rows(0, 0, 0, 1)).seal();
    List<dev.skipjack.api.spi.Execution> claimed = fixture.claim(2);
    fixture.queue.store().complete(claimed.subList(0, 1));

    BatchStatus status = fixture.status(batch);
    assertThat(status.jobs())
        .containsEntry(JobStatus.RUNNING, 1)
        .containsEntry(JobStatus.PENDING, 2)
        .containsEntry(JobStatus.DEAD, 0);
    assertThat(status.ended()).isEqualTo(1);
    assertThat(fixture.batches.unfinished(null, 10)).containsExactly(status);
    assertThat(fixture.batches.unfinished(batch, 10)).isEmpty();
  }

  @Test
  void deadJobsCountAsEnded() {
    BatchId batch = fixture.open("import").add(ROW, rows(0, 1, 1)).seal();
    run();

    assertThat(fixture.callbacks).containsExactlyInAnyOrder("report/" + batch, "alarm/" + batch);
    assertThat(fixture.status(batch).succeeded()).isFalse();
    assertThat(fixture.status(batch).dead()).isEqualTo(2);
  }

  @Test
  void aRedriveDoesNotReopenAFinishedBatch() {
    BatchId batch = fixture.open("import").add(ROW, rows(0, 1)).seal();
    run();
    assertThat(fixture.enqueued(REPORT)).isOne();
    assertThat(fixture.batches.redrive(batch).redriven()).isOne();
    assertThat(fixture.isFinished(batch)).isTrue();
    fixture.worker((row, job) -> Outcome.completed()).build().runUntilIdle();

    assertThat(fixture.enqueued(REPORT)).isOne();
    assertThat(fixture.enqueued(SUCCESS)).isZero();
    assertThat(fixture.status(batch).dead()).isZero();
  }

  @Test
  void aRedriveKeepsAnUnfinishedBatchOpen() {
    Batch batch = fixture.open("import").add(ROW, rows(1));
    run();
    assertThat(fixture.batches.redrive(batch.id()).redriven()).isOne();
    batch.seal();
    assertThat(fixture.isFinished(batch.id())).isFalse();
    fixture.worker((row, job) -> Outcome.completed()).build().runUntilIdle();

    assertThat(fixture.callbacks).contains("success/" + batch.id());
  }

  @Test
  void aBatchThatWaitsFinishesWhenItsDeadJobIsRedriven() {
    BatchId batch = fixture.open("import").whenDead(DeadPolicy.WAIT).add(ROW, rows(0, 1)).seal();
    run();
    assertThat(fixture.callbacks).containsExactly("alarm/" + batch);
    assertThat(fixture.batches.redrive(batch).redriven()).isOne();
    fixture.worker((row, job) -> Outcome.completed()).build().runUntilIdle();

    assertThat(fixture.callbacks)
        .containsExactlyInAnyOrder("alarm/" + batch, "report/" + batch, "success/" + batch);
  }

  @Test
  void aBatchThatWaitsFinishesWithoutSuccessWhenItsDeadJobIsPruned() {
    BatchId batch = fixture.open("import").whenDead(DeadPolicy.WAIT).add(ROW, rows(0, 1)).seal();
    run();
    fixture.queue.admin().prune(fixture.jobsOf(batch));

    assertThat(fixture.isFinished(batch)).as("checked after the prune").isTrue();
    assertThat(fixture.enqueued(SUCCESS)).isZero();
    assertThat(fixture.value("SELECT status FROM @jobs_archive WHERE last_error = 'no luck'"))
        .isEqualTo("cancelled");
  }

  @Test
  void theFirstDeadJobCancelsTheRest() {
    BatchId batch =
        fixture
            .open("import")
            .whenDead(DeadPolicy.CANCEL_REST)
            .add(ROW, rows(1))
            .add(ROW, succeeding(100), job -> job.delay(Duration.ofHours(1)))
            .seal();
    run();

    assertThat(fixture.callbacks).containsExactlyInAnyOrder("alarm/" + batch, "report/" + batch);
    assertThat(
            fixture.value(
                "SELECT count(*) FROM @jobs_archive WHERE status = 'cancelled' AND owner_id = "
                    + batch))
        .isEqualTo("100");
    assertThat(fixture.status(batch).cancelledAt()).isPresent();
  }

  @Test
  void aCancelledBatchFinishesWhenItsRunningJobHasEnded() {
    BatchId batch = fixture.open("import").add(ROW, succeeding(1_200)).seal();
    List<dev.skipjack.api.spi.Execution> running = fixture.claim(1);
    assertThat(fixture.batches.cancel(batch)).isTrue();
    BatchStatus status = fixture.status(batch);
    assertThat(status.live()).isOne();
    assertThat(status.finishedAt()).isEmpty();
    assertThatThrownBy(() -> fixture.batches.add(batch, ROW, succeeding(1)))
        .isInstanceOf(QueueException.class)
        .hasMessageContaining("it was cancelled");
    fixture.queue.store().complete(running);
    fixture.checks().check(List.of(batch.value()));

    assertThat(fixture.isFinished(batch)).isTrue();
    assertThat(fixture.enqueued(REPORT)).isOne();
    assertThat(fixture.enqueued(SUCCESS)).isZero();
    assertThat(fixture.batches.cancel(batch)).as("it has finished").isFalse();
  }

  @Test
  void anUnsealedBatchCanBeResumedOrCancelled() {
    BatchId killed = fixture.batches.open("killed").add(ROW, succeeding(1)).id();
    BatchId resumed =
        BatchFixture.withCallbacks(fixture.batches.resume(killed)).add(ROW, succeeding(1)).seal();
    BatchId unwanted = fixture.batches.open("unwanted").add(ROW, succeeding(1)).id();
    assertThat(fixture.batches.cancel(unwanted)).isTrue();
    run();

    assertThat(fixture.callbacks).contains("success/" + resumed);
    assertThat(fixture.isFinished(unwanted)).isTrue();
    assertThatThrownBy(() -> fixture.batches.resume(resumed).seal())
        .hasMessageContaining("Batch %s was not sealed".formatted(resumed));
  }

  @Test
  void aCancelByAnOperatorChecksTheBatch() {
    BatchId batch = fixture.open("import").add(ROW, succeeding(1)).seal();
    assertThat(fixture.queue.admin().cancel(fixture.jobsOf(batch)))
        .containsExactly(CancelResult.CANCELLED);

    assertThat(fixture.isFinished(batch)).isTrue();
    assertThat(fixture.enqueued(REPORT)).isOne();
  }

  @Test
  void aJobAddsMoreInTheTransactionThatCompletesIt() throws Exception {
    BatchId batch = fixture.open("import").add(ROW, rows(3)).seal();
    AtomicInteger finishedEarly = new AtomicInteger();
    Worker worker =
        fixture
            .worker(
                (row, job) -> {
                  try (Connection connection = fixture.database.connection()) {
                    connection.setAutoCommit(false);
                    job.completeIn(connection);
                    if (row.number() > 0) {
                      fixture
                          .batches
                          .in(connection)
                          .add(batch, ROW, rows(row.number() - 1, row.number() - 1));
                    }
                    fixture.checks().check(List.of(batch.value()));
                    finishedEarly.addAndGet(fixture.isFinished(batch) ? 1 : 0);
                    connection.commit();
                  }
                  if (row.number() > 0) {
                    fixture.checks().check(List.of(batch.value()));
                    finishedEarly.addAndGet(fixture.isFinished(batch) ? 1 : 0);
                  }
                  return Outcome.completed();
                })
            .build();
    worker.runUntilIdle();

    assertThat(finishedEarly).hasValue(0);
    assertThat(fixture.status(batch).total()).isEqualTo(15);
    assertThat(fixture.callbacks).contains("success/" + batch);
    assertThat(fixture.enqueued(REPORT)).isOne();
  }

  @Test
  void nothingIsAddedToAFinishedBatch() throws Exception {
    BatchId batch = fixture.open("import").seal();
    assertThatThrownBy(() -> fixture.batches.add(batch, ROW, succeeding(1)))
        .isInstanceOf(QueueException.class)
        .hasMessage(
            "Nothing was added to batch %s, because it has finished. Open another batch."
                .formatted(batch));
    assertThatThrownBy(() -> fixture.batches.add(new BatchId(4_711), ROW, succeeding(1)))
        .hasMessageContaining("there is no such batch");
    assertThatThrownBy(() -> fixture.batches.openIn(batch, "inner"))
        .hasMessageContaining("it has finished");
  }

  @Test
  void anOuterBatchFinishesAfterTheCallbacksOfItsInnerBatch() {
    Batch outer = fixture.open("outer").add(ROW, succeeding(1));
    BatchId inner =
        BatchFixture.withCallbacks(fixture.batches.openIn(outer.id(), "inner"))
            .add(ROW, succeeding(2))
            .seal();
    outer.seal();
    run();

    assertThat(fixture.callbacks)
        .containsExactlyInAnyOrder(
            "report/" + inner, "success/" + inner, "report/" + outer.id(), "success/" + outer.id());
    assertThat(fixture.callbacks.subList(0, 2))
        .containsExactlyInAnyOrder("report/" + inner, "success/" + inner);
    assertThat(fixture.status(inner).outer()).contains(outer.id());
    assertThat(fixture.status(outer.id()).total()).isEqualTo(4);
  }

  @Test
  void anOuterBatchDoesNotSucceedIfItsInnerBatchDoesNot() {
    Batch outer = fixture.open("outer");
    fixture.batches.openIn(outer.id(), "inner").add(ROW, rows(2)).seal();
    outer.seal();
    run();

    assertThat(fixture.callbacks).containsExactly("report/" + outer.id());
    assertThat(fixture.status(outer.id()).succeeded()).isFalse();
  }

  @Test
  void theCancellationOfABatchCancelsItsInnerBatches() {
    Batch outer = fixture.open("outer");
    BatchId inner = fixture.batches.openIn(outer.id(), "inner").add(ROW, succeeding(10)).seal();
    outer.seal();
    fixture.batches.cancel(outer.id());
    run();

    assertThat(fixture.isFinished(inner)).isTrue();
    assertThat(fixture.isFinished(outer.id())).isTrue();
    assertThat(fixture.callbacks).containsExactly("report/" + outer.id());
  }

  @Test
  void jobsOfABatchAreArchivedEvenIfTheirQueueKeepsNone() {
    fixture
        .queue
        .admin()
        .configure("rows", QueueSettings.defaults().archiveRetention(Duration.ZERO));
    fixture.queue.enqueue(ROW, new BatchFixture.Row(0));
    BatchId batch = fixture.open("import").add(ROW, rows(0, 0, 2)).seal();
    run();

    assertThat(fixture.status(batch).succeeded()).as("a job was cancelled").isFalse();
    assertThat(
            fixture.value(
                "SELECT string_agg(DISTINCT owner_id::text, ',') || ' ' || count(*) FROM @jobs_archive WHERE queue = 'rows'"))
        .isEqualTo(batch + " 3");
  }

  @Test
  void archivedJobsAreKeptAsLongAsTheirBatch() {
    fixture
        .queue
        .admin()
        .configure("rows", QueueSettings.defaults().archiveRetention(Duration.ZERO));
    BatchId batch = fixture.open("import").add(ROW, succeeding(2)).seal();
    run();
    fixture.queue.maintenance().removePartitions(dev.skipjack.api.Retention.defaults());
    assertThat(fixture.value("SELECT count(*) FROM @jobs_archive WHERE owner_id = " + batch))
        .isEqualTo("2");
    fixture.execute("DELETE FROM @job_batches");
    fixture.queue.maintenance().removePartitions(dev.skipjack.api.Retention.defaults());

    assertThat(fixture.value("SELECT count(*) FROM @jobs_archive WHERE owner_id = " + batch))
        .isEqualTo("0");
  }

  /** As in a test that rolls back: everything happens in the caller's transaction. */
  @Test
  void aBatchRunsWithinATransactionOfTheCaller() throws Exception {
    try (Connection connection = fixture.database.connection()) {
      connection.setAutoCommit(false);
      BatchId batch =
          BatchFixture.withCallbacks(fixture.batches.in(connection).open("import"))
              .add(ROW, succeeding(2))
              .seal();
      Worker worker =
          Worker.on(fixture.queue.within(() -> connection))
              .handle(ROW, (row, job) -> Outcome.completed())
              .handle(
                  REPORT,
                  (report, job) -> {
                    fixture.callbacks.add("report");
                    return Outcome.completed();
                  })
              .queue("rows", 1)
              .queue("reports", 1)
              .build();
      int ran = 0;
      while (worker.runNext()) {
        ran++;
      }
      assertThat(ran).isEqualTo(3);
      assertThat(fixture.batches.in(connection).find(batch).orElseThrow().succeeded()).isTrue();
      assertThat(fixture.batches.find(batch)).isEmpty();
      connection.rollback();
    }
    assertThat(fixture.callbacks).containsExactly("report");
  }

  @Test
  void inlineRunsRunTheJobsAndTheCallbacksOfABatch() {
    InlineRuns inline = new InlineRuns();
    JobQueue queue =
        JobQueue.builder(fixture.database.dataSource())
            .schema(fixture.database.schema())
            .interceptor(inline)
            .build();
    inline.by(fixture.worker().build());
    Batch batch = BatchFixture.withCallbacks(Batches.on(queue).open("import"));
    batch.add(ROW, succeeding(2));
    assertThat(fixture.status(batch.id()).ended()).isEqualTo(2);
    batch.seal();
    inline.run();

    assertThat(fixture.callbacks).hasSize(2);
  }

  @Test
  void aBatchIsPrunedThirtyDaysAfterItHasFinished() {
    BatchId old = fixture.open("old").seal();
    BatchId recent = fixture.open("recent").seal();
    BatchId open = fixture.open("open").id();
    fixture.execute(
        "UPDATE @job_batches SET created_at = now() - interval '40 days', finished_at = finished_at - CASE name WHEN 'old' THEN interval '31 days' ELSE interval '29 days' END");
    new BatchFixture(fixture.database).checks().sweep(); // a process that has just started

    assertThat(fixture.batches.find(old)).isEmpty();
    assertThat(fixture.batches.find(recent)).isPresent();
    assertThat(fixture.batches.find(open)).isPresent();
  }

  @Test
  void aRejectedPayloadOfACallbackOrAJobChangesNothing() {
    JobType<Report> ordered = REPORT.orderedBy(report -> "key");
    Batch batch = fixture.batches.open("import");
    assertThatThrownBy(() -> batch.onFinish(ordered, id -> new Report(1)))
        .hasMessageContaining("cannot be a callback");
    assertThatThrownBy(() -> batch.add(ROW, rows(1), job -> job.idempotencyKey("k")))
        .hasMessageContaining("neither a unique key nor an idempotency key");
    assertThatThrownBy(() -> fixture.batches.open(""))
        .hasMessageContaining("Batch name of 0 bytes");
    assertThat(fixture.status(batch.id()).total()).isZero();
  }

  @Test
  void aStartedWorkerFinishesABatchWithinMilliseconds() {
    try (Worker worker = fixture.worker().start()) {
      BatchId batch = fixture.open("import").add(ROW, succeeding(500)).seal();
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> fixture.callbacks.contains("report/" + batch));
      assertThat(worker.status().stuck()).isZero();
      assertThat(fixture.enqueued(REPORT)).isOne();
    }
  }

  /** The loops of a stopping worker end before its handlers do. */
  @Test
  void aWorkerThatStopsChecksTheBatchOfItsLastJob() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch stopping = new CountDownLatch(1);
    BatchId batch = fixture.open("import").add(ROW, succeeding(1)).seal();
    Worker worker =
        fixture
            .worker(
                (row, job) -> {
                  running.countDown();
                  stopping.await();
                  return Outcome.completed();
                })
            .start();
    running.await();
    Thread stop = new Thread(worker::stop);
    stop.start();
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !worker.status().started());
    stopping.countDown();
    stop.join();

    assertThat(fixture.isFinished(batch)).isTrue();
    assertThat(fixture.enqueued(REPORT)).isOne();
  }

  @Test
  void theSweepOfAWorkerFinishesWhatNoWorkerHasChecked() {
    BatchId[] ids =
        LongStream.range(0, 3)
            .mapToObj(n -> fixture.open("missed-" + n).add(ROW, succeeding(1)).seal())
            .toArray(BatchId[]::new);
    fixture.queue.store().complete(fixture.claim(3)); // as a worker that is killed after the commit
    assertThat(fixture.isFinished(ids[0])).isFalse();
    try (Worker worker = fixture.worker().start()) {
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> fixture.callbacks.size() == 6);
      assertThat(worker.status().running()).isZero();
    }
    assertThat(fixture.enqueued(REPORT)).isEqualTo(3);
    assertThat(fixture.enqueued(ALARM)).isZero();
  }
}
