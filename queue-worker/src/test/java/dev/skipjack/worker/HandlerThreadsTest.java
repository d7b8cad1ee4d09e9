package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.Outcome;
import dev.skipjack.worker.WorkerEvent.NotBegun;
import dev.skipjack.worker.WorkerEvent.Released;
import dev.skipjack.worker.WorkerEvent.Started;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the threads that handlers run on. */
class HandlerThreadsTest extends WorkerFixture {

  static List<HandlerThreads> ofAnyKind() {
    return List.of(
        HandlerThreads.platform(),
        HandlerThreads.automatic(),
        HandlerThreads.of(Executors.newCachedThreadPool(HandlerThreadsTest::daemon)));
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "users-own");
    thread.setDaemon(true);
    return thread;
  }

  /** A thread must start the next one even if its own handler runs for a long time. */
  @ParameterizedTest
  @MethodSource("ofAnyKind")
  void handlersOfAllSlotsRunAtOnceAlthoughTheyWaitForEachOther(HandlerThreads threads) {
    int slots = 200;
    CountDownLatch begun = new CountDownLatch(slots);
    store.addAll(slots, job());

    start(
        on(
                (payload, context) -> {
                  begun.countDown();
                  begun.await();
                  return Outcome.completed();
                },
                slots)
            .handlerThreads(threads),
        config().pollInterval(Duration.ofMinutes(1))); // so that no poll starts the jobs

    await().until(() -> store.count(JobStatus.COMPLETED) == slots);
  }

  @Test
  void anExecutorOfTheApplicationRunsTheHandlersAndIsLeftOpen() {
    Set<String> names = ConcurrentHashMap.newKeySet();
    ExecutorService own = Executors.newFixedThreadPool(2, task -> new Thread(task, "users-own"));
    try {
      store.addAll(50, job());
      Worker worker =
          start(
              onPlatformThreads(
                      TYPE,
                      (payload, context) -> {
                        names.add(Thread.currentThread().getName());
                        return Outcome.completed();
                      },
                      2)
                  .handlerThreads(HandlerThreads.of(own)),
              config());
      await().until(() -> store.count(JobStatus.COMPLETED) == 50);
      worker.close();
      assertThat(own.isShutdown()).isFalse();
    } finally {
      own.shutdownNow();
    }
    assertThat(names).containsExactly("users-own");
  }

  @Test
  void anExecutorThatRefusesTasksLosesNoJob() {
    ExecutorService own = Executors.newFixedThreadPool(1);
    own.shutdown();
    JobId job = store.add(job());

    Worker worker =
        start(
            onPlatformThreads(TYPE, (payload, context) -> Outcome.completed(), 1)
                .handlerThreads(HandlerThreads.of(own)),
            config());

    await().until(() -> store.uncountedAttempts(job) >= 1);
    assertThat(store.attempts(job) - store.uncountedAttempts(job)).isBetween(0, 1);
    worker.close();
    assertThat(store.status(job)).isEqualTo(JobStatus.PENDING);
  }

  @Test
  void aStopReleasesJobsThatWaitInAnExecutorOfTheApplication() {
    ExecutorService own = Executors.newFixedThreadPool(1);
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger begun = new AtomicInteger();
    try {
      store.addAll(3, job());
      Worker worker =
          start(
              onPlatformThreads(
                      TYPE,
                      (payload, context) -> {
                        begun.incrementAndGet();
                        release.await();
                        return Outcome.completed();
                      },
                      3)
                  .handlerThreads(HandlerThreads.of(own)),
              config().drainTimeout(Duration.ofMillis(200)));
      await().until(() -> begun.get() == 1 && store.count(JobStatus.RUNNING) == 3);

      worker.stop();
    } finally {
      release.countDown();
      own.shutdownNow();
    }
    assertThat(begun).hasValue(1);
    assertThat(store.count(JobStatus.PENDING)).isEqualTo(3);
  }

  /** The leases of dropped jobs must not be renewed forever. */
  @Test
  void jobsThatAnExecutorDropsAreReleasedAndTheirSlotsAreFree() {
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger begun = new AtomicInteger();
    ExecutorService own =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            new ThreadPoolExecutor.DiscardPolicy());
    try {
      store.addAll(3, job().maxAttempts(1));
      start(
          onPlatformThreads(
                  TYPE,
                  (payload, context) -> {
                    begun.incrementAndGet();
                    release.await();
                    return Outcome.completed();
                  },
                  3)
              .handlerThreads(HandlerThreads.of(own)),
          config().lease(Duration.ofMillis(300)).interruptGrace(Duration.ofMillis(50)));

      await().until(() -> events.all(NotBegun.class).size() >= 2);
      await().until(() -> events.all(Released.class).size() >= 2);
      assertThat(begun).hasValue(1);
      release.countDown();
      await().until(() -> store.count(JobStatus.COMPLETED) == 3);
    } finally {
      release.countDown();
      own.shutdownNow();
    }
    assertThat(store.count(JobStatus.DEAD)).isZero();
  }

  @Test
  void aReleasedJobIsNotRunWhenTheExecutorBeginsItLate() {
    List<Runnable> late = new CopyOnWriteArrayList<>();
    ExecutorService own = new LateExecutor(late);
    AtomicInteger begun = new AtomicInteger();
    JobId job = store.add(job().maxAttempts(1));
    Worker worker =
        start(
            onPlatformThreads(
                    TYPE,
                    (payload, context) -> {
                      begun.incrementAndGet();
                      return Outcome.completed();
                    },
                    1)
                .handlerThreads(HandlerThreads.of(own)),
            config().lease(Duration.ofMillis(300)).interruptGrace(Duration.ofMillis(50)));
    await().until(() -> !events.all(Released.class).isEmpty());
    assertThat(store.uncountedAttempts(job)).isPositive();

    late.get(0).run();

    assertThat(begun).hasValue(0);
    await()
        .until(
            () -> {
              late.forEach(Runnable::run); // at most one of them is not too late
              return store.status(job) == JobStatus.COMPLETED;
            });
    assertThat(begun).hasValue(1);
    assertThat(worker.status().running()).isZero();
  }

  /** An executor that keeps its tasks until the test runs them. */
  private static final class LateExecutor extends AbstractExecutorService {

    private final List<Runnable> late;

    LateExecutor(List<Runnable> late) {
      this.late = late;
    }

    @Override
    public void execute(Runnable task) {
      late.add(task);
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
      return late;
    }

    @Override
    public boolean isShutdown() {
      return false;
    }

    @Override
    public boolean isTerminated() {
      return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return true;
    }
  }

  @Test
  void dependentStagesDoNotRunOnTheThreadThatRenewsLeases() throws Exception {
    ExecutorService own =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            new ThreadPoolExecutor.CallerRunsPolicy());
    CompletableFuture<String> where = new CompletableFuture<>();
    CompletableFuture<Outcome> stage = new CompletableFuture<>();
    CompletableFuture<?> hung =
        stage.whenComplete((outcome, thrown) -> where.complete(Thread.currentThread().getName()));
    JobId job = store.add(job().maxAttempts(1));
    try {
      start(
          onPlatformThreads(TYPE, (payload, context) -> Outcome.async(stage), 1)
              .handlerThreads(HandlerThreads.of(own)),
          config().lease(Duration.ofMillis(300)));
      await().until(() -> events.all(Started.class).size() == 1);
      store.requestCancel(job);

      assertThat(where.get(10, TimeUnit.SECONDS)).contains("canceller");
      await().until(hung::isCompletedExceptionally);
    } finally {
      own.shutdownNow();
    }
  }

  @Test
  void virtualThreadsAreTheDefaultFromJava21() {
    assertThat(Runtime.version().feature() >= 21 ? "virtual" : "platform")
        .isEqualTo(HandlerThreads.automatic().toString());
  }
}
