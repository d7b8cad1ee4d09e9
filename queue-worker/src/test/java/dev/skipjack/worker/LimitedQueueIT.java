package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests workers of queues with a limit. */
@QueueTest
@Timeout(90)
class LimitedQueueIT {

  record Work(int number) {}

  private static final JobType<Work> WORK = JobType.of("work", Work.class).onQueue("limited");
  private static final String LIMIT = "limit";
  private static final Duration NO_POLL = Duration.ofMinutes(5);

  private final JobQueue queue;
  private final LimitTables limits;
  private final AtomicInteger statements = new AtomicInteger();
  private final CountDownLatch release = new CountDownLatch(1);
  private final List<Integer> ran = new CopyOnWriteArrayList<>();
  private final List<Worker> workers = new ArrayList<>();

  LimitedQueueIT(QueueDatabase database) {
    this.queue =
        JobQueue.builder(counted(database.dataSource()))
            .schema(database.schema())
            .sameForAllThreads(true)
            .build();
    this.limits = new LimitTables(database);
  }

  @AfterEach
  void stop() {
    release.countDown();
    workers.forEach(Worker::stopNow);
  }

  private DataSource counted(DataSource target) {
    return proxy(
        DataSource.class,
        target,
        connection -> proxy(Connection.class, connection, statement -> statement));
  }

  @FunctionalInterface
  private interface Wrapping {
    Object wrap(Connection connection);
  }

  private <T> T proxy(Class<T> type, T target, Wrapping wrapping) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> {
              if (method.getName().equals("prepareStatement")) {
                statements.incrementAndGet();
              }
              try {
                Object result = method.invoke(target, args);
                return type == DataSource.class && result instanceof Connection connection
                    ? wrapping.wrap(connection)
                    : result;
              } catch (InvocationTargetException thrown) {
                throw thrown.getTargetException();
              }
            }));
  }

  private Worker start(Worker.Builder builder) {
    Worker worker = builder.start();
    workers.add(worker);
    return worker;
  }

  private Worker.Builder worker(int slots, Duration poll) {
    return Worker.on(queue)
        .config(
            WorkerConfig.builder()
                .pollInterval(poll)
                .prefetch(100)
                .drainTimeout(Duration.ofSeconds(5))
                .build())
        .handle(
            WORK,
            (work, context) -> {
              ran.add(work.number());
              if (work.number() < 0) {
                release.await();
              }
              return Outcome.completed();
            })
        .queue("limited", slots);
  }

  private void limit(@Nullable Integer running, @Nullable Integer perGroup) {
    limits.limit(LIMIT, running, perGroup);
    limits.queue("limited", LIMIT, false);
  }

  private long running() {
    return limits.number("SELECT count(*) FROM @jobs WHERE status = 'running'");
  }

  @Test
  void aWorkerThatFindsOnlyHeldJobsRunsFewStatements() {
    limit(1, null);
    queue.enqueueAll(WORK, Collections.nCopies(100, new Work(-1)));
    start(worker(5, Duration.ofSeconds(1)));
    await().until(() -> running() == 1);
    int before = statements.get();

    await()
        .during(Duration.ofSeconds(1))
        .atMost(Duration.ofSeconds(10))
        .until(() -> statements.get() - before < 50);
    assertThat(ran).hasSize(1);
  }

  @Test
  void aWorkerThatFindsOnlyFullGroupsRunsFewStatements() {
    limit(null, 1);
    for (int group = 1; group <= 5; group++) {
      String name = LimitTables.group(group);
      queue.enqueueAll(WORK, Collections.nCopies(20, new Work(-1)), job -> job.group(name));
    }
    start(worker(9, Duration.ofSeconds(1)));
    await().until(() -> running() == 5);
    int before = statements.get();

    await()
        .during(Duration.ofSeconds(1))
        .atMost(Duration.ofSeconds(10))
        .until(() -> statements.get() - before < 50);
    assertThat(ran).hasSize(5);
  }

  @Test
  void theEndOfAJobStartsTheNextOneWithoutAPoll() {
    limit(1, null);
    queue.enqueueAll(WORK, Collections.nCopies(60, new Work(1)));

    start(worker(4, NO_POLL));

    await().atMost(Duration.ofSeconds(30)).until(() -> limits.hasNo("true"));
    assertThat(ran).hasSize(60);
    assertThat(limits.mostRunning()).isEqualTo(1);
  }

  @Test
  void theEndOfAJobOfAGroupStartsTheNextOneWithoutAPoll() {
    limit(null, 1);
    limits.enqueue("limited", 3, 20);

    start(worker(9, NO_POLL));

    await().atMost(Duration.ofSeconds(30)).until(() -> limits.hasNo("true"));
    assertThat(limits.mostRunningOfAGroup()).isEqualTo(1);
  }

  /** The jobs of the full group are due first, and more than a search reads at once. */
  @Test
  void aFullGroupDoesNotEndTheClaimsOfOthers() {
    limit(null, 1);
    queue.enqueueAll(WORK, Collections.nCopies(300, new Work(-1)), job -> job.group("full"));
    for (int number = 1; number <= 3; number++) {
      String name = LimitTables.group(number);
      queue.enqueueAll(WORK, Collections.nCopies(20, new Work(1)), job -> job.group(name));
    }

    start(worker(5, NO_POLL));

    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> Collections.frequency(ran, 1) == 60 && running() == 1);
    assertThat(limits.mostRunningOfAGroup()).isEqualTo(1);
  }

  @Test
  void jobsOfALimitedQueueAreNotPrefetched() {
    limit(50, null);
    queue.enqueueAll(WORK, Collections.nCopies(100, new Work(-1)));

    start(worker(2, Duration.ofMillis(50)));
    await().until(() -> ran.size() == 2);

    await().during(Duration.ofMillis(500)).until(() -> running() == 2);
    release.countDown();
    await().until(() -> limits.hasNo("true"));
    assertThat(limits.mostRunning()).isEqualTo(2);
  }

  @Test
  void enqueuesStartNoJobBeyondTheLimit() {
    limit(2, null);
    start(worker(10, Duration.ofMillis(50)));
    for (int n = 0; n < 200; n++) {
      queue.enqueue(WORK, new Work(n));
    }

    await().until(() -> limits.hasNo("true"));

    assertThat(limits.mostRunning()).isBetween(1L, 2L);
    assertThat(ran).hasSize(200);
  }

  @Test
  void enqueuesStartNoJobOfAQueueThatHasJustBeenLimited() {
    start(worker(10, Duration.ofMillis(50)));
    queue.enqueue(WORK, new Work(0));
    await().until(() -> limits.hasNo("true"));
    limit(0, null);

    for (int n = 0; n < 50; n++) {
      queue.enqueue(WORK, new Work(n));
    }

    await().during(Duration.ofMillis(500)).until(() -> running() == 0);
    assertThat(ran).hasSize(1);
    limit(5, null);
    await().until(() -> limits.hasNo("true"));
  }

  @Test
  void jobsOfAnOrderingKeyRunInOrderUnderTheLimit() {
    limit(1, null);
    List<Work> works = new ArrayList<>();
    for (int n = 0; n < 40; n++) {
      works.add(new Work(n));
    }
    queue.enqueueAll(WORK.orderedBy(work -> "key " + work.number() % 2), works);

    start(worker(5, Duration.ofMillis(50)));

    await().until(() -> limits.hasNo("true"));
    assertThat(ran.stream().filter(number -> number % 2 == 0)).isSorted().hasSize(20);
    assertThat(ran.stream().filter(number -> number % 2 == 1)).isSorted().hasSize(20);
    assertThat(limits.mostRunning()).isEqualTo(1);
  }

  @Test
  void aHigherLimitTakesEffectWithoutARestartAndALowerOneStopsNoJob() {
    limit(1, null);
    queue.enqueueAll(WORK, Collections.nCopies(20, new Work(-1)));
    start(worker(10, Duration.ofMillis(50)));
    await().until(() -> ran.size() == 1);

    limit(4, null);
    await().until(() -> ran.size() == 4);
    limit(2, null);
    await().during(Duration.ofMillis(300)).until(() -> running() == 4);

    release.countDown();
    await().until(() -> limits.hasNo("true"));
    assertThat(limits.mostRunning()).isEqualTo(4);
  }

  @Test
  void aQueueWhoseLimitIsUsedUpDelaysNoOtherQueue() {
    limit(1, null);
    queue.enqueueAll(WORK, Collections.nCopies(50, new Work(-1)));
    start(worker(5, NO_POLL).queue("other", 2));
    await().until(() -> ran.size() == 1);

    queue.enqueueAll(WORK.onQueue("other"), Collections.nCopies(50, new Work(1)));

    await().until(() -> limits.hasNo("queue = 'other'"));
    assertThat(running()).isEqualTo(1);
  }

  @Test
  void twoWorkersShareALimit() {
    limit(3, 2);
    limits.enqueue("limited", 4, 100);

    start(worker(8, Duration.ofMillis(50)).name("one"));
    start(worker(8, Duration.ofMillis(50)).name("two"));

    await().atMost(Duration.ofSeconds(60)).until(() -> limits.hasNo("true"));
    assertThat(limits.mostRunning()).isLessThanOrEqualTo(3);
    assertThat(limits.mostRunningOfAGroup()).isLessThanOrEqualTo(2);
    assertThat(limits.number("SELECT count(DISTINCT worker_id) FROM @job_executions")).isEqualTo(2);
  }

  @Test
  void runUntilIdleObeysTheLimitAndLeavesHeldJobs() {
    limit(1, null);
    queue.enqueueAll(WORK, Collections.nCopies(10, new Work(1)));
    Worker worker = worker(4, NO_POLL).build();

    assertThat(worker.runUntilIdle()).isEqualTo(10);
    assertThat(limits.mostRunning()).isEqualTo(1);

    limit(0, null);
    queue.enqueueAll(WORK, Collections.nCopies(10, new Work(1)));
    EventLog events = new EventLog();
    assertThat(worker(4, NO_POLL).listener(events).build().runUntilIdle()).isZero();
    assertThat(events.all(WorkerEvent.Held.class))
        .containsExactly(new WorkerEvent.Held("limited", LIMIT, null, 10));
    assertThat(limits.number("SELECT count(*) FROM @jobs WHERE status = 'pending'")).isEqualTo(10);
  }
}
