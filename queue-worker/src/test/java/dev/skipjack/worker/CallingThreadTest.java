package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.UnknownClaimException;
import dev.skipjack.worker.WorkerEvent.Released;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Tests jobs that run in the calling thread, without starting the worker. */
class CallingThreadTest extends WorkerFixture {

  @Test
  void runUntilIdleAlsoRunsJobsThatBecomeDueMeanwhile() {
    store.addAll(120, job().payload("fails once"));
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    Worker worker =
        build(
            on(
                (payload, context) -> {
                  threads.add(Thread.currentThread());
                  return context.attempt() == 1
                      ? Outcome.retry(Duration.ZERO, "once")
                      : Outcome.completed();
                },
                1),
            config());

    assertThat(worker.runUntilIdle()).isEqualTo(240);
    assertThat(store.count(JobStatus.COMPLETED)).isEqualTo(120);
    assertThat(threads).containsExactly(Thread.currentThread());
    assertThat(worker.runUntilIdle()).isZero();
  }

  @Test
  void jobsOfALostClaimAreReleasedBeforeTheFailureIsThrown() {
    store.addAll(3, job());
    store.loseNextClaim(() -> {});
    Worker worker = build(on((payload, context) -> Outcome.completed(), 1), config());

    assertThatThrownBy(worker::runUntilIdle).isInstanceOf(UnknownClaimException.class);

    assertThat(store.count(JobStatus.PENDING)).isEqualTo(3);
    assertThat(build(on((payload, context) -> Outcome.completed(), 1), config()).runUntilIdle())
        .isEqualTo(3);
  }

  /** A run may end before it could search for the jobs of a claim whose response was lost. */
  @Test
  void claimsOfTheCallingThreadAreCommittedAfterTheirJobsHaveArrived() {
    store.add(job().payload("fails twice"));
    Worker worker =
        build(
            on(
                (payload, context) ->
                    context.attempt() < 3
                        ? Outcome.retry(Duration.ZERO, "again")
                        : Outcome.completed(),
                1),
            config());

    assertThat(worker.runUntilIdle()).isEqualTo(3);

    assertThat(store.fewClaims).isEmpty();
  }

  /** Otherwise they would wait until their leases expire, and lose an attempt. */
  @Test
  void jobsAreReleasedIfTheirClaimCannotBeReported() {
    store.addAll(4, job());
    AtomicBoolean broken = new AtomicBoolean(true);
    store.onClaim = job -> broken.getAndSet(false) ? BackgroundRunTest.withoutDueTime(job) : job;
    Worker worker = build(on((payload, context) -> Outcome.completed(), 1), config());

    assertThatThrownBy(worker::runUntilIdle).isInstanceOf(NullPointerException.class);

    assertThat(store.count(JobStatus.PENDING)).isEqualTo(4);
  }

  @Test
  void aStopEndsARunUntilIdleOfAnotherThread() throws Exception {
    store.addAll(100, job());
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Worker worker =
        build(
            on(
                (payload, context) -> {
                  running.countDown();
                  release.await();
                  return Outcome.completed();
                },
                1),
            config());
    CompletableFuture<Integer> ran = CompletableFuture.supplyAsync(worker::runUntilIdle);
    running.await();

    worker.stop();
    release.countDown();

    assertThat(ran.get(10, TimeUnit.SECONDS)).isEqualTo(1);
    assertThat(store.count(JobStatus.PENDING)).isEqualTo(99);
  }

  @Test
  void stopNowFromAnotherThreadEndsTheRunningAttempt() throws Exception {
    store.addAll(10, job());
    CountDownLatch running = new CountDownLatch(1);
    Worker worker =
        build(
            on(
                (payload, context) -> {
                  running.countDown();
                  new CountDownLatch(1).await();
                  return Outcome.completed();
                },
                1),
            config());
    CompletableFuture<Integer> ran = CompletableFuture.supplyAsync(worker::runUntilIdle);
    running.await();

    worker.stopNow();

    assertThat(ran.get(10, TimeUnit.SECONDS)).isEqualTo(1);
    assertThat(store.count(JobStatus.PENDING)).isEqualTo(10);
    assertThat(events.all(Released.class)).hasSize(10);
  }

  @Test
  void runNextRunsOneJobAtATimeByPriority() {
    store.add(job().payload("low"));
    store.add(job().payload("high").priority(5));
    List<String> order = new CopyOnWriteArrayList<>();
    Worker worker =
        build(
            on(
                (payload, context) -> {
                  order.add(payload);
                  return Outcome.completed();
                },
                1),
            config());

    assertThat(worker.runNext()).isTrue();
    assertThat(order).containsExactly("high");
    assertThat(worker.runNext()).isTrue();
    assertThat(worker.runNext()).isFalse();
    assertThat(order).containsExactly("high", "low");
  }

  @Test
  void aFailureOfTheStoreIsThrownToTheCaller() {
    store.fault = unavailable();
    Worker worker = build(on((payload, context) -> Outcome.completed(), 1), config());

    assertThatThrownBy(worker::runUntilIdle).isInstanceOf(StoreException.class);
    store.fault = new MemoryStore.Fault() {};
    assertThat(worker.runUntilIdle()).isZero();
  }

  @Test
  void anInterruptEndsARunUntilIdleAndReleasesTheRest() {
    store.addAll(10, job());
    Thread caller = Thread.currentThread();
    Worker worker =
        build(
            on(
                (payload, context) -> {
                  caller.interrupt();
                  return Outcome.completed();
                },
                1),
            config());

    assertThat(worker.runUntilIdle()).isEqualTo(1);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(store.count(JobStatus.COMPLETED)).isEqualTo(1);
    assertThat(store.count(JobStatus.PENDING)).isEqualTo(9);
  }
}
