package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.worker.WorkerEvent.Cancelled;
import dev.skipjack.worker.WorkerEvent.Dead;
import dev.skipjack.worker.WorkerEvent.Failed;
import dev.skipjack.worker.WorkerEvent.Lost;
import dev.skipjack.worker.WorkerEvent.Released;
import dev.skipjack.worker.WorkerEvent.Snoozed;
import dev.skipjack.worker.WorkerEvent.Succeeded;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class OutcomeFlusherTest {

  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Ending COMPLETED = Ending.Completed.PLAIN;

  @Test
  void oneStatementWritesAllOutcomesOfAKind() {
    Held held = new Held(LONG);
    List<Attempt> attempts = held.claim(6);
    offer(held, attempts.subList(0, 3), COMPLETED);
    offer(held, attempts.subList(3, 4), failed(false));
    offer(held, attempts.subList(4, 5), failed(true));
    offer(held, attempts.subList(5, 6), requeued(ExecutionStatus.SNOOZED));

    held.flusher.run();

    assertThat(held.store.calls).containsExactly("complete", "fail", "requeue");
    assertThat(held.events.all(Succeeded.class)).hasSize(3);
    assertThat(held.events.all(Failed.class)).hasSize(1);
    assertThat(held.events.all(Dead.class)).hasSize(1);
    assertThat(held.events.all(Snoozed.class)).hasSize(1);
    assertThat(held.running.size()).isZero();
  }

  @Test
  void aLostAttemptIsReportedAndNotRetried() {
    Held held = new Held(LONG);
    List<Attempt> attempts = held.claim(2);
    ExecutionId thief = held.store.steal(attempts.get(0).execution().jobId());
    offer(held, attempts, COMPLETED);

    held.flusher.run();

    assertThat(held.events.all(Lost.class))
        .containsExactly(new Lost(attempts.get(0).info(), thief));
    assertThat(held.store.calls).containsExactly("complete", "heartbeat");
    assertThat(held.events.all(Succeeded.class)).hasSize(1);
    assertThat(held.running.size()).isZero();
  }

  /** A job that is waiting or has ended has no holder. */
  @Test
  void aStaleOutcomeIsReportedWithTheHolderOfTheJob() {
    Held held = new Held(LONG);
    List<Attempt> attempts = held.claim(3);
    ExecutionId thief = held.store.steal(attempts.get(0).execution().jobId());
    held.store.complete(List.of(attempts.get(1).execution()));
    held.store.requeue(List.of(back(attempts.get(2))));
    offer(held, attempts.subList(0, 1), failed(true));
    offer(held, attempts.subList(1, 2), requeued(ExecutionStatus.RELEASED));
    offer(held, attempts.subList(2, 3), new Ending.Cancelled("no"));

    held.flusher.run();

    assertThat(held.events.all(Lost.class))
        .containsExactlyInAnyOrder(
            new Lost(attempts.get(0).info(), thief),
            new Lost(attempts.get(1).info(), null),
            new Lost(attempts.get(2).info(), null));
    assertThat(held.running.size()).isZero();
  }

  @Test
  void aLossIsReportedEvenIfTheHolderIsUnknown() {
    Held held = new Held(LONG);
    Attempt attempt = held.claim(1).get(0);
    held.store.steal(attempt.execution().jobId());
    held.store.fault = failing("heartbeat", "08006");
    offer(held, List.of(attempt), COMPLETED);

    held.flusher.run();

    assertThat(held.events.all(Lost.class)).containsExactly(new Lost(attempt.info(), null));
    assertThat(held.running.size()).isZero();
  }

  /** The claim of another worker may lock hundreds of rows that this worker completes. */
  @Test
  void busyRowsAreRetriedTogetherUntilTheyAreFree() {
    Held held = new Held(LONG);
    List<Attempt> attempts = held.claim(10);
    List<Attempt> locked = attempts.subList(0, 9);
    locked.forEach(attempt -> held.store.hold(attempt.execution().jobId(), true));
    List<Integer> sizes = new CopyOnWriteArrayList<>();
    held.store.fault =
        new MemoryStore.Fault() {
          @Override
          public void before(String call, int size) {
            sizes.add(size);
          }
        };
    offer(held, attempts, COMPLETED);

    await()
        .until(
            () -> {
              held.flusher.run();
              return sizes.size() == 3;
            });
    assertThat(held.running.all()).containsExactlyInAnyOrderElementsOf(locked);
    locked.forEach(attempt -> held.store.hold(attempt.execution().jobId(), false));

    drain(held);
    assertThat(sizes).containsExactly(10, 9, 9, 9);
    assertThat(held.events.all(Succeeded.class)).hasSize(10);
  }

  @Test
  void aRowThatIsBusyForAWholeLeaseIsGivenUp() {
    Held held = new Held(Duration.ofMillis(150));
    List<Attempt> attempts = held.claim(1);
    held.store.hold(attempts.get(0).execution().jobId(), true);
    offer(held, attempts, COMPLETED);

    drain(held);

    assertThat(held.events.all(Lost.class)).hasSize(1);
    assertThat(held.store.count(JobStatus.RUNNING)).isEqualTo(1);
  }

  @Test
  void anUnavailableDatabaseLosesNoOutcomeEvenBeyondTheLease() {
    Held held = new Held(Duration.ofMillis(100));
    List<Attempt> attempts = held.claim(3);
    held.store.fault = failing("complete", "08006");
    offer(held, attempts, COMPLETED);

    await().atMost(Duration.ofSeconds(30)).until(() -> !attempts.get(0).lease().isHeld());
    assertThatThrownBy(held.flusher::run).isInstanceOf(StoreException.class);
    assertThat(held.running.size()).isEqualTo(3);

    held.store.fault = new MemoryStore.Fault() {};
    held.flusher.run();
    assertThat(held.events.all(Succeeded.class)).hasSize(3);
  }

  /** A rejected batch is repeated and then split, and only its bad row is lost. */
  @Test
  void outcomeThatCannotBeWrittenAffectsNoOther() {
    Held held = new Held(Duration.ofMillis(500));
    List<Attempt> attempts = held.claim(60);
    List<Integer> sizes = new CopyOnWriteArrayList<>();
    held.store.fault =
        new MemoryStore.Fault() {
          @Override
          public void before(String call, int size) {
            sizes.add(size);
            if (size > 1 || held.running.size() == 1) {
              throw failure("22P05");
            }
          }
        };
    offer(held, attempts, COMPLETED);

    drain(held);

    int whole = 0;
    for (int tried = 0; tried < 120; whole++) {
      tried += sizes.get(whole); // a busy machine may repeat the first 60 in several batches
    }
    int alone = sizes.indexOf(1);
    assertThat(sizes).startsWith(60);
    assertThat(sizes.subList(0, whole).stream().mapToInt(size -> size).sum()).isEqualTo(120);
    assertThat(sizes.subList(whole, alone)).allSatisfy(size -> assertThat(size).isBetween(2, 25));
    assertThat(sizes.subList(alone, sizes.size())).containsOnly(1);
    assertThat(held.events.all(Succeeded.class)).hasSize(59);
    assertThat(held.events.all(Lost.class)).hasSize(1);
    assertThat(attempts.get(59).lease().isRenewable()).isFalse();
  }

  /** A statement_timeout aborts a batch that is too large, although the database is available. */
  @Test
  void aBatchThatIsAbortedIsWrittenInSmallerOnes() {
    Held held = new Held(LONG);
    List<Attempt> attempts = held.claim(60);
    held.store.fault =
        new MemoryStore.Fault() {
          @Override
          public void before(String call, int size) {
            if (size > 5) {
              throw failure("57014");
            }
          }
        };
    offer(held, attempts, COMPLETED);

    drain(held);

    assertThat(held.events.all(Succeeded.class)).hasSize(60);
  }

  /**
   * The commit succeeds, its response is lost, and the database is unavailable until the lease has
   * expired.
   */
  @Test
  void writeWhoseResponseWasLostIsNotALossAfterTheLeaseExpired() {
    assertToldBeyondTheLease(COMPLETED, Succeeded.class);
    assertToldBeyondTheLease(new Ending.Completed("1"), Succeeded.class);
    assertToldBeyondTheLease(failed(false), Failed.class);
    assertToldBeyondTheLease(failed(true), Dead.class);
    assertToldBeyondTheLease(requeued(ExecutionStatus.SNOOZED), Snoozed.class);
    assertToldBeyondTheLease(requeued(ExecutionStatus.RELEASED), Released.class);
    assertToldBeyondTheLease(new Ending.Cancelled("no"), Cancelled.class);
  }

  private static void assertToldBeyondTheLease(Ending ending, Class<? extends WorkerEvent> as) {
    Held held = new Held(Duration.ofMillis(100));
    List<Attempt> attempts = held.claim(1);
    held.store.fault =
        new MemoryStore.Fault() {
          @Override
          public void after(String call, int size) {
            throw answerLost();
          }
        };
    offer(held, attempts, ending);
    assertThatThrownBy(held.flusher::run).isInstanceOf(StoreException.class);
    await().until(() -> !attempts.get(0).lease().isHeld());

    held.store.fault = new MemoryStore.Fault() {};
    held.flusher.run();

    assertThat(held.events.all(Lost.class)).as("%s", ending).isEmpty();
    assertThat(held.events.all(as)).as("%s", ending).hasSize(1);
    assertThat(held.running.size()).isZero();
  }

  @Test
  void aWriteThatWasNotExecutedIsALossEvenIfItsResponseWasLost() {
    Held held = new Held(Duration.ofMillis(100));
    List<Attempt> attempts = held.claim(1);
    held.store.fault =
        new MemoryStore.Fault() {
          @Override
          public void before(String call, int size) {
            throw answerLost();
          }
        };
    offer(held, attempts, COMPLETED);
    assertThatThrownBy(held.flusher::run).isInstanceOf(StoreException.class);
    await().until(() -> !attempts.get(0).lease().isHeld());
    held.store.fault = new MemoryStore.Fault() {};
    ExecutionId thief = held.store.steal(attempts.get(0).execution().jobId());

    held.flusher.run();

    assertThat(held.events.all(Lost.class))
        .containsExactly(new Lost(attempts.get(0).info(), thief));
    assertThat(held.events.all(Succeeded.class)).isEmpty();
  }

  /** A loss is reported only after the audit has been read. */
  @Test
  void anAuditThatCannotBeReadIsReadAgain() {
    Held held = new Held(Duration.ofMillis(100));
    List<Attempt> attempts = held.claim(1);
    held.store.fault = lostAnswer("complete");
    offer(held, attempts, COMPLETED);
    assertThatThrownBy(held.flusher::run).isInstanceOf(StoreException.class);
    await().until(() -> !attempts.get(0).lease().isHeld());
    held.store.fault = failing("statuses", "08006");
    assertThatThrownBy(held.flusher::run).isInstanceOf(StoreException.class);
    assertThat(held.events.all(Lost.class)).isEmpty();

    held.store.fault = new MemoryStore.Fault() {};
    held.flusher.run();

    assertThat(held.events.all(Succeeded.class)).hasSize(1);
    assertThat(held.events.all(Lost.class)).isEmpty();
    assertThat(held.running.size()).isZero();
  }

  @Test
  void completionByTheHandlerIsNotALossAfterTheLeaseExpired() throws Exception {
    Held held = new Held(Duration.ofMillis(100));
    Attempt attempt = held.claim(1).get(0);
    attempt.begin();
    Connection transaction = held.store.begin();
    held.store.completeIn(transaction, attempt.execution());
    attempt.completion().noteWritten();
    transaction.commit();
    await().until(() -> !attempt.lease().isHeld());

    held.heartbeat.run();
    assertThat(held.events.all(Lost.class)).isEmpty();
    attempt.finish();
    offer(
        held, List.of(attempt), new Ending.CompletedByHandler((Ending.Failed) failed(false), true));
    held.flusher.run();

    assertThat(held.events.all(Succeeded.class)).hasSize(1);
    assertThat(held.events.all(Lost.class)).isEmpty();
  }

  @Test
  void aWriteWhoseResponseWasLostCountsAsDone() {
    Held held = new Held(LONG);
    List<Attempt> attempts = held.claim(3);
    held.store.fault =
        new MemoryStore.Fault() {
          @Override
          public void after(String call, int size) {
            throw answerLost();
          }
        };
    offer(held, attempts.subList(0, 1), COMPLETED);
    assertThatThrownBy(held.flusher::run).isInstanceOf(StoreException.class);
    offer(held, attempts.subList(1, 2), failed(true));
    offer(held, attempts.subList(2, 3), requeued(ExecutionStatus.RELEASED));
    held.store.fault = lostAnswer("fail");
    assertThatThrownBy(held.flusher::run).isInstanceOf(StoreException.class);
    held.store.fault = lostAnswer("requeue");
    assertThatThrownBy(held.flusher::run).isInstanceOf(StoreException.class);
    held.store.fault = new MemoryStore.Fault() {};

    drain(held);

    assertThat(held.events.all(Succeeded.class)).hasSize(1);
    assertThat(held.events.all(Dead.class)).hasSize(1);
    assertThat(held.events.all(Released.class)).hasSize(1);
    assertThat(held.events.all(Lost.class)).isEmpty();
  }

  /** A completion by the handler must not be mistaken for the release that was rejected. */
  @Test
  void aWriteThatWasRefusedDoesNotCountAsDone() throws Exception {
    Held held = new Held(LONG);
    Attempt attempt = held.claim(1).get(0);
    offer(held, List.of(attempt), requeued(ExecutionStatus.RELEASED));
    held.store.fault = failing("requeue", "55000");
    held.flusher.run();
    held.store.fault = new MemoryStore.Fault() {};
    try (Transaction transaction = new Transaction(held.store)) {
      held.store.completeIn(transaction.connection(), attempt.execution());
      attempt.completion().noteWritten();
      transaction.connection().commit();
    }

    drain(held);

    assertThat(held.events.all(Succeeded.class)).hasSize(1);
    assertThat(held.events.all(Released.class)).isEmpty();
  }

  @Test
  void aCommittedCompletionIsDetected() throws Exception {
    Held held = new Held(LONG);
    Attempt attempt = held.claim(1).get(0);
    try (Transaction transaction = new Transaction(held.store)) {
      held.store.completeIn(transaction.connection(), attempt.execution());
      attempt.completion().noteWritten();
      transaction.connection().commit();
    }
    offer(held, List.of(attempt), completedByHandler());

    drain(held);

    assertThat(held.events.all(Succeeded.class)).hasSize(1);
  }

  @Test
  void aRolledBackCompletionIsAFailedAttempt() {
    Held held = new Held(LONG);
    Attempt attempt = held.claim(1).get(0);
    attempt.completion().noteWritten();
    offer(held, List.of(attempt), completedByHandler());

    drain(held);

    assertThat(held.events.all(Failed.class)).hasSize(1);
    assertThat(held.store.error(attempt.execution().jobId())).isEqualTo("error");
  }

  /** The worker's lease seems valid, but the job still exists, so it was not completed. */
  @Test
  void aRolledBackCompletionWhoseJobAnotherWorkerHoldsIsALoss() {
    Held held = new Held(LONG);
    List<Attempt> attempts = held.claim(2);
    attempts.forEach(attempt -> attempt.completion().noteWritten());
    ExecutionId thief = held.store.steal(attempts.get(0).execution().jobId());
    held.store.requeue(List.of(back(attempts.get(1))));
    offer(held, attempts, completedByHandler());

    drain(held);

    assertThat(held.events.all(Succeeded.class)).isEmpty();
    assertThat(held.events.all(Lost.class))
        .containsExactlyInAnyOrder(
            new Lost(attempts.get(0).info(), thief), new Lost(attempts.get(1).info(), null));
  }

  @Test
  void aCompletionThatIsStillOpenIsCheckedAgain() throws Exception {
    Held held = new Held(LONG);
    Attempt attempt = held.claim(1).get(0);
    try (Transaction transaction = new Transaction(held.store)) {
      held.store.completeIn(transaction.connection(), attempt.execution());
      attempt.completion().noteWritten();
      offer(held, List.of(attempt), completedByHandler());
      held.flusher.run();
      assertThat(held.running.size()).isEqualTo(1);

      transaction.connection().commit();
    }
    drain(held);
    assertThat(held.events.all(Succeeded.class)).hasSize(1);
  }

  @Test
  void theOutcomesThatAreLeftAreWrittenAtTheEnd() {
    Held held = new Held(LONG);
    offer(held, held.claim(2), COMPLETED);

    held.flusher.end();

    assertThat(held.store.calls).containsExactly("complete");
    assertThat(held.running.size()).isZero();
  }

  @Test
  void anOutcomeAfterTheEndIsWrittenByItsThread() {
    Held held = new Held(LONG);
    List<Attempt> attempts = held.claim(2);
    held.flusher.end();
    offer(held, attempts.subList(0, 1), requeued(ExecutionStatus.RELEASED));
    assertThat(held.store.calls).containsExactly("requeue");

    held.store.fault = failing("requeue", "08006");
    offer(held, attempts.subList(1, 2), requeued(ExecutionStatus.RELEASED));

    assertThat(held.running.all()).containsExactly(attempts.get(1));
  }

  private record Transaction(Connection connection) implements AutoCloseable {
    Transaction(MemoryStore store) {
      this(store.begin());
    }

    @Override
    public void close() throws SQLException {
      connection.rollback();
    }
  }

  private static void drain(Held held) {
    await()
        .pollInterval(Duration.ofMillis(2))
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              held.flusher.run();
              return held.running.size() == 0;
            });
  }

  private static void offer(Held held, List<Attempt> attempts, Ending ending) {
    for (Attempt attempt : attempts) {
      attempt.begin();
      attempt.finish();
      held.flusher.offer(attempt, ending);
    }
  }

  private static Ending failed(boolean isFinal) {
    return new Ending.Failed(JobError.of("error"), Duration.ofHours(1), isFinal);
  }

  private static Ending requeued(ExecutionStatus as) {
    return as == ExecutionStatus.SNOOZED
        ? new Ending.Snoozed(Duration.ofHours(1), null)
        : Ending.Released.after(Duration.ofHours(1));
  }

  private static Requeue back(Attempt attempt) {
    return new Requeue(attempt.execution(), ExecutionStatus.RELEASED, Duration.ZERO, null);
  }

  private static Ending completedByHandler() {
    return new Ending.CompletedByHandler((Ending.Failed) failed(false), true);
  }

  private static StoreException failure(String sqlState) {
    return new StoreException("planned failure", new SQLException("planned failure", sqlState));
  }

  private static MemoryStore.Fault failing(String failing, String sqlState) {
    return new MemoryStore.Fault() {
      @Override
      public void before(String call, int size) {
        if (call.equals(failing)) {
          throw failure(sqlState);
        }
      }
    };
  }

  private static MemoryStore.Fault lostAnswer(String failing) {
    return new MemoryStore.Fault() {
      @Override
      public void after(String call, int size) {
        if (call.equals(failing)) {
          throw answerLost();
        }
      }
    };
  }

  private static StoreException answerLost() {
    return new StoreException("commit", new SQLException("unavailable", "08006"), true);
  }
}
