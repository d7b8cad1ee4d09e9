package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.StoreException;
import dev.skipjack.worker.WorkerEvent.Claimed;
import dev.skipjack.worker.WorkerEvent.Released;
import dev.skipjack.worker.WorkerEvent.Succeeded;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that a stop lets handlers finish, releases the other jobs and ends every thread. */
class StoppingTest extends WorkerFixture {

  @Test
  void bufferedJobsAreReleasedAtOnceAndRunningOnesMayFinish() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Worker worker =
        start(
            on(
                (payload, context) -> {
                  if (payload.equals("slow")) {
                    release.await();
                  }
                  return Outcome.completed();
                },
                2),
            config().prefetch(2));
    // Quick jobs first, because the worker prefetches nothing until it knows their run time.
    store.addAll(50, job().payload("quick"));
    await().until(() -> store.count(JobStatus.COMPLETED) == 50);
    store.addAll(4, job().payload("slow"));
    await().until(() -> events.all(Claimed.class).size() == 54);

    Thread first = new Thread(worker::stop);
    Thread second = new Thread(worker::close);
    first.start();
    await().until(() -> events.all(Released.class).size() == 2);
    second.start();
    assertThat(store.count(JobStatus.PENDING)).isEqualTo(2);
    assertThat(first.isAlive()).isTrue();
    await().during(Duration.ofMillis(50)).until(second::isAlive);
    release.countDown();

    first.join(5_000);
    second.join(5_000);
    assertThat(store.count(JobStatus.COMPLETED)).isEqualTo(52);
    assertThat(store.uncountedAttempts(events.all(Released.class).get(0).attempt().jobId()))
        .isEqualTo(1);
    assertThat(worker.status()).isEqualTo(new WorkerStatus(false, 0, 0, 0, 0));
  }

  @Test
  void jobsOfAClaimThatIsLostDuringTheStopAreReleased() throws Exception {
    CountDownLatch claimed = new CountDownLatch(1);
    Semaphore stopping = new Semaphore(0);
    Worker worker = start(on((payload, context) -> Outcome.completed(), 1), config());
    store.loseNextClaim(
        () -> {
          claimed.countDown();
          stopping.acquireUninterruptibly();
        });
    store.add(job());
    claimed.await();

    Thread stop = new Thread(worker::stop);
    stop.start();
    await().until(() -> stop.getState() == Thread.State.TIMED_WAITING);
    stopping.release();
    stop.join(10_000);

    assertThat(store.count(JobStatus.PENDING)).isEqualTo(1);
  }

  @Test
  void jobsThatRunAtTheDeadlineAreReleasedAndTheirOutcomesDiscarded() {
    JobId job = store.add(job());
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    Worker worker =
        start(
            on(
                (payload, context) -> {
                  running.countDown();
                  while (release.getCount() > 0) {
                    Thread.onSpinWait();
                  }
                  ended.countDown();
                  return Outcome.completed();
                },
                1),
            config().drainTimeout(Duration.ofMillis(50)));
    await().until(() -> running.getCount() == 0);

    worker.stop();

    assertThat(store.status(job)).isEqualTo(JobStatus.PENDING);
    assertThat(store.uncountedAttempts(job)).isEqualTo(1);
    assertThat(events.all(Released.class)).hasSize(1);
    release.countDown();
    await().until(() -> ended.getCount() == 0);
    assertThat(events.all(Succeeded.class)).isEmpty();
    assertThat(store.audit).containsValue(ExecutionStatus.RELEASED);
  }

  /** An application may call this on a second signal, because the first stop may take an hour. */
  @Test
  @Timeout(60)
  void stopNowEndsAStopThatWaitsForHandlers() throws Exception {
    JobId job = store.add(job());
    AtomicBoolean interrupted = new AtomicBoolean();
    CountDownLatch running = new CountDownLatch(1);
    Worker worker =
        start(
            on(
                (payload, context) -> {
                  running.countDown();
                  try {
                    new CountDownLatch(1).await();
                  } catch (InterruptedException told) {
                    interrupted.set(true);
                  }
                  return Outcome.completed();
                },
                1),
            config().drainTimeout(Duration.ofHours(1)));
    running.await();
    Thread first = new Thread(worker::stop);
    first.start();
    await().until(() -> !worker.status().started());
    await().during(Duration.ofMillis(100)).until(first::isAlive);

    worker.stopNow();

    first.join();
    await().untilTrue(interrupted);
    assertThat(store.status(job)).isEqualTo(JobStatus.PENDING);
    assertThat(store.uncountedAttempts(job)).isEqualTo(1);
    assertThat(events.all(Released.class)).hasSize(1);
    assertThat(worker.status()).isEqualTo(new WorkerStatus(false, 0, 0, 0, 0));
  }

  @Test
  @Timeout(60)
  void stopNowReleasesRunningJobs() throws Exception {
    JobId job = store.add(job());
    CountDownLatch running = new CountDownLatch(1);
    Worker worker =
        start(
            on(
                (payload, context) -> {
                  running.countDown();
                  new CountDownLatch(1).await();
                  return Outcome.completed();
                },
                1),
            config().drainTimeout(Duration.ofHours(1)));
    running.await();

    worker.stopNow();
    worker.stopNow();

    assertThat(store.status(job)).isEqualTo(JobStatus.PENDING);
    assertThat(store.uncountedAttempts(job)).isEqualTo(1);
  }

  @Test
  void leasesAreRenewedWhileAStopWaitsForHandlers() {
    JobId job = store.add(job());
    CountDownLatch running = new CountDownLatch(1);
    Worker worker =
        start(
            on(
                (payload, context) -> {
                  running.countDown();
                  pause(Duration.ofMillis(400));
                  return Outcome.completed();
                },
                1),
            config().lease(Duration.ofMillis(150)).rescueInterval(Duration.ofMillis(10)));
    await().until(() -> running.getCount() == 0);

    worker.stop();

    assertThat(store.status(job)).isEqualTo(JobStatus.COMPLETED);
    assertThat(calls("heartbeat")).isGreaterThan(2);
  }

  @Test
  void jobsOfAClaimThatReturnsAfterTheStopAreReleased() throws Exception {
    JobId job = store.add(job());
    CountDownLatch claiming = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    store.fault = blockingAfter("claim", claiming, answer);
    Worker worker = start(on((payload, context) -> Outcome.completed(), 1), config());
    claiming.await();
    Thread stopping = new Thread(worker::stop);
    stopping.start();
    await().until(() -> !worker.status().started());
    answer.countDown();
    stopping.join(5_000);

    assertThat(store.status(job)).isEqualTo(JobStatus.PENDING);
    assertThat(store.uncountedAttempts(job)).isEqualTo(1);
  }

  /** Otherwise the job would have to be released, or wait for its lease if that takes too long. */
  @Test
  void aStopDuringAListingOfTheLanesClaimsNothing() throws Exception {
    CountDownLatch listing = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    store.fault = blockingAfter("dueLanes", listing, answer);
    JobId job = store.add(job());
    Worker worker = start(on((payload, context) -> Outcome.completed(), 1), config());
    listing.await();
    Thread stopping = new Thread(worker::stop);
    stopping.start();
    await().until(() -> stopping.getState() == Thread.State.TIMED_WAITING);
    answer.countDown();
    stopping.join(10_000);

    assertThat(store.claims).isEmpty();
    assertThat(store.status(job)).isEqualTo(JobStatus.PENDING);
  }

  /** The flusher has ended by then. */
  @Test
  void jobsOfAClaimThatOutlastsTheStopAreReleased() throws Exception {
    CountDownLatch claiming = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    store.fault = blockingAfter("claim", claiming, answer);
    JobId job = store.add(job());
    Worker worker =
        start(
            on((payload, context) -> Outcome.completed(), 1).name("outlasted"),
            config().drainTimeout(Duration.ZERO));
    claiming.await();

    worker.stop();
    assertThat(store.status(job)).isEqualTo(JobStatus.RUNNING);
    answer.countDown();

    await().until(() -> threads("queue-outlasted-").isEmpty());
    assertThat(store.status(job)).isEqualTo(JobStatus.PENDING);
    assertThat(store.uncountedAttempts(job)).isEqualTo(1);
  }

  private static MemoryStore.Fault blockingAfter(
      String blocked, CountDownLatch called, CountDownLatch answer) {
    return new MemoryStore.Fault() {
      @Override
      public void after(String call, int size) {
        if (call.equals(blocked)) {
          called.countDown();
          awaitLatch(answer);
        }
      }
    };
  }

  /** Threads that were never stopped would renew leases forever. */
  @Test
  void anInterruptedStopEndsEveryThreadThoughOutcomesCannotBeWritten() throws Exception {
    store.add(job());
    CountDownLatch refused = new CountDownLatch(1);
    store.fault =
        new MemoryStore.Fault() {
          @Override
          public void before(String call, int size) {
            if (call.equals("complete")) {
              refused.countDown();
              throw new StoreException("unavailable", new SQLException("unavailable", "08006"));
            }
          }
        };
    Worker worker =
        start(
            on((payload, context) -> Outcome.completed(), 1).name("hurried"),
            config().drainTimeout(Duration.ZERO));
    await().until(() -> refused.getCount() == 0);
    Thread closer = new Thread(worker::close);
    closer.start();
    await().until(() -> closer.getState() == Thread.State.TIMED_WAITING);

    closer.interrupt();

    closer.join();
    await().until(() -> threads("queue-hurried-").isEmpty());
  }

  @Test
  void aStopLeavesNoThread() {
    store.add(job());
    Worker worker =
        start(
            on((payload, context) -> Outcome.completed(), 3)
                .name("leaver")
                .handlerThreads(HandlerThreads.platform()),
            config());
    await().until(() -> store.count(JobStatus.COMPLETED) == 1);
    assertThat(threads("queue-leaver-"))
        .contains(
            "queue-leaver-claim-loop-1",
            "queue-leaver-flusher-1",
            "queue-leaver-heartbeat-1",
            "queue-leaver-rescuer-1",
            "queue-leaver-timer-1",
            "queue-leaver-handler-1");

    worker.stop();

    await().until(() -> threads("queue-leaver-").isEmpty());
  }

  @Test
  void aStoppedWorkerCannotBeStartedAgain() {
    Worker worker = start(on((payload, context) -> Outcome.completed(), 1), config());
    assertThatIllegalStateException().isThrownBy(worker::start).withMessageContaining("started");
    assertThatIllegalStateException().isThrownBy(worker::runNext);
    worker.stop();
    assertThatIllegalStateException()
        .isThrownBy(worker::start)
        .withMessageContaining("was stopped");
    assertThatIllegalStateException().isThrownBy(worker::runUntilIdle);
  }
}
