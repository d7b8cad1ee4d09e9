package dev.skipjack.steps;

import static dev.skipjack.steps.BatchFixture.ALARM;
import static dev.skipjack.steps.BatchFixture.REPORT;
import static dev.skipjack.steps.BatchFixture.ROW;
import static dev.skipjack.steps.BatchFixture.SUCCESS;
import static dev.skipjack.steps.BatchFixture.rows;
import static dev.skipjack.steps.BatchFixture.succeeding;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobError;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.QueueException;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a batch finishes once and not too early, whatever happens at the same time. */
@QueueTest
class BatchRacesTest {

  private BatchFixture fixture;
  private JobStore store;

  @BeforeEach
  void begin(QueueDatabase database) {
    fixture = new BatchFixture(database);
    store = fixture.queue.store();
  }

  private void check(BatchId batch) {
    fixture.checks().check(List.of(batch.value()));
  }

  /** Completes jobs as a worker does, which tries again while a row is locked. */
  private void complete(List<Execution> executions) {
    for (Execution execution : executions) {
      Verdict verdict;
      do {
        verdict = store.complete(List.of(execution)).get(0);
      } while (verdict == Verdict.BUSY);
      assertThat(verdict).isEqualTo(Verdict.DONE);
    }
  }

  private void assertFinishedOnce(BatchId batch) {
    assertThat(fixture.isFinished(batch)).isTrue();
    assertThat(fixture.enqueued(REPORT)).isOne();
  }

  /** Each of the last two jobs is live for the transaction that ends the other one. */
  @Test
  void theLaterCommitOfTheLastTwoJobsFinishesTheBatch() throws Exception {
    BatchId batch = fixture.open("import").add(ROW, succeeding(2)).seal();
    List<Execution> last = fixture.claim(2);
    try (Connection one = fixture.database.connection();
        Connection other = fixture.database.connection()) {
      one.setAutoCommit(false);
      other.setAutoCommit(false);
      store.completeIn(one, last.get(0));
      store.completeIn(other, last.get(1));
      one.commit();
      check(batch);
      assertThat(fixture.isFinished(batch)).as("the other job has not ended").isFalse();
      other.commit();
      check(batch);
    }

    assertFinishedOnce(batch);
    assertThat(fixture.enqueued(SUCCESS)).isOne();
  }

  /** Both jobs are committed before either worker checks, so both checks find no live job. */
  @RepeatedTest(10)
  void twoChecksAtTheSameTimeFinishTheBatchOnce() throws Exception {
    BatchId batch = fixture.open("import").add(ROW, succeeding(2)).seal();
    complete(fixture.claim(2));

    together(2, number -> () -> check(batch));

    assertFinishedOnce(batch);
  }

  /** 16 threads end one job each, and check, at the same time. */
  @RepeatedTest(3)
  void sixteenConcurrentEndersEnqueueEachCallbackOnce() throws Exception {
    BatchId batch = fixture.open("import").add(ROW, succeeding(48)).seal();
    List<Execution> claimed = fixture.claim(48);

    together(
        16,
        number ->
            () -> {
              for (int i = number; i < claimed.size(); i += 16) {
                if (i == 17) {
                  store.fail(
                      List.of(
                          new Failure(
                              claimed.get(i), JobError.of("no luck"), Duration.ZERO, true)));
                } else {
                  complete(List.of(claimed.get(i)));
                }
                check(batch);
              }
            });

    assertFinishedOnce(batch);
    assertThat(fixture.enqueued(ALARM)).isOne();
    assertThat(fixture.enqueued(SUCCESS)).isZero();
  }

  /** An addition that has not committed holds the row, so the batch does not finish meanwhile. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anOpenAdditionKeepsTheBatchOpen(boolean commits) throws Exception {
    BatchId batch = fixture.open("import").add(ROW, succeeding(1)).seal();
    try (Connection adder = fixture.database.connection()) {
      adder.setAutoCommit(false);
      fixture.batches.in(adder).add(batch, ROW, succeeding(1));
      complete(fixture.claim(1));
      check(batch);
      assertThat(fixture.isFinished(batch)).as("the addition is not committed").isFalse();
      if (commits) {
        adder.commit();
      } else {
        adder.rollback();
      }
    }
    fixture.checks().sweep();
    assertThat(fixture.isFinished(batch)).isEqualTo(!commits);
    complete(fixture.claim(1));
    check(batch);

    assertFinishedOnce(batch);
    assertThat(fixture.status(batch).total()).isEqualTo(commits ? 2 : 1);
  }

  /**
   * The addition commits between the snapshot of the statement that finishes the batch and its
   * lock. A function that waits for an advisory lock keeps the statement in between.
   */
  @Test
  void anAdditionThatCommitsDuringTheFinishKeepsTheBatchOpen() throws Exception {
    BatchId batch = fixture.open("import").add(ROW, succeeding(1)).seal();
    complete(fixture.claim(1));
    fixture.execute(
        """
        CREATE FUNCTION @held(batch bigint) RETURNS bigint LANGUAGE plpgsql VOLATILE AS
        $$ BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN batch; END $$
        """);
    try (Connection gate = fixture.database.connection();
        Connection finisher = fixture.database.connection()) {
      gate.setAutoCommit(false);
      try (var lock = gate.createStatement()) {
        lock.execute("SELECT pg_advisory_xact_lock(4711)");
      }
      // The statement of the finish, whose ids are computed after it has taken its snapshot.
      String text =
          SettleBatchesStatement.of(fixture.queue.extension().dialect().get()).text().sql();
      int at = text.indexOf('?');
      String held =
          text.substring(0, at)
              + fixture.inSchema("(SELECT array_agg(@held(b)) FROM unnest(?) AS b)")
              + text.substring(at + 1);
      CompletableFuture<Boolean> finished =
          CompletableFuture.supplyAsync(
              () -> {
                try (var settle = finisher.prepareStatement(held)) {
                  settle.setArray(1, finisher.createArrayOf("int8", new Long[] {batch.value()}));
                  try (var rows = settle.executeQuery()) {
                    return rows.next();
                  }
                } catch (SQLException failure) {
                  throw new AssertionError(failure);
                }
              });
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () ->
                  fixture
                      .value(
                          "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
                      .equals("1"));
      fixture.batches.add(batch, ROW, succeeding(1));
      gate.commit();
      assertThat(finished.get()).as("whether the batch was finished").isFalse();
    }
    assertThat(fixture.isFinished(batch)).isFalse();
    complete(fixture.claim(1));
    check(batch);

    assertFinishedOnce(batch);
  }

  /** Additions and ends compete: an accepted job is always ended before the batch finishes. */
  @RepeatedTest(5)
  void everyAcceptedJobEndsBeforeTheBatchFinishes() throws Exception {
    BatchId batch = fixture.open("import").add(ROW, succeeding(1)).seal();
    List<Long> accepted = new ArrayList<>();
    together(
        3,
        number ->
            () -> {
              if (number == 0) {
                try {
                  for (int i = 0; i < 50; i++) {
                    synchronized (accepted) {
                      fixture
                          .batches
                          .add(batch, ROW, succeeding(1))
                          .forEach(job -> accepted.add(job.value()));
                    }
                  }
                } catch (QueueException finished) {
                  assertThat(finished).hasMessageContaining("it has finished");
                }
              } else {
                for (int i = 0; i < 100; i++) {
                  complete(fixture.claim(1));
                  check(batch);
                }
              }
            });
    fixture.worker().build().runUntilIdle();

    assertFinishedOnce(batch);
    assertThat(
            fixture.value(
                "SELECT count(*) FROM @jobs_archive WHERE owner_id = %s AND finished_at > (SELECT finished_at FROM @job_batches)"
                    .formatted(batch)))
        .isEqualTo("0");
    assertThat(fixture.status(batch).total()).isEqualTo(1 + accepted.size());
  }

  /** The seal and the end of the last job do not see each other until they have committed. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theLaterCommitOfTheSealAndTheLastEndFinishesTheBatch(boolean sealFirst) throws Exception {
    Batch batch = fixture.open("import").add(ROW, succeeding(1));
    List<Execution> last = fixture.claim(1);
    try (Connection ender = fixture.database.connection();
        Connection sealer = fixture.database.connection()) {
      ender.setAutoCommit(false);
      sealer.setAutoCommit(false);
      store.completeIn(ender, last.get(0));
      BatchFixture.withCallbacks(fixture.batches.in(sealer).resume(batch.id())).seal();
      (sealFirst ? sealer : ender).commit();
      check(batch.id());
      assertThat(fixture.isFinished(batch.id())).isFalse();
      (sealFirst ? ender : sealer).commit();
      check(batch.id());
    }

    assertFinishedOnce(batch.id());
  }

  @RepeatedTest(10)
  void aSealAndTheLastEndAtTheSameTimeFinishTheBatchOnce() throws Exception {
    Batch batch = fixture.open("import").add(ROW, succeeding(1));
    List<Execution> last = fixture.claim(1);

    together(
        2,
        number ->
            () -> {
              if (number == 0) {
                batch.seal(); // it checks after its commit
              } else {
                complete(last);
                check(batch.id());
              }
            });

    assertFinishedOnce(batch.id());
  }

  /** A batch whose row another transaction has locked is left to the next sweep. */
  @Test
  void aLockedBatchIsLeftToTheNextSweep() throws Exception {
    BatchId batch = fixture.open("import").add(ROW, succeeding(1)).seal();
    BatchId other = fixture.open("other").add(ROW, succeeding(1)).seal();
    complete(fixture.claim(2));
    fixture.inTransaction(
        connection -> {
          try (var lock = connection.createStatement()) {
            lock.execute(
                fixture.inSchema(
                    "SELECT FROM @job_batches WHERE id = %s FOR UPDATE".formatted(batch)));
          }
          fixture.checks().check(List.of(batch.value(), other.value()));
          assertThat(fixture.isFinished(batch)).isFalse();
          assertThat(fixture.isFinished(other)).isTrue();
        });
    fixture.checks().sweep();

    assertThat(fixture.isFinished(batch)).isTrue();
  }

  /** A stored callback that cannot be enqueued holds up neither other batches nor the sweep. */
  @Test
  void aBatchThatCannotFinishDoesNotAffectOthers() {
    BatchId broken = fixture.open("broken").add(ROW, succeeding(1)).seal();
    BatchId other = fixture.open("other").add(ROW, succeeding(1)).seal();
    complete(fixture.claim(2));
    fixture.execute(
        """
        CREATE FUNCTION @refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no'; END $$
        """);
    fixture.execute(
        "CREATE TRIGGER refuse BEFORE UPDATE ON @job_batches FOR EACH ROW WHEN (OLD.name = 'broken') EXECUTE FUNCTION @refuse()");
    try {
      fixture.checks().sweep();

      assertThat(fixture.isFinished(broken)).isFalse();
      assertThat(fixture.isFinished(other)).isTrue();
    } finally {
      fixture.execute("DROP TRIGGER refuse ON @job_batches");
    }
    fixture.checks().sweep();
    assertThat(fixture.isFinished(broken)).isTrue();
  }

  @Test
  void aStoredCallbackMayHaveOddNumbers() {
    BatchId batch = fixture.open("import").seal();
    BatchId odd = fixture.open("odd").add(ROW, succeeding(1)).seal();
    fixture.execute("UPDATE @job_batches SET finish_payload_version = -7 WHERE id = " + odd);
    complete(fixture.claim(1));
    check(odd);

    assertThat(fixture.isFinished(batch)).isTrue();
    assertThat(fixture.isFinished(odd)).isTrue();
  }

  /** Two started workers drain many batches of a few jobs each, with deaths and cancellations. */
  @Test
  void concurrentWorkersFinishManyBatchesOnce() {
    int batches = 60;
    try (Worker one = fixture.worker().start();
        Worker two = fixture.worker().start()) {
      List<BatchId> opened = new ArrayList<>();
      for (int i = 0; i < batches; i++) {
        opened.add(fixture.open("batch-" + i).add(ROW, rows(0, 0, i % 3, 0)).seal());
      }
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> fixture.callbacks.size() == batches + 2 * batches / 3);
      assertThat(opened).allMatch(fixture::isFinished);
      assertThat(one.status().stuck() + two.status().stuck()).isZero();
    }
    assertThat(fixture.enqueued(REPORT)).isEqualTo(batches);
    assertThat(fixture.enqueued(SUCCESS)).isEqualTo(batches / 3);
    assertThat(fixture.enqueued(ALARM)).isEqualTo(batches / 3);
  }

  @Test
  void aRescueThatEndsTheLastJobFinishesTheBatch() {
    BatchId batch = fixture.open("import").add(ROW, succeeding(1)).seal();
    assertThat(fixture.claim(1)).hasSize(1);
    fixture.execute("UPDATE @jobs SET lease_expires_at = now() - interval '1 s'");
    try (Worker worker =
        fixture.worker((row, job) -> Outcome.completed()).name("rescuer").start()) {
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> fixture.callbacks.contains("report/" + batch));
      assertThat(worker.status().running()).isZero();
    }
    assertThat(fixture.callbacks).contains("alarm/" + batch);
  }

  @Test
  void anUnknownOwnerIsIgnored() {
    assertThat(fixture.checks().check(List.of(4_711L)).open()).isFalse();
  }

  /** The work of a thread. */
  @FunctionalInterface
  private interface Numbered {
    Action of(int number);
  }

  @FunctionalInterface
  private interface Action {
    void run() throws Exception;
  }

  private static void together(int threads, Numbered work) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      CyclicBarrier start = new CyclicBarrier(threads);
      List<Callable<Void>> all = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        Action action = work.of(i);
        all.add(
            () -> {
              start.await();
              action.run();
              return null;
            });
      }
      for (Future<Void> done : pool.invokeAll(all)) {
        done.get();
      }
    } catch (ExecutionException failure) {
      throw new AssertionError(failure.getCause());
    } finally {
      pool.shutdownNow();
    }
  }
}
