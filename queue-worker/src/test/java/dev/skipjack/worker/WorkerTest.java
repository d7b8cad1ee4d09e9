package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.Retention;
import dev.skipjack.api.StoreException;
import dev.skipjack.worker.WorkerEvent.Cancelled;
import dev.skipjack.worker.WorkerEvent.Claimed;
import dev.skipjack.worker.WorkerEvent.Dead;
import dev.skipjack.worker.WorkerEvent.Failed;
import dev.skipjack.worker.WorkerEvent.LoopFailed;
import dev.skipjack.worker.WorkerEvent.LoopRecovered;
import dev.skipjack.worker.WorkerEvent.Lost;
import dev.skipjack.worker.WorkerEvent.Released;
import dev.skipjack.worker.WorkerEvent.Rescued;
import dev.skipjack.worker.WorkerEvent.Succeeded;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.MDC;

@Timeout(30)
class WorkerTest {

  private static final JobType<String> TYPE =
      JobType.of("k", String.class).retry(Backoff.fixed(Duration.ZERO));

  private final MemoryStore store = new MemoryStore();
  private final EventLog events = new EventLog();
  private final List<Worker> workers = new ArrayList<>();

  /** The class's timeout is not for this, and a stop that hangs would hang the build. */
  @AfterEach
  @Timeout(30)
  void stop() {
    workers.forEach(Worker::close);
  }

  @Nested
  class Running {

    @Test
    void everyJobRunsOnceAndEveryQueueIsServed() {
      for (int i = 0; i < 1_000; i++) {
        store.add(job().queue(i % 3 == 0 ? "a" : "b").payload("job " + i).priority(i % 2));
      }
      Set<String> seen = ConcurrentHashMap.newKeySet();
      AtomicInteger runs = new AtomicInteger();
      JobHandler<String> handler =
          (payload, context) -> {
            seen.add(payload);
            runs.incrementAndGet();
            return Outcome.completed();
          };

      start(Worker.on(store).handle(TYPE, handler).queue("a", 4).queue("b", 4), config());

      await().until(() -> store.count(JobStatus.COMPLETED) == 1_000);
      assertThat(seen).hasSize(1_000);
      assertThat(runs).hasValue(1_000);
      await().until(() -> events.all(Succeeded.class).size() == 1_000);
      assertThat(events.all(Claimed.class)).hasSize(1_000);
    }

    @Test
    void noQueueRunsMoreThanItsConcurrency() {
      for (int i = 0; i < 300; i++) {
        store.add(job().priority(i % 5));
      }
      AtomicInteger now = new AtomicInteger();
      AtomicInteger most = new AtomicInteger();

      start(
          on(
              (payload, context) -> {
                most.accumulateAndGet(now.incrementAndGet(), Math::max);
                Thread.onSpinWait();
                now.decrementAndGet();
                return Outcome.completed();
              },
              3),
          config());

      await().until(() -> store.count(JobStatus.COMPLETED) == 300);
      assertThat(most.get()).isBetween(1, 3);
    }

    @Test
    void aFullQueueClaimsNothingMore() {
      CountDownLatch release = new CountDownLatch(1);
      store.addAll(50, job());

      Worker worker =
          start(
              on(
                  (payload, context) -> {
                    release.await();
                    return Outcome.completed();
                  },
                  2),
              config().prefetch(3));

      await().until(() -> worker.status().running() == 2);
      assertThat(worker.status()).isEqualTo(new WorkerStatus(true, 0, 2, 0, 0));
      assertThat(store.count(JobStatus.RUNNING)).isEqualTo(2);
      int claims = claims();
      await().during(Duration.ofMillis(100)).until(() -> claims() == claims);
      release.countDown();
      await().until(() -> store.count(JobStatus.COMPLETED) == 50);
    }

    @Test
    void kindsWithoutHandlerAreLeftAloneAndHideNothing() {
      for (int i = 0; i < 5; i++) {
        store.add(job().kind("foreign").priority(9));
        store.add(job().queue("other").kind("foreign").priority(9));
      }
      JobId own = store.add(job());

      start(on((payload, context) -> Outcome.completed(), 2).queue("other", 2), config());

      await().until(() -> store.status(own) == JobStatus.COMPLETED);
      assertThat(store.count(JobStatus.PENDING)).isEqualTo(10);
    }

    @Test
    void aJobWithHigherPriorityIsSeenWhileABacklogIsWorkedOff() throws Exception {
      AtomicBoolean stop = new AtomicBoolean();
      store.addAll(20, job().payload("low"));
      CountDownLatch high = new CountDownLatch(1);
      start(
          on(
              (payload, context) -> {
                if (payload.equals("high")) {
                  high.countDown();
                } else if (!stop.get()) {
                  store.add(job().payload("low")); // the backlog never ends
                }
                return Outcome.completed();
              },
              1),
          config());

      await().until(() -> store.count(JobStatus.COMPLETED) > 50);
      store.add(job().payload("high").priority(5));

      assertThat(high.await(2, TimeUnit.SECONDS)).isTrue();
      stop.set(true);
    }

    @Test
    void theLogContextNamesTheJobAndIsCleanForTheNext() {
      JobId first = store.add(job().payload("first").priority(1));
      JobId second = store.add(job().payload("second"));
      List<Map<String, String>> contexts = new CopyOnWriteArrayList<>();

      start(
          on(
              (payload, context) -> {
                contexts.add(MDC.getCopyOfContextMap());
                MDC.put("left", "behind");
                return Outcome.completed();
              },
              1),
          config());

      await().until(() -> store.count(JobStatus.COMPLETED) == 2);
      assertThat(contexts)
          .containsExactly(
              Map.of("queue", "q", "kind", "k", "jobId", first.toString(), "attempt", "1"),
              Map.of("queue", "q", "kind", "k", "jobId", second.toString(), "attempt", "1"));
    }

    @Test
    void anIdleWorkerAsksForLanesOnceAPollAndClaimsNothing() {
      start(
          on((payload, context) -> Outcome.completed(), 5),
          config().pollInterval(Duration.ofMillis(100)));

      await().until(() -> count("dueLanes") >= 5);

      assertThat(claims()).isZero();
      assertThat(count("complete")).isZero();
      assertThat(count("heartbeat")).isZero();
    }
  }

  @Nested
  class Failing {

    @Test
    void aFailedAttemptIsRetriedAndADeadJobIsDead() {
      JobId twice = store.add(job().payload("twice"));
      JobId never = store.add(job().payload("never"));

      start(
          on(
              (payload, context) -> {
                if (payload.equals("never") || context.attempt() < 2) {
                  throw new IllegalStateException("attempt " + context.attempt());
                }
                return Outcome.completed();
              },
              2),
          config());

      await().until(() -> store.status(twice) == JobStatus.COMPLETED);
      await().until(() -> store.status(never) == JobStatus.DEAD);
      assertThat(store.attempts(twice)).isEqualTo(2);
      assertThat(store.attempts(never)).isEqualTo(3);
      assertThat(store.error(never)).isEqualTo("attempt 3");
      await().until(() -> events.all(Dead.class).size() == 1);
      await().until(() -> events.all(Failed.class).size() == 3);
    }

    @Test
    void aCancelledJobsHandlerIsInterruptedAndTheJobDoesNotComeBack() {
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
    void aCancelledJobWhoseHandlerCompletesAllTheSameIsCompleted() {
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
    void aPayloadThatCannotBeReadFailsItsJobAlone() {
      JobId poison = store.add(job().payload("poison").maxAttempts(1));
      JobId good = store.add(job().payload("good").maxAttempts(1));

      start(on((payload, context) -> Outcome.completed(), 1), config());

      await().until(() -> store.status(good) == JobStatus.COMPLETED);
      await().until(() -> store.status(poison) == JobStatus.DEAD);
      assertThat(store.error(poison)).isEqualTo("Not a payload.");
    }

    /** Fault 6: no Error costs a thread. */
    @Test
    void errorsAreFailedAttemptsAndTheThreadsLiveOn() {
      for (int i = 0; i < 20; i++) {
        store.add(job().payload("overflow").maxAttempts(1));
        store.add(job().payload("memory").maxAttempts(1));
        store.add(job().payload("class").maxAttempts(1));
        store.add(job().payload("initializer").maxAttempts(1));
        store.add(job().payload("thread").maxAttempts(1));
      }
      JobId good = store.add(job().payload("good").priority(-1).maxAttempts(1));

      start(
          on(
              (payload, context) ->
                  switch (payload) {
                    case "overflow" ->
                        overflow(0) > 0 ? Outcome.completed() : Outcome.dead("never");
                    case "memory" -> throw new OutOfMemoryError("told to");
                    case "class" -> throw new NoClassDefFoundError("told to");
                    case "initializer" -> throw new ExceptionInInitializerError("told to");
                    case "thread" -> throw threadDeath();
                    default -> Outcome.completed();
                  },
              4),
          config());

      await().until(() -> store.status(good) == JobStatus.COMPLETED);
      await().until(() -> store.count(JobStatus.DEAD) == 100);
      await().until(() -> events.all(Dead.class).size() == 100);
      assertThat(
              events.all(Dead.class).stream()
                  .map(event -> event.error().errorClass())
                  .collect(Collectors.toSet()))
          .containsExactlyInAnyOrder(
              "java.lang.StackOverflowError",
              "java.lang.OutOfMemoryError",
              "java.lang.NoClassDefFoundError",
              "java.lang.ExceptionInInitializerError",
              "java.lang.ThreadDeath");
    }

    @SuppressWarnings("removal") // still thrown by what stops threads on Java 17
    private Error threadDeath() {
      return new ThreadDeath();
    }

    private int overflow(int depth) {
      return depth < 0 ? 0 : overflow(depth + 1) + 1;
    }

    @Test
    void aTimeoutInterruptsTheHandlerAndFailsTheAttempt() {
      JobId slow = store.add(job().payload("slow").maxAttempts(1));
      JobId next = store.add(job().payload("next").priority(-1).maxAttempts(1));
      AtomicBoolean leaked = new AtomicBoolean();

      start(
          Worker.on(store)
              .handle(
                  TYPE.timeout(Duration.ofMillis(50)),
                  (payload, context) -> {
                    leaked.compareAndSet(false, Thread.currentThread().isInterrupted());
                    if (payload.equals("slow")) {
                      new CountDownLatch(1).await();
                    }
                    return Outcome.completed();
                  })
              .queue("q", 1),
          config());

      await().until(() -> store.status(next) == JobStatus.COMPLETED);
      assertThat(store.status(slow)).isEqualTo(JobStatus.DEAD);
      assertThat(store.error(slow)).contains("timeout of PT0.05S is over");
      assertThat(leaked).isFalse();
    }

    @Test
    void anInterruptFlagLeftByAHandlerDoesNotReachTheNextJob() {
      List<Boolean> flags = new CopyOnWriteArrayList<>();
      store.addAll(20, job().maxAttempts(1));

      start(
          on(
              (payload, context) -> {
                flags.add(Thread.currentThread().isInterrupted());
                Thread.currentThread().interrupt();
                return Outcome.completed();
              },
              1),
          config());

      await().until(() -> store.count(JobStatus.COMPLETED) == 20);
      assertThat(flags).hasSize(20).containsOnly(false);
    }

    @Test
    void aListenerThatThrowsHarmsNothing() {
      JobId job = store.add(job().maxAttempts(1));
      start(
          on((payload, context) -> Outcome.completed(), 1)
              .listener(
                  event -> {
                    throw new IllegalStateException("bad listener");
                  }),
          config());

      await().until(() -> store.status(job) == JobStatus.COMPLETED);
      await().until(() -> events.all(Succeeded.class).size() == 1);
    }
  }

  @Nested
  class Leases {

    @Test
    void runningAndBufferedJobsKeepTheirLeases() {
      store.addAll(6, job());
      AtomicInteger runs = new AtomicInteger();

      start(
          on(
              (payload, context) -> {
                runs.incrementAndGet();
                awaitQuietly(Duration.ofMillis(1_200));
                return Outcome.completed();
              },
              3),
          // Shorter ones would run out on a busy machine, where a heartbeat may come late.
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

    /** Fault 7: what ignores its timeout is renewed no more, so others get the job. */
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

    @Test
    void partitionsAreMaintainedFromTheStart() {
      Retention retention = new Retention(Duration.ofDays(1), Duration.ofDays(2));

      start(on((payload, context) -> Outcome.completed(), 1), config().retention(retention));

      await().until(() -> store.retentions.equals(List.of(retention)));
      assertThat(store.calls).contains("createPartitions");
    }
  }

  @Nested
  class Completing {

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
    void aZombieCannotCompleteInItsTransaction() {
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
    void aHandlerThatGoesOnAfterItsCommitIsNotTakenForLost() {
      JobId job = store.add(job());

      startCompleting(
          (payload, context, connection) -> {
            context.completeIn(connection);
            connection.commit();
            awaitQuietly(Duration.ofMillis(400)); // longer than the lease
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

  @Nested
  class Stopping {

    @Test
    void whatHasNotBegunIsGivenBackAtOnceAndWhatRunsMayFinish() throws Exception {
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
      // Quick jobs first: nothing is claimed ahead of slots until a pace is known.
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
    void whatRunsOnAtTheDeadlineIsGivenBackAndItsOutcomeDiscarded() {
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

    /** What a second signal is for: the drain of the first one has an hour. */
    @Test
    @Timeout(10)
    void aStopThatWaitsForHandlersIsEndedByAnotherThatDoesNot() throws Exception {
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
    @Timeout(10)
    void aFirstStopMayBeQuickToo() throws Exception {
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
    void leasesAreRenewedWhileHandlersDrain() {
      JobId job = store.add(job());
      CountDownLatch running = new CountDownLatch(1);
      Worker worker =
          start(
              on(
                  (payload, context) -> {
                    running.countDown();
                    awaitQuietly(Duration.ofMillis(400));
                    return Outcome.completed();
                  },
                  1),
              config().lease(Duration.ofMillis(150)).rescueInterval(Duration.ofMillis(10)));
      await().until(() -> running.getCount() == 0);

      worker.stop();

      assertThat(store.status(job)).isEqualTo(JobStatus.COMPLETED);
      assertThat(count("heartbeat")).isGreaterThan(2);
    }

    @Test
    void aClaimThatComesInLateIsGivenBack() throws Exception {
      JobId job = store.add(job());
      CountDownLatch claiming = new CountDownLatch(1);
      CountDownLatch answer = new CountDownLatch(1);
      store.fault =
          new MemoryStore.Fault() {
            @Override
            public void after(String call, int size) {
              if (call.equals("claim")) {
                claiming.countDown();
                awaitLatch(answer);
              }
            }
          };
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

    /** Threads that nobody stops would renew leases for ever. */
    @Test
    void aStopThatIsInterruptedWhileOutcomesCannotBeWrittenStillEndsEveryThread() throws Exception {
      store.add(job());
      CountDownLatch refused = new CountDownLatch(1);
      store.fault =
          new MemoryStore.Fault() {
            @Override
            public void before(String call, int size) {
              if (call.equals("complete")) {
                refused.countDown();
                throw new StoreException("away", new SQLException("away", "08006"));
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
    void noThreadIsLeft() {
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
    void aStoppedWorkerIsOfNoMoreUse() {
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

  @Nested
  class DatabaseAway {

    @Test
    void workGoesOnWhenItIsBackAndNothingRanTwice() {
      AtomicInteger runs = new AtomicInteger();
      start(
          on(
              (payload, context) -> {
                runs.incrementAndGet();
                return Outcome.completed();
              },
              4),
          config());
      store.addAll(50, job());
      await().until(() -> runs.get() > 0);

      AtomicInteger refused = new AtomicInteger();
      store.fault =
          new MemoryStore.Fault() {
            @Override
            public void before(String call, int size) {
              refused.incrementAndGet();
              throw new StoreException("away", new SQLException("away", "08006"));
            }
          };
      store.addAll(50, job());
      await().until(() -> !events.all(LoopFailed.class).isEmpty());
      int before = refused.get();
      await().during(Duration.ofMillis(300)).atMost(Duration.ofSeconds(2)).until(() -> true);
      assertThat(refused.get() - before).isLessThan(60); // it backs off
      store.fault = new MemoryStore.Fault() {};

      await().until(() -> store.count(JobStatus.COMPLETED) == 100);
      await().until(() -> events.all(Succeeded.class).size() == 100);
      assertThat(runs).hasValue(100);
      await().until(() -> !events.all(LoopRecovered.class).isEmpty());
      assertThat(events.all(Failed.class)).isEmpty();
    }
  }

  @Nested
  class InTheCallingThread {

    @Test
    void runUntilIdleRunsWhatBecomesDueMeanwhile() {
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
    void aStopEndsTheDrainOfAnotherThread() throws Exception {
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
    void aQuickStopFromElsewhereEndsTheAttemptThatRuns() throws Exception {
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
    void runNextRunsOneJobInOrderOfPriority() {
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
    void aStoreThatFailsIsTheCallersBusiness() {
      store.fault =
          new MemoryStore.Fault() {
            @Override
            public void before(String call, int size) {
              throw new StoreException("away", new SQLException("away", "08006"));
            }
          };
      Worker worker = build(on((payload, context) -> Outcome.completed(), 1), config());

      assertThatThrownBy(worker::runUntilIdle).isInstanceOf(StoreException.class);
      store.fault = new MemoryStore.Fault() {};
      assertThat(worker.runUntilIdle()).isZero();
    }

    @Test
    void anInterruptEndsTheDrainAndGivesBackTheRest() {
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

  private Worker.Builder on(JobHandler<String> handler, int concurrency) {
    return Worker.on(store).handle(TYPE, handler).queue("q", concurrency);
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

  private int claims() {
    return count("claim");
  }

  private int count(String call) {
    return (int) store.calls.stream().filter(call::equals).count();
  }

  private static List<String> threads(String prefix) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith(prefix))
        .toList();
  }

  private static void awaitQuietly(Duration time) throws InterruptedException {
    new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }
}
