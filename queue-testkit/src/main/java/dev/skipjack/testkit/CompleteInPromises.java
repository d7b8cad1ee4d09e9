package dev.skipjack.testkit;

import static dev.skipjack.testkit.StoreFixture.EXPIRED;
import static dev.skipjack.testkit.StoreFixture.LEASE;
import static dev.skipjack.testkit.StoreFixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Verdict;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A completion is part of the handler's transaction. */
abstract class CompleteInPromises extends Promises {

  @Test
  void commitsWithTheHandlersTransaction() throws SQLException {
    fixture.enqueue(1);
    Execution execution = fixture.claimOne(LEASE);
    try (Connection transaction = fixture.transaction()) {
      store.completeIn(transaction, execution);
      JobId next = fixture.ports.enqueuerIn(transaction).enqueue(WORK, 2);
      assertThat(fixture.statusOf(execution.jobId())).isEqualTo(JobStatus.RUNNING);

      transaction.commit();

      assertThat(fixture.statusOf(execution.jobId())).isEqualTo(JobStatus.COMPLETED);
      assertThat(fixture.statusOf(next)).isEqualTo(JobStatus.PENDING);
    }
  }

  @Test
  void keepsTheResultInTheArchiveIfThereIsOne() throws SQLException {
    fixture.enqueueMany(2);
    List<Execution> executions = fixture.claimExecutions(2);
    try (Connection transaction = fixture.transaction()) {
      store.completeIn(transaction, executions.get(0), "{\"n\": 1}");
      store.completeIn(transaction, executions.get(1), null);
      transaction.commit();
    }
    assertThat(fixture.find(executions.get(0).jobId()).result()).isEqualTo("{\"n\": 1}");
    assertThat(fixture.audit(executions.get(0).jobId())).containsExactly(ExecutionStatus.SUCCEEDED);
    assertThat(fixture.find(executions.get(1).jobId()).result()).isNull();
    assertThat(fixture.statusOf(executions.get(1).jobId())).isEqualTo(JobStatus.COMPLETED);
  }

  @Test
  void isRolledBackWithTheHandlersTransaction() throws SQLException {
    fixture.enqueue(1);
    Execution execution = fixture.claimOne(LEASE);
    JobDetails before = fixture.find(execution.jobId());
    try (Connection transaction = fixture.transaction()) {
      store.completeIn(transaction, execution);
      transaction.rollback();
      assertThat(fixture.find(execution.jobId())).isEqualTo(before);

      store.completeIn(transaction, execution);
      transaction.commit();
    }
    assertThat(fixture.statusOf(execution.jobId())).isEqualTo(JobStatus.COMPLETED);
  }

  @Test
  void throwsWithTheLostLeaseAndLeavesTheRollbackToTheHandler() throws SQLException {
    Execution zombie = fixture.rescuedExecution();
    try (Connection transaction = fixture.transaction()) {
      JobId effect = fixture.ports.enqueuerIn(transaction).enqueue(WORK, 2);

      assertThatThrownBy(() -> store.completeIn(transaction, zombie))
          .isInstanceOfSatisfying(
              LeaseLostException.class,
              lost -> {
                assertThat(lost.jobId()).isEqualTo(zombie.jobId());
                assertThat(lost.executionId()).isEqualTo(zombie.id());
                assertThat(lost.heldBy()).isEmpty();
              });

      transaction.rollback();
      assertThat(reader.find(effect)).isEmpty();
    }
  }

  @Test
  void throwsWithTheExecutionThatHoldsTheJob() throws SQLException {
    Execution zombie = fixture.rescuedExecution();
    Execution owner = fixture.claimOne(LEASE);
    try (Connection transaction = fixture.transaction()) {
      assertThatThrownBy(() -> store.completeIn(transaction, zombie))
          .isInstanceOfSatisfying(
              LeaseLostException.class, lost -> assertThat(lost.heldBy()).contains(owner.id()));
      transaction.rollback();
    }
    assertThat(store.complete(List.of(owner))).containsExactly(Verdict.DONE);
  }

  @Test
  void keepsTheJobFromBeingRescuedWhileTheTransactionIsOpen() throws Exception {
    fixture.enqueue(1);
    Execution execution = fixture.claimOne(EXPIRED);
    try (Connection transaction = fixture.transaction()) {
      store.completeIn(transaction, execution);

      assertThat(fixture.withoutWaiting(() -> store.rescue(Duration.ZERO, 10))).isEmpty();

      transaction.commit();
    }
    assertThat(fixture.statusOf(execution.jobId())).isEqualTo(JobStatus.COMPLETED);
  }

  @Test
  void waitsForALockedRow() throws Exception {
    fixture.enqueue(1);
    Execution execution = fixture.claimOne(LEASE);
    try (Connection rival = fixture.hold(execution.jobId());
        Connection transaction = fixture.transaction()) {
      fixture.inBackground(
          () -> {
            store.completeIn(transaction, execution);
            return true;
          },
          done -> {
            fixture.awaitBlockedSession();
            rival.rollback();
            return StoreFixture.answered(done);
          });
      transaction.commit();
    }
    assertThat(fixture.statusOf(execution.jobId())).isEqualTo(JobStatus.COMPLETED);
  }
}
