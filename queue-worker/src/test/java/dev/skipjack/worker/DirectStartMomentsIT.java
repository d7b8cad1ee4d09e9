package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests events that happen after a direct start was committed, and before the enqueue has passed
 * the job to the worker.
 */
@QueueTest
@Timeout(60)
class DirectStartMomentsIT {

  private static final JobType<Integer> NUMBER = JobType.of("number", Integer.class);

  private final QueueDatabase database;
  private final FaultyDataSource faulty;
  private final JobQueue queue;
  private final JobQueue elsewhere;
  private final List<Integer> begun = new CopyOnWriteArrayList<>();
  private final Semaphore endings = new Semaphore(0);

  @SuppressWarnings("NullAway.Init") // JUnit calls start
  private Worker worker;

  /** Each claim holds the lock for reading. */
  private final ReadWriteLock claims = new ReentrantReadWriteLock();

  /** The enqueues that pause after the commit, before they return their connections, by thread. */
  private final Map<Thread, Enqueue> slow = new ConcurrentHashMap<>();

  /** The payload of the job that was started directly. */
  private int number;

  /** An enqueue in a thread of its own. */
  private record Enqueue(CountDownLatch committed, CountDownLatch goOn) {

    Enqueue() {
      this(new CountDownLatch(1), new CountDownLatch(1));
    }

    void await() throws InterruptedException {
      committed.countDown();
      goOn.await();
    }
  }

  DirectStartMomentsIT(QueueDatabase database) {
    this.database = database;
    this.faulty = new FaultyDataSource(slowly(database.dataSource()));
    this.queue =
        JobQueue.builder(faulty)
            .controlOn(database.dataSource())
            .schema(database.schema())
            .sameForAllThreads(true)
            .build();
    this.elsewhere = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
  }

  /** Not in the constructor: the tables still have the jobs of the test before. */
  @BeforeEach
  void start() {
    worker =
        Worker.on(withPausableClaims(queue))
            .handle(NUMBER, (number, context) -> run(number))
            .queue("default", 4)
            .config(
                WorkerConfig.builder()
                    .lease(Duration.ofSeconds(30))
                    .heartbeatInterval(Duration.ofMillis(200))
                    .build())
            .build()
            .start();
  }

  @AfterEach
  void stop() {
    slow.values().forEach(enqueue -> enqueue.goOn().countDown());
    endings.release(1_000);
    worker.close();
  }

  private Outcome run(int number) throws InterruptedException {
    begun.add(number);
    if (number > 0) {
      endings.acquire();
    }
    return Outcome.completed();
  }

  private QueueAccess withPausableClaims(QueueAccess access) {
    JobStore store =
        proxy(
            JobStore.class,
            (method, arguments) -> {
              if (!method.getName().startsWith("claim")) {
                return method.invoke(access.store(), arguments);
              }
              claims.readLock().lock();
              try {
                return method.invoke(access.store(), arguments);
              } finally {
                claims.readLock().unlock();
              }
            });
    return proxy(
        QueueAccess.class,
        (method, arguments) ->
            method.getName().equals("store") ? store : method.invoke(access, arguments));
  }

  /**
   * Returns the pool, whose connections wait in {@code close} for the enqueue if it is in {@link
   * #slow}.
   */
  private DataSource slowly(DataSource pool) {
    return proxy(
        DataSource.class,
        (method, arguments) -> {
          Object result = method.invoke(pool, arguments);
          return result instanceof Connection connection ? slowly(connection) : result;
        });
  }

  private Connection slowly(Connection connection) {
    return proxy(
        Connection.class,
        (method, arguments) -> {
          Enqueue enqueue = slow.get(Thread.currentThread());
          if (method.getName().equals("close") && enqueue != null) {
            enqueue.await();
          }
          return method.invoke(connection, arguments);
        });
  }

  @FunctionalInterface
  private interface Call {
    @Nullable Object on(Method method, Object @Nullable [] arguments) throws Exception;
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              try {
                return call.on(method, arguments);
              } catch (InvocationTargetException failure) {
                throw failure.getCause();
              }
            }));
  }

  /**
   * Begins direct starts until one is committed as such. The worker gives no slot before its first
   * claim has returned, nor while the database seems to be slow.
   */
  private Thread startSlowly() throws InterruptedException {
    while (true) {
      number++;
      Enqueue enqueue = new Enqueue();
      int payload = number;
      Thread thread = new Thread(() -> queue.enqueue(NUMBER, payload));
      slow.put(thread, enqueue);
      claims.writeLock().lock(); // a job that is running now was not claimed
      try {
        thread.start();
        enqueue.committed().await();
        if (state().equals("running 1 0")) {
          assertThat(begun).doesNotContain(number);
          return thread;
        }
      } finally {
        claims.writeLock().unlock();
      }
      goOn(thread);
      endings.release();
      awaitNoJob();
    }
  }

  private void goOn(Thread thread) throws InterruptedException {
    Objects.requireNonNull(slow.get(thread)).goOn().countDown();
    thread.join();
  }

  private void awaitNoJob() {
    await().until(() -> value("SELECT count(*) FROM @jobs").equals("0"));
  }

  private JobId only() {
    return new JobId(Long.parseLong(value("SELECT id FROM @jobs")));
  }

  private String state() {
    return value(
        "SELECT concat_ws(' ', status, attempts, uncounted_attempts) FROM @jobs WHERE payload = '"
            + number
            + "'");
  }

  private String attempts() {
    return value(
        "SELECT string_agg(status, ' ' ORDER BY id) FROM @job_executions WHERE job_id = (SELECT"
            + " max(job_id) FROM @job_executions)");
  }

  /** The search was caused by another enqueue, whose response was lost. */
  @Test
  void jobThatASearchForLostJobsHasReleasedRunsOnce() throws Exception {
    Thread enqueue = startSlowly();

    // Two searches find it, and a claim starts it again.
    await().until(() -> begun.contains(number) || !loseResponse());
    goOn(enqueue);
    endings.release();

    awaitNoJob();
    assertThat(begun).containsOnlyOnce(number);
    assertThat(
            value(
                "SELECT string_agg(e.status, ' ' ORDER BY e.id) FROM @job_executions e JOIN"
                    + " @jobs_archive a ON a.id = e.job_id WHERE a.payload = '"
                    + number
                    + "'"))
        .isEqualTo("released succeeded");
  }

  /** Loses the response to an enqueue, which may be a direct start. Returns true. */
  private boolean loseResponse() {
    faulty.cutAfterCommit(1);
    assertThatThrownBy(() -> queue.enqueue(NUMBER, -2)).isInstanceOf(StoreException.class);
    return true;
  }

  @Test
  void jobIsReleasedIfTheWorkerStops() throws Exception {
    Thread enqueue = startSlowly();
    Thread stop = new Thread(worker::stop);
    stop.start();
    await().until(() -> stop.getState() == Thread.State.TIMED_WAITING);

    goOn(enqueue);
    stop.join();

    assertThat(begun).doesNotContain(number);
    assertThat(state()).isEqualTo("pending 1 1");
    assertThat(attempts()).isEqualTo("released");
  }

  /** The job runs, like one that was claimed before the pause. */
  @Test
  void jobRunsAlthoughTheQueueIsPaused() throws Exception {
    Thread enqueue = startSlowly();
    elsewhere.admin().pause("default");

    goOn(enqueue);
    endings.release();

    awaitNoJob();
    assertThat(begun).containsOnlyOnce(number);
    queue.enqueue(NUMBER, -3);
    assertThat(value("SELECT status FROM @jobs")).isEqualTo("pending");
  }

  @Test
  void cancelledJobIsArchivedAsCancelled() throws Exception {
    Thread enqueue = startSlowly();
    elsewhere.admin().cancel(List.of(only()));

    goOn(enqueue);

    awaitNoJob();
    assertThat(value("SELECT status FROM @jobs_archive WHERE payload = '" + number + "'"))
        .isEqualTo("cancelled");
    assertThat(attempts()).isEqualTo("cancelled");
  }

  /** A server that did not receive the commit takes over. */
  @Test
  void jobWhoseCommitAFailoverLosesIsNotArchived() throws Exception {
    Thread enqueue = startSlowly();
    execute("DELETE FROM @job_executions WHERE job_id = (SELECT id FROM @jobs)");
    execute("DELETE FROM @jobs");

    goOn(enqueue);
    endings.release();
    queue.enqueue(NUMBER, -3);
    await().until(() -> begun.contains(-3));

    awaitNoJob();
    assertThat(value("SELECT count(*) FROM @jobs_archive WHERE payload = '" + number + "'"))
        .isEqualTo("0");
    assertThat(value("SELECT status FROM @jobs_archive WHERE payload = '-3'"))
        .isEqualTo("completed");
  }

  private String value(String sql) {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(inSchema(sql))) {
      return row.next() ? String.valueOf(row.getString(1)) : "(no row)";
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  private void execute(String sql) {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(inSchema(sql));
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  private String inSchema(String sql) {
    return sql.replace("@", "\"" + database.schema() + "\".");
  }
}
