package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Postponed.Reason;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.worker.WorkerEvent.DatabaseBack;
import dev.skipjack.worker.WorkerEvent.DatabaseLost;
import dev.skipjack.worker.WorkerEvent.NotBegun;
import dev.skipjack.worker.WorkerEvent.PoolExhausted;
import dev.skipjack.worker.WorkerEvent.PoolFree;
import dev.skipjack.worker.WorkerEvent.Released;
import dev.skipjack.worker.WorkerEvent.Started;
import dev.skipjack.worker.WorkerEvent.Stuck;
import dev.skipjack.worker.WorkerEvent.TimedOut;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class RuntimeTest {

  private static final JobType<String> TYPE =
      JobType.of("k", String.class).retry(Backoff.fixed(Duration.ZERO));

  private final MemoryStore store = new MemoryStore();
  private final EventLog events = new EventLog();
  private final List<Worker> workers = new ArrayList<>();

  @AfterEach
  void stop() {
    workers.forEach(Worker::close);
  }

  @Nested
  class Async {

    @Test
    void aStageKeepsItsPlaceAndItsLeaseButNoThread() {
      List<CompletableFuture<Outcome>> stages = new CopyOnWriteArrayList<>();
      JobId first = store.add(job().payload("1"));
      store.add(job().payload("2"));
      store.add(job().payload("3"));

      Worker worker =
          start(
              on(
                      TYPE,
                      (payload, context) -> {
                        CompletableFuture<Outcome> stage = new CompletableFuture<>();
                        stages.add(stage);
                        return Outcome.async(stage);
                      },
                      2)
                  .name("async"),
              config().lease(Duration.ofMillis(300)));

      await().until(() -> stages.size() == 2);
      await().during(Duration.ofMillis(600)).until(() -> worker.status().running() == 2);
      assertThat(store.attempts(first)).isEqualTo(1); // renewed for two leases
      stages.get(0).complete(Outcome.completed("done"));
      await().until(() -> stages.size() == 3);
      stages.get(1).complete(Outcome.snooze(Duration.ofHours(1)));
      stages.get(2).completeExceptionally(new IllegalStateException("boom"));
      await().until(() -> stages.size() == 4); // retried at once
      stages.get(3).complete(Outcome.completed());
      await().until(() -> store.count(JobStatus.COMPLETED) == 2);
      assertThat(store.results).containsValue("done");
      assertThat(store.count(JobStatus.PENDING)).isEqualTo(1);
    }

    @Test
    void aStageThatTimesOutIsCancelledAndItsPlaceIsFree() {
      JobType<String> type = TYPE.timeout(Duration.ofMillis(100)).maxAttempts(1);
      List<CompletableFuture<Outcome>> stages = new CopyOnWriteArrayList<>();
      JobId hanging = store.add(job().payload("hang").priority(1).maxAttempts(1));
      JobId next = store.add(job().payload("next").maxAttempts(1));

      start(
          on(
              type,
              (payload, context) -> {
                if (payload.equals("next")) {
                  return Outcome.completed();
                }
                CompletableFuture<Outcome> stage = new CompletableFuture<>();
                stages.add(stage);
                return Outcome.async(stage);
              },
              1),
          config());

      await().until(() -> store.status(next) == JobStatus.COMPLETED);
      assertThat(store.status(hanging)).isEqualTo(JobStatus.DEAD);
      assertThat(store.error(hanging)).contains("timeout of PT0.1S is over");
      assertThat(stages.get(0)).isCancelled();
      await().until(() -> events.all(TimedOut.class).size() == 1);
      assertThat(events.all(Stuck.class)).isEmpty();
    }

    @Test
    void aStopGivesBackWhatHasNotAnswered() {
      JobId job = store.add(job().payload("hang"));
      CompletableFuture<Outcome> stage = new CompletableFuture<>();
      Worker worker =
          start(
              on(TYPE, (payload, context) -> Outcome.async(stage), 1),
              config().drainTimeout(Duration.ofMillis(50)));
      await().until(() -> worker.status().running() == 1);

      worker.close();

      assertThat(store.status(job)).isEqualTo(JobStatus.PENDING);
      assertThat(store.uncountedAttempts(job)).isEqualTo(1);
      await().until(stage::isCancelled);
    }

    @Test
    void theCallingThreadWaitsForTheAnswer() {
      store.add(job().payload("1"));
      store.add(job().payload("2"));
      AtomicInteger open = new AtomicInteger();
      AtomicInteger most = new AtomicInteger();
      ExecutorService other = Executors.newSingleThreadExecutor();
      try {
        Worker worker =
            build(
                on(
                    TYPE,
                    (payload, context) -> {
                      most.accumulateAndGet(open.incrementAndGet(), Math::max);
                      return Outcome.async(
                          CompletableFuture.supplyAsync(
                              () -> {
                                open.decrementAndGet();
                                return Outcome.completed();
                              },
                              other));
                    },
                    1),
                config());

        assertThat(worker.runUntilIdle()).isEqualTo(2);
      } finally {
        other.shutdownNow();
      }
      assertThat(store.count(JobStatus.COMPLETED)).isEqualTo(2);
      assertThat(most).hasValue(1);
    }
  }

  @Nested
  class Threads {

    @Test
    void theUsersOwnExecutorRunsTheHandlersAndIsLeftOpen() {
      Set<String> names = ConcurrentHashMap.newKeySet();
      ExecutorService own = Executors.newFixedThreadPool(2, task -> new Thread(task, "users-own"));
      try {
        store.addAll(50, job());
        Worker worker =
            start(
                on(
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
    void anExecutorThatRefusesLosesNothing() {
      ExecutorService own = Executors.newFixedThreadPool(1);
      own.shutdown();
      JobId job = store.add(job());

      Worker worker =
          start(
              on(TYPE, (payload, context) -> Outcome.completed(), 1)
                  .handlerThreads(HandlerThreads.of(own)),
              config());

      await().until(() -> store.uncountedAttempts(job) >= 1);
      assertThat(store.attempts(job) - store.uncountedAttempts(job)).isBetween(0, 1);
      worker.close();
      assertThat(store.status(job)).isEqualTo(JobStatus.PENDING);
    }

    @Test
    void whatWaitsInTheUsersExecutorIsGivenBackByAStop() {
      ExecutorService own = Executors.newFixedThreadPool(1);
      CountDownLatch release = new CountDownLatch(1);
      AtomicInteger begun = new AtomicInteger();
      try {
        store.addAll(3, job());
        Worker worker =
            start(
                on(
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

    /** Their leases would be renewed for ever, and their places never be free again. */
    @Test
    void whatTheUsersExecutorDropsIsGivenBackAndItsPlacesAreFree() {
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
            on(
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
    void whatWasTakenBackIsNotRunIfTheExecutorBeginsItAfterAll() {
      List<Runnable> late = new CopyOnWriteArrayList<>();
      ExecutorService own = new LateExecutor(late);
      AtomicInteger begun = new AtomicInteger();
      JobId job = store.add(job().maxAttempts(1));
      Worker worker =
          start(
              on(
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
                late.forEach(Runnable::run); // of which one at most is not too late
                return store.status(job) == JobStatus.COMPLETED;
              });
      assertThat(begun).hasValue(1);
      assertThat(worker.status().running()).isZero();
    }

    /** Keeps what it is given until somebody runs it. */
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
    void whatTheUserHungOnAStageRunsOnNoThreadOfTheLeases() throws Exception {
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
            on(TYPE, (payload, context) -> Outcome.async(stage), 1)
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
    void virtualThreadsAreThereFromJava21() {
      assertThat(Runtime.version().feature() >= 21 ? "virtual" : "platform")
          .isEqualTo(HandlerThreads.automatic().toString());
    }
  }

  @Nested
  class StuckHandlers {

    @Test
    void theirPlacesAreReplacedAndTheirJobsRescued() {
      JobType<String> type = TYPE.timeout(Duration.ofMillis(50));
      AtomicBoolean release = new AtomicBoolean();
      AtomicInteger entered = new AtomicInteger();
      store.addAll(2, job().payload("loop").priority(1).maxAttempts(1));
      store.addAll(20, job().payload("good"));

      Worker worker =
          start(
              on(
                  type,
                  (payload, context) -> {
                    if (payload.equals("loop")) {
                      entered.incrementAndGet();
                      while (!release.get()) {
                        Thread.onSpinWait();
                      }
                    }
                    return Outcome.completed();
                  },
                  2),
              config()
                  .lease(Duration.ofMillis(300))
                  .rescueInterval(Duration.ofMillis(50))
                  .interruptGrace(Duration.ofMillis(50)));

      await().until(() -> store.count(JobStatus.COMPLETED) == 20);
      await().until(() -> store.count(JobStatus.DEAD) == 2); // rescued, attempts used up
      assertThat(entered).hasValue(2);
      assertThat(worker.status().stuck()).isEqualTo(2);
      await().until(() -> events.all(Stuck.class).size() == 2);
      release.set(true);
      await().until(() -> worker.status().running() == 0);
      assertThat(worker.status().stuck()).isZero();
      store.addAll(20, job().payload("good"));
      await().until(() -> store.count(JobStatus.COMPLETED) == 40);
    }

    @Test
    void aHandlerThatIsToBeCancelledAndDoesNotListenTimesOutAllTheSame() {
      JobType<String> type = TYPE.timeout(Duration.ofMillis(600));
      AtomicBoolean release = new AtomicBoolean();
      JobId deaf = store.add(job().payload("deaf").priority(1).maxAttempts(1));
      JobId next = store.add(job().payload("next"));

      start(
          on(
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

    @Test
    void theyDoNotHoldUpAStop() {
      JobType<String> type = TYPE.timeout(Duration.ofMillis(50)).maxAttempts(1);
      AtomicBoolean release = new AtomicBoolean();
      store.add(job().payload("loop").priority(1).maxAttempts(1));
      Worker worker =
          start(
              on(
                  type,
                  (payload, context) -> {
                    while (!release.get()) {
                      Thread.onSpinWait();
                    }
                    return Outcome.completed();
                  },
                  1),
              config().interruptGrace(Duration.ofMillis(50)).drainTimeout(Duration.ofMinutes(10)));
      await().until(() -> worker.status().stuck() == 1);

      worker.stop();

      assertThat(worker.status().started()).isFalse();
      release.set(true);
    }

    @Test
    void noMorePlacesAreOpenedThanTheQueueHas() {
      JobType<String> type = TYPE.timeout(Duration.ofMillis(20)).maxAttempts(1);
      CountDownLatch release = new CountDownLatch(1);
      AtomicInteger inside = new AtomicInteger();
      store.addAll(10, job().payload("loop").priority(1).maxAttempts(1));

      start(
          on(
              type,
              (payload, context) -> {
                inside.incrementAndGet();
                while (release.getCount() > 0) {
                  Thread.onSpinWait();
                }
                return Outcome.completed();
              },
              2),
          config().interruptGrace(Duration.ofMillis(20)));

      await().until(() -> inside.get() == 4);
      await().during(Duration.ofMillis(300)).until(() -> inside.get() == 4);
      release.countDown();
    }
  }

  @Nested
  class Context {

    @Test
    void progressIsWrittenWithTheHeartbeats() throws Exception {
      JobId job = store.add(job());
      CountDownLatch end = new CountDownLatch(1);

      start(
          on(
              TYPE,
              (payload, context) -> {
                context.progress(10, null);
                context.progress(42, "half way, nearly");
                assertThat(context.timeLeft()).isEmpty();
                end.await();
                return Outcome.completed();
              },
              1),
          config().lease(Duration.ofMillis(300)));

      await().until(() -> store.progress.containsKey(job.value()));
      assertThat(store.progress.values())
          .extracting(Progress::percent, Progress::message)
          .containsExactly(tuple(42, "half way, nearly"));
      end.countDown();
      await().until(() -> store.status(job) == JobStatus.COMPLETED);
    }

    @Test
    void interceptorsStandAroundTheHandlerInTheirOrder() {
      JobId job = store.add(job());
      List<String> order = new CopyOnWriteArrayList<>();

      start(
          on(
                  TYPE,
                  (payload, context) -> {
                    order.add("handler");
                    return Outcome.completed();
                  },
                  1)
              .interceptor(named("outer", order))
              .interceptor(named("inner", order)),
          config());

      await().until(() -> store.status(job) == JobStatus.COMPLETED);
      assertThat(order)
          .containsExactly("outer in", "inner in", "handler", "inner out", "outer out");
      await().until(() -> events.all(Started.class).size() == 1);
    }

    private static ExecutionInterceptor named(String name, List<String> order) {
      return (context, next) -> {
        order.add(name + " in");
        Outcome outcome = next.proceed();
        order.add(name + " out");
        return outcome;
      };
    }

    @Test
    void anInterceptorThatThrowsFailsTheAttempt() {
      JobId job = store.add(job().maxAttempts(1));

      start(
          on(TYPE, (payload, context) -> Outcome.completed(), 1)
              .interceptor(
                  (context, next) -> {
                    throw new IllegalStateException("not today");
                  }),
          config());

      await().until(() -> store.status(job) == JobStatus.DEAD);
      assertThat(store.error(job)).isEqualTo("not today");
    }

    @Test
    void aCancelledOutcomeEndsTheJob() {
      JobId job = store.add(job());

      start(on(TYPE, (payload, context) -> Outcome.cancelled("no use"), 1), config());

      await().until(() -> store.status(job) == JobStatus.CANCELLED);
      await().until(() -> events.all(WorkerEvent.Cancelled.class).size() == 1);
      assertThat(store.audit).containsValue(ExecutionStatus.CANCELLED);
    }
  }

  @Nested
  class Versions {

    @Test
    void anEarlierPayloadIsUpcastAndALaterOneIsLeftToOthers() {
      JobType<String> type =
          TYPE.payloadVersion(2).upcast((json, version) -> json + " from " + version);
      List<String> seen = new CopyOnWriteArrayList<>();
      JobId earlier = store.add(job().payload("earlier"));
      JobId same = store.add(job().payload("same").payloadVersion(2));
      JobId later = store.add(job().payload("later").payloadVersion(3));

      start(
          on(
              type,
              (payload, context) -> {
                seen.add(payload);
                return Outcome.completed();
              },
              1),
          config());

      await().until(() -> store.uncountedAttempts(later) == 1);
      await().until(() -> store.count(JobStatus.COMPLETED) == 2);
      assertThat(store.status(earlier)).isEqualTo(JobStatus.COMPLETED);
      assertThat(store.status(same)).isEqualTo(JobStatus.COMPLETED);
      assertThat(store.status(later)).isEqualTo(JobStatus.PENDING);
      assertThat(seen).containsExactlyInAnyOrder("earlier from 1", "same");
    }
  }

  @Nested
  class Health {

    @Test
    void aWorkerThatIsNotStartedIsNeitherAliveNorReady() {
      Worker worker = build(on(TYPE, (payload, context) -> Outcome.completed(), 1), config());

      assertThat(worker.health().alive()).isFalse();
      assertThat(worker.health().ready()).isFalse();
      assertThat(worker.health().reasons()).containsExactly("The worker is not started.");
    }

    @Test
    void aDatabaseThatIsAwayMakesItUnreadyAndItsReturnReady() {
      Worker worker = start(on(TYPE, (payload, context) -> Outcome.completed(), 1), config());
      await().until(() -> worker.health().ready());
      assertThat(worker.health().reasons()).isEmpty();
      assertThat(worker.health().schemaCurrent()).contains(true);

      store.fault =
          new MemoryStore.Fault() {
            @Override
            public void before(String call, int size) {
              throw new StoreException("away", new SQLException("away", "08006"));
            }
          };
      await().until(() -> !worker.health().ready());
      assertThat(worker.health().alive()).isTrue();
      assertThat(worker.health().databaseReachable()).isFalse();
      await().until(() -> events.all(DatabaseLost.class).size() == 1);

      store.fault = new MemoryStore.Fault() {};
      await().until(() -> worker.health().ready());
      await().until(() -> events.all(DatabaseBack.class).size() == 1);
      assertThat(events.all(DatabaseLost.class)).hasSize(1);
    }

    @Test
    void partitionsThatCannotBeCreatedAreReportedWhileItIsStillReady() {
      store.missingFrom = Instant.parse("2030-01-07T00:00:00Z");
      store.postponed.add(new Postponed("job_executions_20300107", Reason.FORBIDDEN));
      Worker worker = start(on(TYPE, (payload, context) -> Outcome.completed(), 1), config());

      await().until(() -> worker.health().ready() && !worker.health().reasons().isEmpty());

      assertThat(worker.health().reasons())
          .singleElement()
          .asString()
          .startsWith(
              "It cannot create partitions (job_executions_20300107: FORBIDDEN); the last one ends at 2030-01-07T00:00:00Z");
    }

    /** Whose heartbeats have a connection of their own and are answered all the time. */
    @Test
    void aPoolWithoutAFreeConnectionIsNoDatabaseThatIsAway() {
      store.add(job());
      CountDownLatch release = new CountDownLatch(1);
      Worker worker =
          start(
              on(
                  TYPE,
                  (payload, context) -> {
                    release.await();
                    return Outcome.completed();
                  },
                  2),
              config().lease(Duration.ofMillis(300)).heartbeatInterval(Duration.ofMillis(20)));
      await().until(() -> worker.status().running() == 1 && worker.health().ready());

      store.fault =
          new MemoryStore.Fault() {
            @Override
            public void before(String call, int size) {
              if (!call.equals("heartbeat") && !call.equals("cancelRequested")) {
                throw new StoreException(
                    "none", new SQLTransientConnectionException("Not available, timed out."));
              }
            }
          };
      await().until(() -> worker.health().poolExhausted());
      assertThat(worker.health().alive()).isTrue();
      assertThat(worker.health().ready()).isFalse();
      assertThat(worker.health().databaseReachable()).isTrue();
      assertThat(worker.health().reasons())
          .anyMatch(reason -> reason.startsWith("The pool has had no free connection for "));
      await()
          .during(Duration.ofMillis(300))
          .until(() -> events.all(PoolExhausted.class).size() == 1);
      assertThat(events.all(PoolFree.class)).isEmpty();

      store.fault = new MemoryStore.Fault() {};
      release.countDown();
      await().until(() -> worker.health().ready());
      await().until(() -> events.all(PoolFree.class).size() == 1);
      assertThat(events.all(PoolExhausted.class)).hasSize(1);
      assertThat(events.all(DatabaseLost.class)).isEmpty();
    }

    @Test
    void aWorkerWithoutRoomDoesNotTakeADatabaseForBack() {
      CountDownLatch release = new CountDownLatch(1);
      store.addAll(2, job());
      Worker worker =
          start(
              on(
                  TYPE,
                  (payload, context) -> {
                    release.await();
                    return Outcome.completed();
                  },
                  2),
              config().prefetch(0).lease(Duration.ofMillis(300)));
      await().until(() -> worker.status().running() == 2);
      store.fault =
          new MemoryStore.Fault() {
            @Override
            public void before(String call, int size) {
              throw new StoreException("away", new SQLException("away", "08006"));
            }
          };

      await().until(() -> !worker.health().databaseReachable());
      await()
          .during(Duration.ofMillis(500))
          .until(() -> !worker.health().databaseReachable() && !worker.health().ready());
      store.fault = new MemoryStore.Fault() {};
      release.countDown();
      await().until(() -> worker.health().databaseReachable());
    }

    @Test
    void aSchemaOfBeforeThereWereVersionsIsTooOld() {
      store.fault =
          new MemoryStore.Fault() {
            @Override
            public void before(String call, int size) {
              if (call.equals("announce")) {
                throw new StoreException("no function", new SQLException("none", "42883"));
              }
            }
          };

      Worker worker = start(on(TYPE, (payload, context) -> Outcome.completed(), 1), config());

      await().until(() -> worker.health().schemaCurrent().isPresent());
      assertThat(worker.health().schemaCurrent()).contains(false);
    }

    @Test
    void aDatabaseThatCannotStoreEveryTextIsNamed() {
      store.encoding = "LATIN1";
      Worker worker = start(on(TYPE, (payload, context) -> Outcome.completed(), 1), config());

      await()
          .untilAsserted(
              () ->
                  assertThat(worker.health().reasons())
                      .anyMatch(reason -> reason.contains("encoding is LATIN1")));
      assertThat(worker.health().ready()).isFalse();
    }

    @Test
    void aSchemaThatIsTooOldIsToldWithoutHarm() {
      store.schemaVersion = 0;
      JobId job = store.add(job());

      Worker worker = start(on(TYPE, (payload, context) -> Outcome.completed(), 1), config());

      await().until(() -> store.status(job) == JobStatus.COMPLETED);
      await().until(() -> worker.health().schemaCurrent().isPresent());
      assertThat(worker.health().ready()).isFalse();
      assertThat(worker.health().reasons())
          .containsExactly("The schema is older than this library needs. Migrate it.");
    }

    @Test
    void pausedQueuesAreToldOnce() {
      start(on(TYPE, (payload, context) -> Outcome.completed(), 1), config());
      store.paused.add("q");
      await().until(() -> events.all(WorkerEvent.QueuePaused.class).size() == 1);
      store.paused.clear();
      await().until(() -> events.all(WorkerEvent.QueueResumed.class).size() == 1);
      assertThat(events.all(WorkerEvent.QueuePaused.class))
          .containsExactly(new WorkerEvent.QueuePaused("q"));
    }
  }

  @Nested
  class Introduction {

    @Test
    void aWorkersRowIsThereWhileItRuns() {
      Worker worker =
          start(
              on(TYPE, (payload, context) -> Outcome.completed(), 3).name("a \"quoted\" name"),
              config());

      await().until(() -> store.workers.containsKey(worker.id().bootId()));
      WorkerRow row = Objects.requireNonNull(store.workers.get(worker.id().bootId()));
      assertThat(row.queues()).containsExactly("q");
      assertThat(row.kinds()).containsExactly("k");
      assertThat(row.settings())
          .startsWith("{\"concurrency\": {\"q\": 3}")
          .contains("\"lease\": \"PT30S\"", "\"wakeUps\": true");
      worker.close();
      assertThat(store.workers).isEmpty();
    }

    @Test
    void aPoolWithoutAConnectionToSpareIsRefused() {
      store.poolSize = OptionalInt.of(1);
      Worker worker = build(on(TYPE, (payload, context) -> Outcome.completed(), 1), config());

      assertThatIllegalStateException()
          .isThrownBy(worker::start)
          .withMessageContaining("The queue's pool has 1 connection,")
          .withMessageContaining("Give it 2 or more");
    }
  }

  private Worker.Builder on(JobType<String> type, JobHandler<String> handler, int concurrency) {
    // Handlers that spin would starve virtual threads, of which only as many run as there are
    // cores.
    return Worker.on(store)
        .handle(type, handler)
        .handlerThreads(HandlerThreads.platform())
        .queue("q", concurrency);
  }

  private static WorkerConfig.Builder config() {
    return WorkerConfig.builder()
        .pollInterval(Duration.ofMillis(50))
        .drainTimeout(Duration.ofSeconds(5));
  }

  private Worker build(Worker.Builder builder, WorkerConfig.Builder config) {
    Worker worker = builder.config(config.build()).listener(events).build();
    workers.add(worker);
    return worker;
  }

  private Worker start(Worker.Builder builder, WorkerConfig.Builder config) {
    return build(builder, config).start();
  }
}
