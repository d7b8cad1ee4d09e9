package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.worker.HandlerRegistry.Registration;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests an attempt that gets one long lease before its handler is called. */
@Timeout(30)
class SparedAttemptTest {

  private static final Duration INTERVAL = Duration.ofMillis(10);

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final List<Long> called = Collections.synchronizedList(new ArrayList<>());
  private Held held = new Held(Duration.ofMinutes(1));
  private HeartbeatTask heartbeat = held.heartbeat;

  @AfterEach
  void close() {
    timer.shutdownNow();
  }

  @Test
  void handlerIsCalledUnderTheLongLeaseAndItsTimeBeginsThen() {
    Attempt attempt = held.claim(1).get(0);
    List<Long> sent = new ArrayList<>();
    held.store.fault = before(() -> sent.add(System.nanoTime()));

    runner(held).run(attempt, () -> {});

    assertThat(called).hasSize(1);
    assertThat(attempt.lease().length()).isEqualTo(Duration.ofMinutes(2));
    assertThat(attempt.begunAt()).isGreaterThan(sent.get(0));
  }

  @Test
  void handlerIsNotCalledIfAnOperatorCancelledTheJobMeanwhile() {
    Attempt attempt = held.claim(1).get(0);
    held.store.requestCancel(attempt.execution().jobId());

    runner(held).run(attempt, () -> {});

    assertThat(called).isEmpty();
    held.flusher.run();
    assertThat(held.running.size()).isZero();
    assertThat(held.events.all(WorkerEvent.Cancelled.class)).hasSize(1);
  }

  @Test
  void handlerIsNotCalledIfTheLeaseIsLost() {
    Attempt attempt = held.claim(1).get(0);
    held.store.complete(List.of(attempt.execution()));

    runner(held).run(attempt, () -> {});

    assertThat(called).isEmpty();
    assertThat(attempt.isLeaseLost()).isTrue();
    assertThat(held.running.size()).isZero();
    assertThat(held.events.all(WorkerEvent.Lost.class)).hasSize(1);
  }

  @Test
  void handlerIsNotCalledIfTheLeaseExpiredDuringTheRequest() {
    held = new Held(Duration.ofMillis(100));
    Attempt attempt = held.claim(1).get(0);
    held.store.fault =
        before(
            () -> {
              await().until(() -> !attempt.lease().isHeld());
              throw new StoreException("unavailable", new SQLException("", "08006"));
            });

    runner(held).run(attempt, () -> {});

    assertThat(called).isEmpty();
    assertThat(attempt.isBuffered()).isFalse();
  }

  /** While the start of an attempt waits for the database, that attempt and others are renewed. */
  @Test
  void leasesAreRenewedWhileASparedAttemptWaitsForItsOwn() throws Exception {
    List<Attempt> attempts = held.claim(3);
    List<Long> before = attempts.stream().map(attempt -> attempt.lease().renewedAt()).toList();
    CountDownLatch sparing = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    AtomicBoolean first = new AtomicBoolean(true);
    held.store.fault =
        before(
            () -> {
              if (first.getAndSet(false)) {
                sparing.countDown();
                answer.await();
              }
            });
    AttemptRunner runner = runner(held);
    Thread start = new Thread(() -> runner.run(attempts.get(0), () -> {}));
    start.start();
    sparing.await();
    await().until(() -> attempts.get(2).lease().isDue(System.nanoTime(), INTERVAL.toNanos()));

    CompletableFuture.runAsync(heartbeat::run).get(10, TimeUnit.SECONDS);

    for (int i = 0; i < 3; i++) {
      assertThat(attempts.get(i).lease().renewedAt()).isGreaterThan(before.get(i));
    }
    answer.countDown();
    start.join();
    assertThat(called).hasSize(1);
    // The long lease was requested again, because the usual renewal may have replaced it.
    assertThat(attempts.get(0).lease().isSpared()).isTrue();
    assertThat(held.store.calls.stream().filter("heartbeat"::equals)).hasSize(3);
  }

  @Test
  void attemptsWithTheSameLongLeaseAreRenewedTogether() {
    List<Attempt> attempts = held.claim(3);
    long longAgo = System.nanoTime() - Duration.ofHours(1).toNanos();
    attempts.forEach(
        attempt -> assertThat(attempt.lease().spare(Duration.ofHours(1), longAgo, 0)).isTrue());

    held.heartbeat.run();

    assertThat(held.store.calls.stream().filter("heartbeat"::equals)).hasSize(1);
    assertThat(attempts)
        .allSatisfy(
            attempt -> {
              assertThat(attempt.lease().renewedAt()).isGreaterThan(longAgo);
              assertThat(attempt.lease().length()).isEqualTo(Duration.ofHours(1));
            });
  }

  /** Returns a runner for a kind that needs long leases. */
  private AttemptRunner runner(Held held) {
    HandlerRegistry handlers =
        new HandlerRegistry(
            Map.of(
                "k",
                new Registration<>(
                    JobType.of("k", String.class),
                    (payload, context) -> {
                      called.add(context.jobId().value());
                      return Outcome.completed();
                    })));
    Reporter reporter = new Reporter(List.of(held.events));
    LongSnapshots snapshots = new LongSnapshots(INTERVAL);
    snapshots.learn("k", Duration.ZERO, Duration.ofMinutes(1));
    AttemptEnder ender =
        new AttemptEnder(
            handlers,
            new EndingRules(
                held.store::encodeResult,
                () -> new SplittableRandom(1),
                new Redaction(ErrorRedactor.NONE)),
            snapshots,
            held.running,
            held.flusher,
            held.flusher::offer,
            (execution, retryAfter) -> {},
            reporter);
    WorkerConfig config =
        WorkerConfig.builder().lease(Duration.ofMinutes(1)).heartbeatInterval(INTERVAL).build();
    heartbeat =
        new HeartbeatTask(held.store, held.store, config, held.running, ender::cancel, reporter);
    return new AttemptRunner(
        new Invocation(handlers, held.store, List.of(), reporter),
        heartbeat::spare,
        snapshots,
        handlers,
        (attempt, deadline) ->
            new AttemptContext(attempt, deadline, WorkerId.boot("spared"), held.store, reporter),
        timer,
        new StageFollower(new WorkerThreads("spared")),
        ender,
        reporter);
  }

  @FunctionalInterface
  private interface Interruptible {
    void run() throws InterruptedException;
  }

  private static MemoryStore.Fault before(Interruptible heartbeat) {
    return new MemoryStore.Fault() {
      @Override
      public void before(String call, int size) {
        if (call.equals("heartbeat")) {
          try {
            heartbeat.run();
          } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
          }
        }
      }
    };
  }
}
