package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.Outcome;
import dev.skipjack.worker.WorkerEvent.Lost;
import dev.skipjack.worker.WorkerEvent.Rescued;
import dev.skipjack.worker.WorkerEvent.Succeeded;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * Tests that leases are renewed while jobs run or are buffered, and that a lost lease ends the
 * attempt.
 */
class LeaseTest extends WorkerFixture {

  @Test
  void runningAndBufferedJobsKeepTheirLeases() {
    store.addAll(6, job());
    AtomicInteger runs = new AtomicInteger();

    start(
        on(
            (payload, context) -> {
              runs.incrementAndGet();
              pause(Duration.ofMillis(1_200));
              return Outcome.completed();
            },
            3),
        // A shorter lease would expire on a busy machine, where a heartbeat may come late.
        config().lease(Duration.ofMillis(900)).rescueInterval(Duration.ofMillis(10)));

    await().until(() -> events.all(Succeeded.class).size() == 6);
    assertThat(runs).hasValue(6);
    assertThat(events.all(Rescued.class)).isEmpty();
    assertThat(events.all(Lost.class)).isEmpty();
  }

  @Test
  void aHandlerThatLostItsLeaseIsInterruptedAndItsOutcomeDiscarded() throws Exception {
    JobId job = store.add(job());
    CountDownLatch running = new CountDownLatch(1);
    AtomicReference<Boolean> told = new AtomicReference<>();
    start(
        on(
            (payload, context) -> {
              running.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException expected) {
                told.set(context.isLeaseLost());
              }
              return Outcome.completed();
            },
            1),
        config().lease(Duration.ofMillis(150)).rescueInterval(Duration.ofHours(1)));
    running.await();

    store.steal(job);

    await().until(() -> events.all(Lost.class).size() == 1);
    await().until(() -> Boolean.TRUE.equals(told.get()));
    assertThat(store.status(job)).isEqualTo(JobStatus.RUNNING);
    assertThat(events.all(Succeeded.class)).isEmpty();
  }

  /** The lease of a handler that ignores its timeout is no longer renewed. */
  @Test
  void aHandlerThatIgnoresItsTimeoutLosesItsJobToTheRescuer() {
    JobId job = store.add(job().payload("stuck").maxAttempts(2));
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch release = new CountDownLatch(1);
    start(
        Worker.on(store)
            .handle(
                TYPE.timeout(Duration.ofMillis(30)),
                (payload, context) -> {
                  if (runs.incrementAndGet() == 1) {
                    while (release.getCount() > 0) {
                      Thread.onSpinWait();
                    }
                  }
                  return Outcome.completed();
                })
            .queue("q", 2),
        config().lease(Duration.ofMillis(150)).rescueInterval(Duration.ofMillis(20)));

    await().until(() -> store.status(job) == JobStatus.COMPLETED);
    release.countDown();
    await().until(() -> events.all(Lost.class).size() == 1);
    assertThat(store.attempts(job)).isEqualTo(2);
    await().until(() -> events.all(Rescued.class).size() == 1);
  }
}
