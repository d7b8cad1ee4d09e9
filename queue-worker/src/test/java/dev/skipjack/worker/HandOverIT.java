package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.spi.HandOver;
import dev.skipjack.api.spi.HandedOver;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.faults.FaultyDataSource.CommitFate;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that completing a job with an ordering key can claim the next job of the key. */
@QueueTest
@Timeout(120)
class HandOverIT {

  record Step(int number) {}

  private static final JobType<Step> STEP =
      JobType.of("step", Step.class).orderedBy(step -> "key").maxAttempts(1);

  private static final JobType<Step> FREE = JobType.of("free", Step.class);

  /**
   * Enough jobs for hand-overs even on a busy machine. After jobs have followed each other for 50
   * ms, a completion hands over no job.
   */
  private static final int JOBS = 100;

  /** Half of a lease, so a lost job cannot have been rescued yet. */
  private static final Duration SOON = Duration.ofSeconds(15);

  private QueueDatabase database;
  private HikariDataSource pool;
  private FaultyDataSource faulty;
  private JobQueue queue;
  private final List<Worker> workers = new ArrayList<>();
  private final EventLog events = new EventLog();
  private final List<Integer> ran = new CopyOnWriteArrayList<>();
  private final List<HandedOver> handedOver = new CopyOnWriteArrayList<>();
  private final AtomicInteger asked = new AtomicInteger();

  /** Runs after each hand-over, in its thread. */
  private volatile UnaryOperator<HandedOver> after = result -> result;

  private volatile Runnable before = () -> {};

  @BeforeEach
  void open(QueueDatabase database) {
    this.database = database;
    pool = database.newDataSource(16);
    faulty = new FaultyDataSource(pool);
    queue = JobQueue.builder(faulty).schema(database.schema()).build();
  }

  @AfterEach
  void close() {
    workers.forEach(Worker::close);
    pool.close();
  }

  private enum Threads {
    PLATFORM,
    AUTOMATIC,
    GIVEN
  }

  @ParameterizedTest
  @EnumSource
  void jobsOfAKeyFollowEachOtherWithTheEventsOfAllJobs(Threads threads) {
    ExecutorService executor = Executors.newFixedThreadPool(4);
    List<Long> intercepted = new CopyOnWriteArrayList<>();
    try {
      List<JobId> jobs = enqueue(40);
      workers.add(
          builder(this::handle)
              .handlerThreads(
                  switch (threads) {
                    case PLATFORM -> HandlerThreads.platform();
                    case AUTOMATIC -> HandlerThreads.automatic();
                    case GIVEN -> HandlerThreads.of(executor);
                  })
              .interceptor(
                  (context, next) -> {
                    intercepted.add(context.jobId().value());
                    return next.proceed();
                  })
              .start());

      await().atMost(SOON).until(() -> events.all(WorkerEvent.Succeeded.class).size() == 40);
      assertThat(ran).containsExactlyElementsOf(IntStream.range(0, 40).boxed().toList());
      assertThat(intercepted).containsExactlyElementsOf(jobs.stream().map(JobId::value).toList());
      assertThat(handedOver).anySatisfy(each -> assertThat(each.next()).isNotNull());
      for (JobId job : jobs) {
        assertThat(events.of(job))
            .as("events of job %s", job)
            .extracting(event -> event.getClass().getSimpleName())
            .containsExactly("Claimed", "Started", "Succeeded");
      }
      assertThat(count("jobs")).isZero();
      assertThat(
              value(
                  "SELECT count(*) FROM @job_executions AS one JOIN @job_executions AS next ON next.job_id = one.job_id + 1"
                      + " WHERE next.started_at < one.finished_at"))
          .isZero();
    } finally {
      workers.forEach(Worker::close);
      executor.shutdownNow();
    }
  }

  @Test
  void jobThatArrivesWhileTheWorkerStopsIsReleasedUncounted() throws Exception {
    enqueue(JOBS);
    CountDownLatch completing = new CountDownLatch(1);
    CountDownLatch stopping = new CountDownLatch(1);
    after =
        result -> {
          if (result.next() != null) {
            completing.countDown();
            awaitLatch(stopping);
          }
          return result;
        };
    Worker worker = builder(this::handle).start();
    workers.add(worker);
    completing.await();
    int before = ran.size();
    JobId next =
        Objects.requireNonNull(handedOver.get(handedOver.size() - 1).next()).execution().jobId();
    Thread closer = closeUntilItWaits(worker);
    stopping.countDown();
    closer.join();

    assertThat(ran).hasSize(before);
    assertThat(
            text(
                "SELECT status || ' ' || attempts || ' ' || uncounted_attempts || ' ' || ordering_head FROM @jobs WHERE id = "
                    + next))
        .isEqualTo("pending 1 1 true");
    assertThat(text("SELECT status FROM @job_executions WHERE job_id = " + next))
        .isEqualTo("released");
    after = result -> result;
    workers.add(builder(this::handle).start());
    await().atMost(SOON).until(() -> count("jobs") == 0);
    assertAllRanInOrder();
  }

  @Test
  void stoppingWorkerRequestsNoHandOver() throws Exception {
    List<JobId> jobs = enqueue(2);
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch stopping = new CountDownLatch(1);
    Worker worker =
        builder(
                (step, context) -> {
                  running.countDown();
                  stopping.await();
                  return handle(step, context);
                })
            .start();
    workers.add(worker);
    running.await();
    Thread closer = closeUntilItWaits(worker);
    stopping.countDown();
    closer.join();

    assertThat(asked).hasValue(0);
    assertThat(ran).containsExactly(0);
    // A claim that began before the stop may have found it. Then it was released uncounted.
    assertThat(
            text(
                "SELECT status || ' ' || attempts - uncounted_attempts FROM @jobs WHERE id = "
                    + jobs.get(1)))
        .isEqualTo("pending 0");
  }

  @ParameterizedTest
  @EnumSource(
      value = CommitFate.class,
      names = {"CUT_BEFORE", "CUT_AFTER"})
  void lostHandOverDelaysNoJobUntilItsLeaseExpires(CommitFate fate) {
    AtomicInteger cuts = new AtomicInteger(1);
    ThreadLocal<Boolean> cut = ThreadLocal.withInitial(() -> false);
    before = () -> cut.set(cuts.getAndDecrement() > 0);
    faulty.decideCommits(
        () -> {
          boolean isCut = cut.get();
          cut.set(false);
          return isCut ? fate : CommitFate.ACKNOWLEDGED;
        });
    enqueue(JOBS);
    workers.add(builder(this::handle).start());

    await().atMost(SOON).until(() -> count("jobs") == 0);
    assertThat(cuts.get()).isNotPositive();
    assertAllRanInOrder();
    assertThat(events.all(WorkerEvent.Lost.class)).isEmpty();
    await().until(() -> events.all(WorkerEvent.Succeeded.class).size() == JOBS);
    assertThat(count("job_executions WHERE status = 'released'"))
        .isEqualTo(fate == CommitFate.CUT_AFTER ? 1 : 0);
  }

  @Test
  void staleCompletionHandsOverNoJobAndIsReportedAsLost() {
    enqueue(JOBS);
    before =
        () ->
            execute(
                "UPDATE @jobs SET current_execution_id = nextval('@job_execution_id_seq') WHERE status = 'running'");
    workers.add(builder(this::handle).start());

    await().atMost(SOON).until(() -> events.all(WorkerEvent.Lost.class).size() == 1);
    assertThat(handedOver.get(0).next()).isNull();
    assertThat(count("jobs WHERE status = 'running'")).isEqualTo(1);
    assertThat(count("jobs WHERE status = 'waiting'")).isEqualTo(JOBS - ran.size());
  }

  @Test
  void completionOfALockedRowIsRepeatedAndTheNextJobRuns() throws SQLException {
    enqueue(JOBS);
    try (Connection caller = database.connection()) {
      caller.setAutoCommit(false);
      before =
          () -> {
            try (Statement lock = caller.createStatement()) {
              lock.execute(inSchema("SELECT 1 FROM @jobs WHERE status = 'running' FOR SHARE"));
            } catch (SQLException failure) {
              throw new AssertionError(failure);
            }
          };
      after =
          result -> {
            before = () -> {};
            rollBack(caller);
            return result;
          };
      workers.add(builder(this::handle).start());

      await().atMost(SOON).until(() -> count("jobs") == 0);
      assertThat(handedOver.get(0).next()).isNull();
      assertAllRanInOrder();
    }
  }

  @Test
  void pauseThatIsCommittedBeforeTheHandOverStopsTheKey() {
    enqueue(JOBS);
    before = () -> queue.admin().pause("default");
    workers.add(builder(this::handle).start());

    await().atMost(SOON).until(() -> !handedOver.isEmpty());
    assertThat(handedOver.get(0)).isEqualTo(new HandedOver(Verdict.DONE, null));
    assertThat(count("jobs WHERE status = 'pending'")).isEqualTo(1);
    assertThat(count("jobs")).isEqualTo(JOBS - ran.size());
    before = () -> {};
    queue.admin().resume("default");
    await().atMost(SOON).until(() -> count("jobs") == 0);
    assertAllRanInOrder();
  }

  @Test
  void unreadableAndUnknownJobsEndAsUsual() {
    List<JobId> jobs = enqueue(JOBS);
    execute("UPDATE @jobs SET payload = '{\"number\": \"x\"}' WHERE id = " + jobs.get(50));
    execute("UPDATE @jobs SET kind = 'unknown' WHERE id = " + jobs.get(JOBS - 1));
    workers.add(builder(this::handle).start());

    await().atMost(SOON).until(() -> count("jobs WHERE status = 'dead'") == 1);
    assertThat(handedOver).anySatisfy(each -> assertThat(each.next()).isNotNull());
    assertThat(ran).as("the dead head blocks the key").hasSize(50);
    assertThat(queue.admin().unblock("key", jobs.get(50))).isTrue();
    await().atMost(SOON).until(() -> ran.size() == JOBS - 2);
    await()
        .atMost(SOON)
        .until(
            () ->
                text("SELECT status FROM @jobs WHERE id = " + jobs.get(JOBS - 1))
                    .equals("pending"));
  }

  /** A hand-over frees a unique key that is held until the start, as a claim does. */
  @Test
  void jobsWithAUniqueKeyAreHandedOver() {
    List<JobId> jobs = enqueue(JOBS);
    execute(
        "UPDATE @jobs SET unique_key = 'u' || id, unique_until = CASE WHEN id % 2 = 0 THEN 'started' ELSE 'ended' END");
    List<String> keys = new CopyOnWriteArrayList<>();
    workers.add(
        builder(
                (step, context) -> {
                  keys.add(
                      text(
                          "SELECT coalesce(unique_key, 'free') FROM @jobs WHERE id = "
                              + context.jobId()));
                  return handle(step, context);
                })
            .start());

    await().atMost(SOON).until(() -> count("jobs") == 0);
    assertThat(keys)
        .containsExactlyElementsOf(
            jobs.stream().map(job -> job.value() % 2 == 0 ? "free" : "u" + job).toList());
    assertThat(handedOver).anySatisfy(each -> assertThat(each.next()).isNotNull());
  }

  /** A caller's run promises the exact order: priority, due time, id. */
  @Test
  void runInTheCallersThreadHandsNothingOver() {
    enqueue(2);
    queue.enqueue(FREE, new Step(100));
    Worker worker = builder(this::handle).build();

    assertThat(worker.runNext()).isTrue();
    worker.runUntilIdle();

    assertThat(asked).hasValue(0);
    assertThat(ran).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void jobsWithAResultOrAStageAreNotHandedOver(boolean stage) {
    enqueue(3);
    workers.add(
        builder(
                (step, context) -> {
                  Outcome unused = handle(step, context);
                  return stage
                      ? Outcome.async(CompletableFuture.completedFuture(Outcome.completed()))
                      : Outcome.completed(step);
                })
            .start());
    await().atMost(SOON).until(() -> count("jobs") == 0);
    assertThat(asked).hasValue(0);
    assertThat(ran).containsExactly(0, 1, 2);
  }

  private void assertAllRanInOrder() {
    assertThat(ran).containsExactlyElementsOf(IntStream.range(0, JOBS).boxed().toList());
  }

  private Outcome handle(Step step, JobContext context) {
    ran.add(step.number());
    return Outcome.completed();
  }

  private Worker.Builder builder(Handler<Step> handler) {
    return Worker.on(intercepted(queue))
        .name("hands-over")
        .handle(STEP, handler)
        .handle(FREE, handler)
        .queue("default", 4)
        .listener(events);
  }

  /** Closes a worker, and returns when the stop waits for handlers. */
  private static Thread closeUntilItWaits(Worker worker) {
    Thread closer = new Thread(worker::close);
    closer.start();
    // Polls often, because jobs follow each other for a short time only.
    await()
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofNanos(200_000))
        .until(
            () ->
                Arrays.stream(closer.getStackTrace())
                    .anyMatch(frame -> frame.getMethodName().equals("drain")));
    return closer;
  }

  private QueueAccess intercepted(QueueAccess real) {
    JobStore store =
        proxy(
            JobStore.class,
            (method, args) -> {
              if (!(args != null && args[0] instanceof HandOver)) {
                return method.invoke(real.store(), args);
              }
              asked.incrementAndGet();
              before.run();
              HandedOver result = (HandedOver) method.invoke(real.store(), args);
              handedOver.add(result);
              return after.apply(result);
            });
    return proxy(
        QueueAccess.class,
        (method, args) -> method.getName().equals("store") ? store : method.invoke(real, args));
  }

  @FunctionalInterface
  private interface Call {
    Object on(Method method, Object[] args) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, args) -> {
              try {
                return call.on(method, args);
              } catch (InvocationTargetException thrown) {
                throw Objects.requireNonNull(thrown.getCause());
              }
            }));
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  private static void rollBack(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException failure) {
      throw new AssertionError(failure);
    }
  }

  private List<JobId> enqueue(int jobs) {
    return queue.enqueueAll(STEP, IntStream.range(0, jobs).mapToObj(Step::new).toList());
  }

  private int count(String rows) {
    return value("SELECT count(*) FROM @" + rows);
  }

  private int value(String sql) {
    return Integer.parseInt(text(sql));
  }

  private String text(String sql) {
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
