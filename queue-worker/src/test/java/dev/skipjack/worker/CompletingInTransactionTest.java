package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.Outcome;
import dev.skipjack.worker.WorkerEvent.Failed;
import dev.skipjack.worker.WorkerEvent.Lost;
import dev.skipjack.worker.WorkerEvent.Succeeded;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Tests handlers that complete their job in their own transaction. */
class CompletingInTransactionTest extends WorkerFixture {

  @Test
  void aCommittedCompletionIsASuccessWhateverTheHandlerThrowsAfterwards() {
    JobId clean = store.add(job().payload("clean"));
    JobId thrown = store.add(job().payload("thrown"));

    startCompleting(
        (payload, context, connection) -> {
          context.completeIn(connection);
          connection.commit();
          if (payload.equals("thrown")) {
            throw new IllegalStateException("too late");
          }
        });

    await().until(() -> events.all(Succeeded.class).size() == 2);
    assertThat(store.status(clean)).isEqualTo(JobStatus.COMPLETED);
    assertThat(store.status(thrown)).isEqualTo(JobStatus.COMPLETED);
    assertThat(events.all(Failed.class)).isEmpty();
  }

  @Test
  void aRolledBackCompletionIsAFailedAttempt() {
    JobId job = store.add(job().maxAttempts(1));

    startCompleting(
        (payload, context, connection) -> {
          context.completeIn(connection);
          connection.rollback();
        });

    await().until(() -> store.status(job) == JobStatus.DEAD);
    assertThat(store.error(job)).startsWith("The completion was rolled back");
  }

  @Test
  void anAttemptWithoutItsLeaseCannotCompleteInItsTransaction() {
    JobId job = store.add(job());
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    AtomicReference<ExecutionId> thief = new AtomicReference<>();

    startCompleting(
        (payload, context, connection) -> {
          thief.set(store.steal(job));
          try {
            context.completeIn(connection);
          } catch (LeaseLostException lost) {
            thrown.set(lost);
            throw lost;
          }
        });

    await().until(() -> events.all(Lost.class).size() == 1);
    assertThat(events.all(Lost.class).get(0).heldBy()).isEqualTo(thief.get()).isNotNull();
    await().until(() -> thrown.get() != null);
    assertThat(thrown.get()).isInstanceOf(LeaseLostException.class);
    assertThat(store.status(job)).isEqualTo(JobStatus.RUNNING);
  }

  @Test
  void aHandlerThatRunsOnAfterItsCommitIsNotReportedAsLost() {
    JobId job = store.add(job());

    startCompleting(
        (payload, context, connection) -> {
          context.completeIn(connection);
          connection.commit();
          pause(Duration.ofMillis(400)); // longer than the lease
        });

    await().until(() -> events.all(Succeeded.class).size() == 1);
    assertThat(store.status(job)).isEqualTo(JobStatus.COMPLETED);
    assertThat(events.all(Lost.class)).isEmpty();
  }

  private interface Body {
    void run(String payload, JobContext context, Connection connection) throws Exception;
  }

  private void startCompleting(Body body) {
    start(
        on(
            (payload, context) -> {
              Connection connection = store.begin();
              try {
                body.run(payload, context, connection);
              } finally {
                connection.rollback();
              }
              return Outcome.completed();
            },
            1),
        config().lease(Duration.ofMillis(300)).rescueInterval(Duration.ofHours(1)));
  }
}
