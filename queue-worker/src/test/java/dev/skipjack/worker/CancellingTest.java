package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.worker.WorkerEvent.Cancelled;
import dev.skipjack.worker.WorkerEvent.Started;
import dev.skipjack.worker.WorkerEvent.Stuck;
import dev.skipjack.worker.WorkerEvent.Succeeded;
import dev.skipjack.worker.WorkerEvent.TimedOut;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Tests the cancellation of running jobs. */
class CancellingTest extends WorkerFixture {

  @Test
  void theHandlerOfACancelledJobIsInterruptedAndTheJobIsNotRetried() {
    JobId job = store.add(job().payload("slow"));
    CountDownLatch begun = new CountDownLatch(1);
    AtomicBoolean sawIt = new AtomicBoolean();
    start(
        on(
            (payload, context) -> {
              begun.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException interrupted) {
                sawIt.set(context.isCancelled());
                throw interrupted;
              }
              return Outcome.completed();
            },
            1),
        config().heartbeatInterval(Duration.ofMillis(20)));
    await().until(() -> begun.getCount() == 0);

    store.requestCancel(job);

    await().until(() -> store.status(job) == JobStatus.CANCELLED);
    await().until(() -> events.all(Cancelled.class).size() == 1);
    assertThat(sawIt).isTrue();
    assertThat(store.attempts(job)).isEqualTo(1);
  }

  @Test
  void aCancelledJobWhoseHandlerStillCompletesIsCompleted() {
    JobId job = store.add(job().payload("stubborn"));
    CountDownLatch begun = new CountDownLatch(1);
    start(
        on(
            (payload, context) -> {
              begun.countDown();
              while (!context.isCancelled()) {
                Thread.onSpinWait();
              }
              return Outcome.completed();
            },
            1),
        config().heartbeatInterval(Duration.ofMillis(20)));
    await().until(() -> begun.getCount() == 0);

    store.requestCancel(job);

    await().until(() -> store.status(job) == JobStatus.COMPLETED);
    await().until(() -> events.all(Succeeded.class).size() == 1);
    assertThat(events.all(Cancelled.class)).isEmpty();
  }

  @Test
  void aCancelledOutcomeEndsTheJob() {
    JobId job = store.add(job());

    start(onPlatformThreads(TYPE, (payload, context) -> Outcome.cancelled("no use"), 1), config());

    await().until(() -> store.status(job) == JobStatus.CANCELLED);
    await().until(() -> events.all(WorkerEvent.Cancelled.class).size() == 1);
    assertThat(store.audit).containsValue(ExecutionStatus.CANCELLED);
  }

  @Test
  void aHandlerThatIgnoresItsCancellationStillTimesOut() {
    JobType<String> type = TYPE.timeout(Duration.ofMillis(600));
    AtomicBoolean release = new AtomicBoolean();
    JobId deaf = store.add(job().payload("deaf").priority(1).maxAttempts(1));
    JobId next = store.add(job().payload("next"));

    start(
        onPlatformThreads(
            type,
            (payload, context) -> {
              while (payload.equals("deaf") && !release.get()) {
                Thread.onSpinWait();
              }
              return Outcome.completed();
            },
            1),
        config()
            .lease(Duration.ofMillis(300))
            .rescueInterval(Duration.ofMillis(50))
            .interruptGrace(Duration.ofMillis(50)));
    await().until(() -> events.all(Started.class).size() == 1);
    store.requestCancel(deaf);

    await().until(() -> store.status(next) == JobStatus.COMPLETED);
    await().until(() -> events.all(TimedOut.class).size() == 1);
    await().until(() -> store.status(deaf) != JobStatus.RUNNING);
    await().until(() -> events.all(Stuck.class).size() == 1);
    release.set(true);
  }
}
