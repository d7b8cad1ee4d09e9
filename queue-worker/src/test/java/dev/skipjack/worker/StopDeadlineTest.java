package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.LocalWorker;
import dev.skipjack.api.spi.LocalWorker.TakenSlot;
import dev.skipjack.api.spi.LocalWorkers;
import dev.skipjack.api.spi.NewJob;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that a stop ends in time and releases its resources even if statements or handlers hang.
 */
@Timeout(60)
class StopDeadlineTest {

  private static final JobType<String> TYPE = JobType.of("k", String.class);
  private static final Duration DRAIN = Duration.ofMillis(100);

  /**
   * The time between the default drain timeout and the 30 s after which Kubernetes kills the
   * process.
   */
  private static final Duration SOME_SECONDS = Duration.ofSeconds(5);

  private static final Set<String> EVERY_LOOP =
      Set.of("dueLanes", "rescue", "createPartitions", "announce");

  /**
   * A heartbeat hangs in one of its statements. In which one depends on when the attempt was
   * claimed.
   */
  private static final Set<String> HEARTBEATS = Set.of("heartbeat", "cancelRequested");

  private final MemoryStore store = new MemoryStore();
  private final CountDownLatch release = new CountDownLatch(1);
  private final Set<String> hanging = ConcurrentHashMap.newKeySet();
  private final AtomicInteger leasesClosed = new AtomicInteger();

  @AfterEach
  void release() {
    release.countDown();
  }

  @Test
  void deadlineHoldsIfStatementsHangAndHandlersIgnoreInterrupts() {
    Worker worker = caughtInEverything();

    long asked = System.nanoTime();
    worker.stop();

    assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(DRAIN.plus(SOME_SECONDS));
    assertThat(leasesClosed).hasValue(1);
  }

  /** The connection that renews leases must be returned to its pool. */
  @Test
  void leasesAreReleasedIfTheStopIsInterruptedRepeatedly() {
    Thread closer = new Thread(caughtInEverything()::close);
    closer.start();

    await()
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              closer.interrupt();
              return !closer.isAlive();
            });

    assertThat(leasesClosed).hasValue(1);
  }

  /** The stop waits only for a limited time for an enqueue whose commit takes long. */
  @Test
  void aJobWhoseEnqueueOutlastsTheStopIsReleased() {
    AtomicReference<@Nullable LocalWorker> local = new AtomicReference<>();
    Worker worker = start(proxy(QueueAccess.class, name -> localWorkers(name, local)));
    NewJob enqueued = job().toNewJob();
    await().until(() -> local.get() != null && requireNonNull(local.get()).hasSlot(enqueued));
    TakenSlot slot = requireNonNull(requireNonNull(local.get()).take(enqueued));

    worker.stop();
    JobId job = store.add(job());
    slot.start(started(slot.worker()));

    assertThat(store.status(job)).isEqualTo(JobStatus.PENDING);
    assertThat(store.uncountedAttempts(job)).isEqualTo(1);
  }

  private static @Nullable Object localWorkers(
      String method, AtomicReference<@Nullable LocalWorker> added) {
    return method.equals("localWorkers")
        ? Optional.of(
            new LocalWorkers() {
              @Override
              public void prepare() {}

              @Override
              public void add(LocalWorker worker) {
                added.set(worker);
              }

              @Override
              public void remove(LocalWorker worker) {}
            })
        : null;
  }

  /** Returns the only pending job as one that an enqueue has started for the worker. */
  private ClaimedJob started(WorkerId worker) {
    LaneShare lane = new LaneShare(new Lane("q", 0), 1, null);
    return store
        .claim(new ClaimRequest(worker, List.of(lane), List.of("k"), 1, Duration.ofMinutes(1)))
        .get(0);
  }

  /**
   * Starts a worker whose statements all hang, as behind a firewall that dropped every connection,
   * and whose handler ignores interrupts.
   */
  private Worker caughtInEverything() {
    store.add(job());
    hangExcept(Set.of("dueLanes", "claim"));
    Worker worker = start();
    await().until(() -> worker.status().running() == 1);
    hangExcept(Set.of());
    await()
        .until(
            () ->
                hanging.containsAll(EVERY_LOOP) && HEARTBEATS.stream().anyMatch(hanging::contains));
    return worker;
  }

  /** Makes all other calls hang until the test has ended. */
  private void hangExcept(Set<String> quick) {
    store.fault =
        new MemoryStore.Fault() {
          @Override
          public void before(String call, int size) {
            if (!quick.contains(call)) {
              hanging.add(call);
              outlast(release);
            }
          }
        };
  }

  private Worker start() {
    return start(watched());
  }

  private Worker start(QueueAccess access) {
    return Worker.on(access)
        .handle(
            TYPE,
            (payload, context) -> {
              outlast(release);
              return Outcome.completed();
            })
        .handlerThreads(HandlerThreads.platform())
        .queue("q", 1)
        .config(
            WorkerConfig.builder()
                .lease(Duration.ofMillis(300))
                .pollInterval(Duration.ofMillis(20))
                .rescueInterval(Duration.ofMillis(20))
                .drainTimeout(DRAIN)
                .build())
        .start();
  }

  /** Returns the store, with leases that record when they are closed. */
  private QueueAccess watched() {
    LeaseKeeper leases =
        proxy(
            LeaseKeeper.class,
            name -> {
              if (name.equals("close")) {
                leasesClosed.incrementAndGet();
              }
              return null;
            });
    return proxy(QueueAccess.class, name -> name.equals("leases") ? leases : null);
  }

  private interface Instead {
    @Nullable Object of(String method);
  }

  private <T> T proxy(Class<T> type, Instead instead) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              Object other = instead.of(method.getName());
              if (other != null) {
                return other;
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getTargetException();
              }
            }));
  }

  /** Waits for the latch, ignoring interrupts. */
  private static void outlast(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException stubborn) {
        Thread.onSpinWait();
      }
    }
  }
}
