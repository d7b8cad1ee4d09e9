package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.worker.WorkerEvent.Claimed;
import dev.skipjack.worker.WorkerEvent.Lost;
import dev.skipjack.worker.WorkerEvent.Started;
import dev.skipjack.worker.WorkerEvent.Succeeded;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that listeners are called on a dedicated thread, for which the worker's other threads never
 * wait.
 */
@Timeout(30)
class ListenersTest {

  private static final JobType<String> TYPE = JobType.of("k", String.class);
  private static final Duration LEASE = Duration.ofMillis(500);

  private final MemoryStore store = new MemoryStore();
  private final CountDownLatch release = new CountDownLatch(1);
  private final List<Worker> workers = new ArrayList<>();

  @AfterEach
  void stop() {
    release.countDown();
    workers.forEach(Worker::close);
  }

  @Test
  void hangingListenerCausesNoLossOfALease() {
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    List<JobId> jobs = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      jobs.add(store.add(job()));
    }
    Worker worker =
        start(
            builder("leases", 4)
                .handle(
                    TYPE,
                    (payload, context) -> {
                      end.await();
                      return Outcome.completed();
                    })
                .listener(
                    event -> {
                      if (event instanceof Lost) {
                        hangs.countDown();
                        awaitRelease();
                      }
                    }));
    await().until(() -> worker.status().running() == 4);

    store.steal(jobs.get(0));
    await().until(() -> hangs.getCount() == 0);
    await().during(LEASE.multipliedBy(3)).until(() -> store.attempts(jobs.get(1)) == 1);
    end.countDown();

    await().until(() -> store.count(JobStatus.COMPLETED) >= 3);
    for (JobId job : jobs.subList(1, 4)) {
      assertThat(store.status(job)).isEqualTo(JobStatus.COMPLETED);
      assertThat(store.attempts(job)).isEqualTo(1);
    }
  }

  @Test
  void hangingListenerDelaysNeitherClaimsNorOutcomes() {
    store.add(job());
    start(
        builder("work", 1)
            .handle(TYPE, (payload, context) -> Outcome.completed())
            .listener(event -> awaitRelease()));

    await().until(() -> store.count(JobStatus.COMPLETED) == 1);
    store.add(job());
    await().until(() -> store.count(JobStatus.COMPLETED) == 2);
  }

  @Test
  void eventsComeInTheOrderInWhichTheyHappenedAndAStopDeliversThem() {
    EventLog events = new EventLog();
    Set<String> threads = ConcurrentHashMap.newKeySet();
    List<JobId> jobs = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      jobs.add(store.add(job()));
    }
    Worker worker =
        start(
            builder("order", 4)
                .handle(TYPE, (payload, context) -> Outcome.completed())
                .listener(event -> threads.add(Thread.currentThread().getName()))
                .listener(events));
    await().until(() -> store.count(JobStatus.COMPLETED) == 50);

    worker.close();

    assertThat(threads).containsExactly("queue-order-events-1");
    for (JobId job : jobs) {
      assertThat(events.of(job))
          .extracting(Object::getClass)
          .containsExactly(Claimed.class, Started.class, Succeeded.class);
    }
  }

  @Test
  void eventsOfACallerRunAreDeliveredBeforeItReturns() {
    EventLog events = new EventLog();
    Worker worker =
        builder("caller", 1)
            .handle(TYPE, (payload, context) -> Outcome.completed())
            .listener(events)
            .build();

    for (int round = 1; round <= 3; round++) {
      store.add(job());
      assertThat(worker.runUntilIdle()).isEqualTo(1);
      assertThat(events.all(Succeeded.class)).hasSize(round);
    }
  }

  /** The caller waits for its own listener for longer than the worker waits for its threads. */
  @Test
  void aRunInTheCallingThreadWaitsForASlowListener() {
    EventLog events = new EventLog();
    Worker worker =
        builder("patient", 1)
            .handle(TYPE, (payload, context) -> Outcome.completed())
            .listener(
                event -> {
                  if (event instanceof Claimed) {
                    awaitRelease(Duration.ofMillis(2_500));
                  }
                })
            .listener(events)
            .build();
    store.add(job());

    assertThat(worker.runUntilIdle()).isEqualTo(1);

    assertThat(events.all(Succeeded.class)).hasSize(1);
  }

  @Test
  void anInterruptEndsTheWaitForAListenerThatHangs() throws Exception {
    CountDownLatch hangs = new CountDownLatch(1);
    Worker worker =
        builder("hung", 1)
            .handle(TYPE, (payload, context) -> Outcome.completed())
            .listener(
                event -> {
                  hangs.countDown();
                  awaitRelease();
                })
            .build();
    store.add(job());
    Thread run = new Thread(worker::runUntilIdle);
    run.start();
    hangs.await();
    await().until(() -> store.count(JobStatus.COMPLETED) == 1);

    run.interrupt();
    run.join();

    assertThat(release.getCount()).as("the listener was not waited for").isEqualTo(1);
  }

  @Test
  void aStartDuringARunIsRefusedAndListenersReceiveLaterEvents() throws Exception {
    EventLog events = new EventLog();
    CountDownLatch running = new CountDownLatch(1);
    Worker worker =
        builder("beside", 1)
            .handle(
                TYPE,
                (payload, context) -> {
                  running.countDown();
                  release.await();
                  return Outcome.completed();
                })
            .listener(events)
            .build();
    workers.add(worker);
    store.add(job());
    Thread run = new Thread(worker::runUntilIdle);
    run.start();
    running.await();

    assertThatIllegalStateException()
        .isThrownBy(worker::start)
        .withMessageContaining("in a calling thread");
    release.countDown();
    run.join();
    assertThat(events.all(Succeeded.class)).hasSize(1);

    worker.start();
    store.add(job());
    await().until(() -> events.all(Succeeded.class).size() == 2);
    worker.stop();
    await().until(() -> threads("queue-beside-events").isEmpty());
  }

  @Test
  void aRunInsideARunIsRefusedToHandlersAndListeners() {
    List<String> refusals = new CopyOnWriteArrayList<>();
    AtomicReference<Worker> self = new AtomicReference<>();
    Worker worker =
        builder("inside", 1)
            .handle(
                TYPE,
                (payload, context) -> {
                  refusals.add(refusal(self.get()));
                  return Outcome.completed();
                })
            .listener(
                event -> {
                  if (event instanceof Succeeded) {
                    refusals.add(refusal(self.get()));
                  }
                })
            .build();
    self.set(worker);
    store.add(job());

    assertThat(worker.runNext()).isTrue();

    assertThat(refusals).hasSize(2);
    assertThat(refusals.get(0)).contains("a handler cannot run more");
    assertThat(refusals.get(1)).contains("A listener of worker");
  }

  private static String refusal(@Nullable Worker worker) {
    assertThat(worker).isNotNull();
    try {
      return "ran " + worker.runUntilIdle();
    } catch (IllegalStateException refused) {
      return String.valueOf(refused.getMessage());
    }
  }

  @Test
  void aWorkerWithoutListenersHasNoThreadForThem() {
    store.add(job());
    start(builder("silent", 1).handle(TYPE, (payload, context) -> Outcome.completed()));
    await().until(() -> store.count(JobStatus.COMPLETED) == 1);

    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .anyMatch(name -> name.equals("queue-silent-heartbeat-1"))
        .noneMatch(name -> name.startsWith("queue-silent-events"));
  }

  /** A stop that a listener calls must not wait for the listener's own thread. */
  @Test
  void aListenerMayStopTheWorker() {
    CountDownLatch stopped = new CountDownLatch(1);
    store.add(job());
    Worker stopping =
        builder("fuse", 1)
            .handle(TYPE, (payload, context) -> Outcome.completed())
            .listener(
                event -> {
                  if (event instanceof Succeeded) {
                    workers.forEach(Worker::stop);
                    stopped.countDown();
                  }
                })
            .build();
    workers.add(stopping);
    stopping.start();

    await().until(() -> stopped.getCount() == 0);
    assertThat(stopping.status().started()).isFalse();
  }

  private Worker.Builder builder(String name, int concurrency) {
    return Worker.on(store)
        .name(name)
        .queue("q", concurrency)
        .config(
            WorkerConfig.builder()
                .lease(LEASE)
                .pollInterval(Duration.ofMillis(20))
                .rescueInterval(Duration.ofMillis(50))
                .build());
  }

  private Worker start(Worker.Builder builder) {
    Worker worker = builder.start();
    workers.add(worker);
    return worker;
  }

  private static List<String> threads(String prefix) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith(prefix))
        .toList();
  }

  private void awaitRelease() {
    awaitRelease(Duration.ofMinutes(1));
  }

  private void awaitRelease(Duration atMost) {
    try {
      boolean unused = release.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
