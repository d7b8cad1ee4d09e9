package dev.skipjack.worker;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.store.jooq.FollowedTransaction;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.WorkerEvent.Succeeded;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests jobs that an enqueue starts in a free slot of a worker of the same process. */
@QueueTest
@Timeout(60)
class DirectStartIT {

  record Note(int number) {}

  private static final JobType<Note> NOTE = JobType.of("note", Note.class);

  private final QueueDatabase database;
  private final JobQueue queue;
  private final EventLog events = new EventLog();
  private final List<Worker> workers = new ArrayList<>();
  private final Set<JobId> returnedByClaims = ConcurrentHashMap.newKeySet();
  private final AtomicInteger direct = new AtomicInteger();
  private final AtomicInteger claimed = new AtomicInteger();

  DirectStartIT(QueueDatabase database) {
    this.database = database;
    this.queue =
        JobQueue.builder(database.dataSource())
            .schema(database.schema())
            .sameForAllThreads(true)
            .build();
  }

  @AfterEach
  void stop() {
    workers.forEach(Worker::close);
  }

  private Worker start(JobQueue access, int slots, Handler<Note> handler, WorkerConfig config) {
    Worker worker =
        Worker.on(watched(access))
            .handle(NOTE, handler)
            .queue("default", slots)
            .listener(events)
            .config(config)
            .build();
    workers.add(worker);
    return worker.start();
  }

  /** Counts the jobs that were claimed, and those that were started directly. */
  private Outcome look(JobContext context) {
    (returnedByClaims.contains(context.jobId()) ? claimed : direct).incrementAndGet();
    return Outcome.completed();
  }

  /** Returns access to the queue that remembers which jobs were returned by claims. */
  private QueueAccess watched(QueueAccess access) {
    JobStore store =
        watched(
            JobStore.class,
            access.store(),
            (method, result) -> {
              if (method.equals("claim") || method.equals("claimFew")) {
                for (Object job : (List<?>) result) {
                  returnedByClaims.add(((ClaimedJob) job).execution().jobId());
                }
              }
              return result;
            });
    return watched(
        QueueAccess.class, access, (method, result) -> method.equals("store") ? store : result);
  }

  private static <T> T watched(
      Class<T> type, T target, BiFunction<String, Object, @Nullable Object> result) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              try {
                return result.apply(method.getName(), method.invoke(target, arguments));
              } catch (InvocationTargetException failure) {
                throw failure.getCause();
              }
            }));
  }

  private void enqueueOneByOne(int jobs) {
    int before = events.all(Succeeded.class).size();
    for (int i = 1; i <= jobs; i++) {
      int ended = before + i;
      queue.enqueue(NOTE, new Note(i));
      await()
          .pollInterval(Duration.ofMillis(1))
          .until(() -> events.all(Succeeded.class).size() == ended);
    }
  }

  @Test
  void jobsThatArriveOneByOneStartWithoutAClaim() {
    start(queue, 2, (note, context) -> look(context), WorkerConfig.defaults());
    await()
        .until(
            () -> {
              enqueueOneByOne(1);
              return direct.get() > 0; // no job starts directly before the first poll
            });
    int earlier = direct.get() + claimed.get();

    enqueueOneByOne(50);

    assertThat(direct.get() + claimed.get()).isEqualTo(earlier + 50);
    assertThat(direct.get()).isGreaterThan(45);
    await().untilAsserted(() -> assertThat(value("SELECT count(*) FROM @jobs")).isEqualTo("0"));
    assertThat(value("SELECT count(*) FROM @jobs_archive WHERE status = 'completed'"))
        .isEqualTo(String.valueOf(earlier + 50));
  }

  @Test
  void aWorkerWithoutDirectStartClaims() {
    start(
        queue,
        2,
        (note, context) -> look(context),
        WorkerConfig.builder().directStart(false).build());

    enqueueOneByOne(20);

    assertThat(direct).hasValue(0);
    assertThat(claimed).hasValue(20);
  }

  @Test
  void jobsForHandlersOnAGivenExecutorAreOnlyClaimed() {
    ExecutorService executor = Executors.newFixedThreadPool(2);
    try {
      Worker worker =
          Worker.on(watched(queue))
              .handle(NOTE, (note, context) -> look(context))
              .queue("default", 2)
              .listener(events)
              .handlerThreads(HandlerThreads.of(executor))
              .build();
      workers.add(worker);
      worker.start();

      enqueueOneByOne(20);

      assertThat(direct).hasValue(0);
    } finally {
      workers.forEach(Worker::close);
      executor.shutdown();
    }
  }

  @Test
  void everyJobOfManyThreadsRunsOnceAndTheSlotsAreNeverExceeded() throws Exception {
    Map<Integer, CountDownLatch> ended = new ConcurrentHashMap<>();
    List<Integer> seen = new CopyOnWriteArrayList<>();
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Handler<Note> handler =
        (note, context) -> {
          most.accumulateAndGet(running.incrementAndGet(), Math::max);
          seen.add(note.number());
          Outcome outcome = look(context);
          running.decrementAndGet();
          requireNonNull(ended.get(note.number())).countDown();
          return outcome;
        };
    start(queue, 3, handler, WorkerConfig.defaults());
    JobQueue elsewhere = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
    start(
        elsewhere,
        1,
        (note, context) -> {
          seen.add(note.number());
          requireNonNull(ended.get(note.number())).countDown();
          return Outcome.completed();
        },
        WorkerConfig.defaults());
    ExecutorService producers = Executors.newFixedThreadPool(4);
    List<Future<?>> loops = new ArrayList<>();
    for (int thread = 0; thread < 4; thread++) {
      int first = thread * 300;
      loops.add(
          producers.submit(
              () -> {
                for (int i = first; i < first + 300; i++) {
                  CountDownLatch done = new CountDownLatch(1);
                  ended.put(i, done);
                  queue.enqueue(NOTE, new Note(i));
                  done.await();
                }
                return null;
              }));
    }
    for (Future<?> loop : loops) {
      loop.get();
    }
    producers.shutdown();

    await().until(() -> events.all(Succeeded.class).size() == 1_200);
    assertThat(seen).doesNotHaveDuplicates().hasSize(1_200);
    assertThat(most).hasValueLessThanOrEqualTo(3);
    assertThat(direct).hasPositiveValue();
    assertThat(value("SELECT count(*) FROM @job_executions")).isEqualTo("1200");
  }

  @Test
  void jobsOfTransactionsRunOnceIfTheyAreCommittedAndNeverOtherwise() throws Exception {
    List<Integer> seen = new CopyOnWriteArrayList<>();
    Map<Integer, CountDownLatch> ended = new ConcurrentHashMap<>();
    start(
        queue,
        6,
        (note, context) -> {
          seen.add(note.number());
          Outcome outcome = look(context);
          requireNonNull(ended.get(note.number())).countDown();
          return outcome;
        },
        WorkerConfig.defaults());
    Set<Integer> committed = ConcurrentHashMap.newKeySet();
    ExecutorService producers = Executors.newFixedThreadPool(4);
    List<Future<?>> loops = new ArrayList<>();
    for (int thread = 0; thread < 4; thread++) {
      int first = thread * 200;
      loops.add(
          producers.submit(
              () -> {
                try (Connection connection = database.connection()) {
                  connection.setAutoCommit(false);
                  for (int i = first; i < first + 200; i++) {
                    CountDownLatch done = new CountDownLatch(1);
                    ended.put(i, done);
                    if (endTransaction(connection, i)) {
                      committed.add(i);
                      done.await();
                    }
                  }
                }
                return null;
              }));
    }
    for (Future<?> loop : loops) {
      loop.get();
    }
    producers.shutdown();

    await().until(() -> value("SELECT count(*) FROM @jobs").equals("0"));
    assertThat(seen).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(committed);
    assertThat(direct).hasPositiveValue();
  }

  /**
   * Enqueues a job in a transaction that ends in one of several ways, which {@code number} selects.
   * Returns whether the job exists afterwards.
   */
  private boolean endTransaction(Connection connection, int number) throws SQLException {
    FollowedTransaction followed = queue.follow();
    Savepoint before = connection.setSavepoint();
    queue.in(connection, followed).enqueue(NOTE, new Note(number));
    int end = number % 100;
    if (end < 20) {
      connection.rollback();
      followed.rolledBack(connection);
      return false;
    }
    boolean exists = end >= 40;
    if (!exists) {
      connection.rollback(before);
    }
    followed.beforeCommit(connection);
    connection.commit();
    if (end == 99) {
      followed.unknown();
    }
    followed.committed(connection);
    return exists;
  }

  @Test
  void aStopWaitsForAnEnqueueThatHasASlotAndReleasesItsJob() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    Worker worker =
        start(
            queue,
            2,
            (note, context) -> note.number() == 13 ? stopped(never) : look(context),
            WorkerConfig.defaults());
    await()
        .until(
            () -> {
              enqueueOneByOne(1);
              return direct.get() > 0;
            });
    Thread enqueue;
    Thread stop;
    try (Connection holder = database.connection();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute(inSchema("LOCK TABLE @job_executions IN ACCESS EXCLUSIVE MODE"));
      enqueue = new Thread(() -> queue.enqueue(NOTE, new Note(13)));
      enqueue.start();
      await()
          .until(
              () ->
                  !value(
                          "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND"
                              + " datname = current_database() AND query LIKE '%lane%materialized%'")
                      .equals("0"));
      stop = new Thread(worker::stop);
      stop.start();
      await().until(() -> stop.getState() == Thread.State.TIMED_WAITING);
      holder.rollback();
    }
    enqueue.join();
    stop.join();

    assertThat(
            value(
                "SELECT concat_ws(' ', count(*), min(status), min(attempts),"
                    + " min(uncounted_attempts)) FROM @jobs"))
        .isEqualTo("1 pending 1 1");
    assertThat(value("SELECT count(*) FROM @job_executions WHERE status = 'released'"))
        .isEqualTo("1");
    assertThat(never.getCount()).isEqualTo(1);
  }

  private static Outcome stopped(CountDownLatch never) {
    never.countDown();
    return Outcome.completed();
  }

  @Test
  void aSlotWhoseEnqueueHangsIsUsedForOtherJobs() throws Exception {
    AtomicBoolean hangs = new AtomicBoolean();
    CountDownLatch released = new CountDownLatch(1);
    DataSource slow =
        watched(
            DataSource.class,
            database.dataSource(),
            (borrow, connection) ->
                watched(
                    Connection.class,
                    (Connection) connection,
                    (method, result) -> {
                      if (method.equals("prepareStatement") && hangs.get()) {
                        awaitUninterruptibly(released);
                      }
                      return result;
                    }));
    JobQueue hanging =
        JobQueue.builder(slow)
            .schema(database.schema())
            .controlOn(database.dataSource())
            .sameForAllThreads(true)
            .build();
    start(hanging, 1, (note, context) -> look(context), WorkerConfig.defaults());
    await()
        .until(
            () -> {
              hanging.enqueue(NOTE, new Note(1));
              return direct.get() > 0;
            });
    await().until(() -> value("SELECT count(*) FROM @jobs").equals("0"));
    hangs.set(true);
    Thread enqueue = new Thread(() -> hanging.enqueue(NOTE, new Note(2)));
    enqueue.start();
    int ended = events.all(Succeeded.class).size();

    queue.enqueue(NOTE, new Note(3));

    await().until(() -> events.all(Succeeded.class).size() > ended);
    assertThat(enqueue.isAlive()).isTrue();
    released.countDown();
    enqueue.join();
    await().until(() -> events.all(Succeeded.class).size() == ended + 2);
  }

  @Test
  void afterTheStopJobsAreEnqueuedForOtherWorkers() {
    Worker worker = start(queue, 2, (note, context) -> look(context), WorkerConfig.defaults());
    await()
        .until(
            () -> {
              enqueueOneByOne(1);
              return direct.get() > 0;
            });
    worker.stop();

    queue.enqueue(NOTE, new Note(1));

    assertThat(value("SELECT string_agg(status, ' ') FROM @jobs")).isEqualTo("pending");
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  private String value(String sql) {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(inSchema(sql))) {
      row.next();
      return row.getString(1);
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  private String inSchema(String sql) {
    return sql.replace("@", "\"" + database.schema() + "\".");
  }
}
