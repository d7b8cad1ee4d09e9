package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.operations.JobExecution;
import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.WorkerEvent.Cancelled;
import dev.skipjack.worker.WorkerEvent.Dead;
import dev.skipjack.worker.WorkerEvent.Failed;
import dev.skipjack.worker.WorkerEvent.LoopFailed;
import dev.skipjack.worker.WorkerEvent.Lost;
import dev.skipjack.worker.WorkerEvent.Released;
import dev.skipjack.worker.WorkerEvent.Rescued;
import dev.skipjack.worker.WorkerEvent.Succeeded;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the worker with PostgreSQL. */
@QueueTest
@Timeout(60)
class WorkerIT {

  record Note(int number) {}

  private static final JobType<Note> NOTE =
      JobType.of("note", Note.class).maxAttempts(3).retry(Backoff.fixed(Duration.ofMillis(20)));

  private final QueueDatabase database;
  private final JobQueue queue;
  private final EventLog events = new EventLog();
  private final List<Worker> workers = new ArrayList<>();

  WorkerIT(QueueDatabase database) {
    this.database = database;
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
  }

  @BeforeEach
  void createEffects() throws SQLException {
    execute("CREATE TABLE IF NOT EXISTS effects (number integer)");
    execute("TRUNCATE effects");
  }

  @AfterEach
  void stop() {
    workers.forEach(Worker::close);
  }

  @Test
  void twoWorkersRunTwoThousandJobsOnceEach() {
    queue.enqueueAll(NOTE, IntStream.range(0, 2_000).mapToObj(Note::new).toList());
    List<Integer> seen = new CopyOnWriteArrayList<>();
    Handler<Note> handler =
        (note, context) -> {
          seen.add(note.number());
          return Outcome.completed();
        };

    start(on(queue).handle(NOTE, handler).queue("default", 4), config());
    start(on(queue).handle(NOTE, handler).queue("default", 4), config());

    await().until(() -> events.all(Succeeded.class).size() == 2_000);
    assertThat(seen).doesNotHaveDuplicates().hasSize(2_000);
    assertThat(count("jobs")).isZero();
    assertThat(count("jobs_archive WHERE status = 'completed'")).isEqualTo(2_000);
    assertThat(count("job_executions WHERE status = 'succeeded'")).isEqualTo(2_000);
    assertThat(count("job_executions")).isEqualTo(2_000);
  }

  @Test
  void aFailedAttemptIsRetriedUntilItSucceeds() {
    queue.enqueue(NOTE, new Note(1));

    start(
        handling(
            (note, context) -> {
              if (context.attempt() < 3) {
                throw new IllegalStateException("not yet");
              }
              return Outcome.completed();
            },
            1),
        config());

    await().until(() -> events.all(Succeeded.class).size() == 1);
    assertThat(count("job_executions WHERE status = 'failed' AND error_message = 'not yet'"))
        .isEqualTo(2);
    assertThat(count("jobs_archive WHERE attempts = 3")).isEqualTo(1);
  }

  /** Progress and cancellations must not wait for the next renewal, which is due in hours. */
  @Test
  void longLeasesDelayNeitherProgressNorCancels() {
    JobId job = queue.enqueue(NOTE, new Note(1));
    start(
        handling(
            (note, context) -> {
              context.progress(50, "half way");
              new CountDownLatch(1).await();
              return Outcome.completed();
            },
            1),
        config().lease(Duration.ofHours(12)));

    await().until(() -> count("jobs WHERE progress IS NOT NULL") == 1);
    queue.admin().cancel(List.of(job));

    await().until(() -> events.all(Cancelled.class).size() == 1);
    assertThat(count("jobs_archive WHERE status = 'cancelled'")).isEqualTo(1);
  }

  @Test
  void aJobThatUsedItsAttemptsIsDead() {
    queue.enqueue(NOTE, new Note(1));

    start(
        handling(
            (note, context) -> {
              throw new IllegalStateException("never");
            },
            1),
        config());

    await().until(() -> events.all(Dead.class).size() == 1);
    assertThat(count("jobs WHERE status = 'dead' AND attempts = 3 AND last_error LIKE '%never%'"))
        .isEqualTo(1);
    assertThat(count("job_executions WHERE status = 'dead'")).isEqualTo(1);
  }

  /** The zombie is notified, and its transaction is rolled back. */
  @Test
  void aWorkerThatLostItsLeaseChangesNothing() throws Exception {
    FaultyDataSource cut = new FaultyDataSource(database.dataSource());
    JobQueue zombies = JobQueue.builder(cut).schema(database.schema()).build();
    queue.enqueue(NOTE, new Note(1));
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch wake = new CountDownLatch(1);
    AtomicReference<Throwable> refused = new AtomicReference<>();
    AtomicReference<ExecutionId> lost = new AtomicReference<>();
    // On a busy machine, the lease may expire early, and this worker must not rescue its own job.
    WorkerConfig.Builder shortLease =
        config().lease(Duration.ofMillis(300)).prefetch(0).rescueInterval(Duration.ofHours(1));
    start(
        on(zombies)
            .handle(
                NOTE,
                (note, context) -> {
                  try (Connection connection = database.connection()) {
                    connection.setAutoCommit(false);
                    lost.set(context.executionId());
                    running.countDown();
                    awaitUninterrupted(wake);
                    try {
                      effect(connection, 666);
                      context.completeIn(connection);
                      connection.commit();
                    } catch (LeaseLostException tooLate) {
                      refused.set(tooLate);
                      connection.rollback();
                    }
                  }
                  return Outcome.completed();
                })
            .queue("default", 1),
        shortLease);
    running.await();

    cut.makeUnavailable();
    EventLog other = new EventLog();
    Worker second =
        Worker.on(queue)
            .handle(NOTE, (note, context) -> Outcome.completed())
            .queue("default", 1)
            .config(config().rescueInterval(Duration.ofMillis(50)).build())
            .listener(other)
            .start();
    workers.add(second);
    await().until(() -> other.all(Succeeded.class).size() == 1);
    assertThat(other.all(Rescued.class)).hasSize(1);
    cut.reset();
    wake.countDown();

    await().until(() -> refused.get() != null);
    await().until(() -> !events.all(Lost.class).isEmpty());
    assertThat(events.all(Lost.class))
        .as("reported once, and a completed job has no holder")
        .extracting(told -> told.attempt().executionId(), Lost::heldBy)
        .containsExactly(tuple(lost.get(), null));
    assertThat(refused.get()).isInstanceOf(LeaseLostException.class);
    assertThat(count("effects")).isZero();
    assertThat(events.all(Succeeded.class)).isEmpty();
    assertThat(count("job_executions WHERE status = 'lost'")).isEqualTo(1);
    assertThat(count("job_executions WHERE status = 'succeeded'")).isEqualTo(1);
  }

  @Test
  void reportOfAStaleOutcomeNamesTheCurrentHolderOfTheJob() throws Exception {
    FaultyDataSource cut = new FaultyDataSource(database.dataSource());
    JobQueue zombies = JobQueue.builder(cut).schema(database.schema()).build();
    queue.enqueue(NOTE, new Note(1));
    CountDownLatch zombieRuns = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    start(
        on(zombies)
            .handle(
                NOTE,
                (note, context) -> {
                  zombieRuns.countDown();
                  awaitUninterrupted(finish);
                  return Outcome.completed();
                })
            .queue("default", 1),
        config()
            .lease(Duration.ofMillis(300))
            .prefetch(0)
            .rescueInterval(Duration.ofHours(1))
            .interruptGrace(Duration.ofHours(1)));
    zombieRuns.await();
    cut.makeUnavailable();
    AtomicReference<ExecutionId> owner = new AtomicReference<>();
    CountDownLatch end = new CountDownLatch(1);
    Worker second =
        Worker.on(queue)
            .handle(
                NOTE,
                (note, context) -> {
                  owner.set(context.executionId());
                  awaitUninterrupted(end);
                  return Outcome.completed();
                })
            .queue("default", 1)
            .config(config().rescueInterval(Duration.ofMillis(50)).build())
            .start();
    workers.add(second);
    await().until(() -> owner.get() != null);

    cut.reset();

    await().until(() -> !events.all(Lost.class).isEmpty());
    finish.countDown();
    end.countDown();
    assertThat(events.all(Lost.class)).extracting(Lost::heldBy).containsExactly(owner.get());
    await().until(() -> count("jobs_archive WHERE status = 'completed'") == 1);
  }

  /** The handler's transaction has already failed when the partition is created. */
  @Test
  void completeInWithoutAPartitionUsesNoAttempt() throws SQLException {
    dropArchivePartitions();
    AtomicInteger runs = new AtomicInteger();
    start(
        handling(
            (note, context) -> {
              if (runs.incrementAndGet() == 1) {
                dropArchivePartitions();
              }
              try (Connection connection = database.connection()) {
                connection.setAutoCommit(false);
                context.completeIn(connection);
                connection.commit();
              }
              return Outcome.completed();
            },
            1),
        config());
    // The maintainer creates the partitions at the start, and not again within the hour.
    await().until(() -> archivePartitions() == 15);
    JobId job = queue.enqueue(NOTE, new Note(7), options -> options.maxAttempts(1));

    await().until(() -> events.all(Succeeded.class).size() == 1);
    assertThat(runs).hasValue(2);
    assertThat(queue.reader().find(job).orElseThrow().executions())
        .extracting(JobExecution::status)
        .containsExactly(ExecutionStatus.RELEASED, ExecutionStatus.SUCCEEDED);
  }

  private void dropArchivePartitions() throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          DO $$
          DECLARE child regclass;
          BEGIN
            FOR child IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = '%s.jobs_archive'::regclass LOOP
              EXECUTE 'DROP TABLE ' || child;
            END LOOP;
          END $$
          """
              .formatted(database.schema()));
    }
  }

  private int archivePartitions() throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM pg_inherits WHERE inhparent = '%s.jobs_archive'::regclass"
                    .formatted(database.schema()))) {
      row.next();
      return row.getInt(1);
    }
  }

  @Test
  void completeInCommitsEffectAndCompletionTogetherOrNeither() {
    queue.enqueueAll(NOTE, IntStream.rangeClosed(1, 3).mapToObj(Note::new).toList());

    start(
        handling(
            (note, context) -> {
              try (Connection connection = database.connection()) {
                connection.setAutoCommit(false);
                effect(connection, note.number());
                context.completeIn(connection);
                if (note.number() == 2 && context.attempt() == 1) {
                  connection.rollback(); // by mistake, for example
                } else {
                  connection.commit();
                }
                connection.setAutoCommit(true);
              }
              if (note.number() == 3) {
                throw new IllegalStateException("after the commit");
              }
              return Outcome.completed();
            },
            2),
        config());

    await().until(() -> events.all(Succeeded.class).size() == 3);
    assertThat(count("effects")).isEqualTo(3);
    assertThat(count("jobs_archive WHERE status = 'completed'")).isEqualTo(3);
    assertThat(events.all(Failed.class)).hasSize(1);
    assertThat(events.all(Failed.class).get(0).error().message())
        .startsWith("The completion was rolled back");
  }

  @Test
  void headersReachTheJobAndItsFollowUpAndTheResultIsStored() {
    String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    List<String> seen = new CopyOnWriteArrayList<>();
    JobId first =
        queue.enqueue(NOTE, new Note(1), job -> job.traceparent(trace).header("tenant", "a"));

    start(
        handling(
            (note, context) -> {
              seen.add(note.number() + " " + new TreeMap<>(context.headers()));
              assertThat(context.traceparent()).contains(trace);
              if (note.number() == 1) {
                try (Connection connection = database.connection()) {
                  connection.setAutoCommit(false);
                  context
                      .enqueueIn(connection)
                      .enqueue(NOTE, new Note(2), job -> job.header("tenant", "b"));
                  context.completeIn(connection, List.of("one", 1));
                  connection.commit();
                  connection.setAutoCommit(true);
                }
              }
              return Outcome.completed(note);
            },
            2),
        config());

    await().until(() -> count("jobs_archive") == 2);
    assertThat(seen)
        .containsExactly(
            "1 {tenant=a, traceparent=" + trace + "}", "2 {tenant=b, traceparent=" + trace + "}");
    assertThat(queue.reader().find(first).orElseThrow().result()).isEqualTo("[\"one\", 1]");
    assertThat(count("jobs_archive WHERE result = '{\"number\": 2}'")).isEqualTo(1);
  }

  /** The row only shows operators which workers exist. */
  @Test
  void deletingTheWorkersRowLosesNoJob() throws SQLException {
    AtomicInteger deleted = new AtomicInteger();
    Worker worker =
        start(
            handling(
                (note, context) -> {
                  if (note.number() % 10 == 0) {
                    deleted.addAndGet(execute("DELETE FROM " + database.schema() + ".job_workers"));
                  }
                  if (note.number() == 10) {
                    awaitRenewal(context.jobId());
                  }
                  return Outcome.completed();
                },
                2),
            config().lease(Duration.ofMillis(900)).rescueInterval(Duration.ofMillis(50)));
    await().until(() -> queue.reader().workers().size() == 1);
    assertThat(queue.reader().workers().get(0).bootId()).isEqualTo(worker.id().bootId());

    queue.enqueueAll(NOTE, IntStream.rangeClosed(1, 100).mapToObj(Note::new).toList());

    await().until(() -> events.all(Succeeded.class).size() == 100);
    assertThat(count("jobs_archive")).isEqualTo(100);
    assertThat(deleted).hasPositiveValue();
    assertThat(count("job_executions")).isEqualTo(100);
    assertThat(events.all(Lost.class)).isEmpty();
    assertThat(events.all(Rescued.class)).isEmpty();
  }

  /** Waits until the current lease of the job has been renewed. */
  private void awaitRenewal(JobId job) throws SQLException {
    String lease = leaseOf(job);
    await().until(() -> !leaseOf(job).equals(lease));
  }

  private String leaseOf(JobId job) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT lease_expires_at FROM %s.jobs WHERE id = %s"
                    .formatted(database.schema(), job))) {
      assertThat(row.next()).isTrue();
      return row.getString(1);
    }
  }

  @Test
  void anExceptionInTheTransactionRollsBackAndFailsTheAttempt() {
    queue.enqueue(NOTE, new Note(1));

    start(
        handling(
            (note, context) -> {
              try (Connection connection = database.connection()) {
                connection.setAutoCommit(false);
                try {
                  effect(connection, note.number());
                  context.completeIn(connection);
                  if (context.attempt() == 1) {
                    throw new IllegalStateException("before the commit");
                  }
                  connection.commit();
                } finally {
                  connection.rollback();
                  connection.setAutoCommit(true);
                }
              }
              return Outcome.completed();
            },
            1),
        config());

    await().until(() -> events.all(Succeeded.class).size() == 1);
    assertThat(count("effects")).isEqualTo(1);
    assertThat(
            count("job_executions WHERE status = 'failed' AND error_message = 'before the commit'"))
        .isEqualTo(1);
  }

  @Test
  void unreadablePayloadAndUnknownKindAffectNoOtherJob() throws SQLException {
    JobType<String> other = JobType.of("note", String.class).maxAttempts(1).priority(1);
    queue.enqueue(other, "no note");
    queue.enqueue(JobType.of("foreign", Note.class).priority(9), new Note(0));
    queue.enqueue(NOTE, new Note(1));

    start(handling((note, context) -> Outcome.completed(), 1), config());

    await().until(() -> events.all(Succeeded.class).size() == 1);
    await().until(() -> events.all(Dead.class).size() == 1);
    assertThat(events.all(Dead.class).get(0).error().errorClass()).endsWith("PayloadException");
    assertThat(count("jobs WHERE kind = 'foreign' AND status = 'pending' AND attempts = 0"))
        .isEqualTo(1);
  }

  interface Shape {}

  record Drawing(int id, Shape shape) {}

  /** Jackson accepts the reference, and rejects the interface only when it decodes a value. */
  record Held(AtomicReference<Shape> shape) {}

  record Square(int side) implements Shape {}

  @Test
  void payloadClassThatCannotBeReadIsRefusedOrEndsTheJobAtItsFirstAttempt() {
    JobType<Drawing> drawing = JobType.of("drawing", Drawing.class);
    assertThatThrownBy(() -> on(queue).handle(drawing, (payload, context) -> Outcome.completed()))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining(Drawing.class.getName())
        .hasMessageContaining("at '/shape'");
    assertThatThrownBy(() -> queue.enqueue(drawing, new Drawing(1, new Square(2))))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("at '/shape'");

    JobType<Held> held = JobType.of("held", Held.class).retry(Backoff.fixed(Duration.ZERO));
    queue.enqueue(held, new Held(new AtomicReference<>(new Square(2))));
    start(
        on(queue).handle(held, (payload, context) -> Outcome.completed()).queue("default", 1),
        config());

    await().until(() -> events.all(Dead.class).size() == 1);
    assertThat(events.all(Failed.class)).isEmpty();
    assertThat(events.all(Dead.class).get(0).error().message())
        .contains(Held.class.getName(), "at '/shape'", Shape.class.getName());
    assertThat(count("jobs WHERE status = 'dead' AND attempts = 1")).isEqualTo(1);
  }

  @Test
  void higherPrioritiesRunFirst() {
    List<Integer> order = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 30; i++) {
      int priority = i % 3;
      queue.enqueue(NOTE, new Note(priority), job -> job.priority(priority));
    }

    start(
        handling(
                (note, context) -> {
                  order.add(note.number());
                  return Outcome.completed();
                },
                1)
            .order(LaneOrder.strict()),
        config());

    await().until(() -> order.size() == 30);
    assertThat(order).isSortedAccordingTo((left, right) -> right - left);
  }

  @Test
  void aGracefulStopUsesNoAttempt() {
    CountDownLatch release = new CountDownLatch(1);
    Worker worker =
        start(
            handling(
                (note, context) -> {
                  if (note.number() > 0) {
                    awaitUninterrupted(release);
                  }
                  return Outcome.completed();
                },
                2),
            config().prefetch(2).drainTimeout(Duration.ofMillis(200)));
    // Quick jobs first, because the worker prefetches nothing until it knows their run time.
    queue.enqueueAll(NOTE, Collections.nCopies(50, new Note(0)));
    await().until(() -> count("jobs_archive") == 50);
    queue.enqueueAll(NOTE, IntStream.rangeClosed(1, 4).mapToObj(Note::new).toList());
    await().until(() -> count("job_executions") == 54);

    worker.stop();
    release.countDown();

    assertThat(events.all(Released.class)).hasSize(4);
    assertThat(count("jobs WHERE status = 'pending' AND attempts = 1 AND uncounted_attempts = 1"))
        .isEqualTo(4);
    assertThat(count("job_executions WHERE status = 'released'")).isEqualTo(4);

    Worker next = build(handling((note, context) -> Outcome.completed(), 1), config());
    assertThat(next.runUntilIdle()).isEqualTo(4);
    assertThat(count("jobs_archive WHERE status = 'completed'")).isEqualTo(54);
  }

  @Test
  void workContinuesWhenTheDatabaseIsBack() {
    FaultyDataSource cut = new FaultyDataSource(database.dataSource());
    JobQueue shaky = JobQueue.builder(cut).schema(database.schema()).build();
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch finish = new CountDownLatch(1);
    queue.enqueueAll(NOTE, IntStream.range(0, 8).mapToObj(Note::new).toList());
    Worker worker =
        start(
            on(shaky)
                .handle(
                    NOTE,
                    (note, context) -> {
                      runs.incrementAndGet();
                      awaitUninterrupted(finish);
                      return Outcome.completed();
                    })
                .queue("default", 8),
            config());
    await().until(() -> worker.status().running() == 8);

    cut.makeUnavailable();
    finish.countDown(); // eight outcomes that cannot be written
    queue.enqueueAll(NOTE, IntStream.range(8, 100).mapToObj(Note::new).toList());
    await().until(() -> worker.status().unwritten() == 8);
    await().until(() -> !events.all(LoopFailed.class).isEmpty());
    cut.reset();

    await().until(() -> events.all(Succeeded.class).size() == 100);
    assertThat(runs).hasValue(100);
    assertThat(count("job_executions")).isEqualTo(100);
  }

  private static Worker.Builder on(JobQueue queue) {
    return Worker.on(queue);
  }

  private Worker.Builder handling(Handler<Note> handler, int concurrency) {
    return on(queue).handle(NOTE, handler).queue("default", concurrency);
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

  private long count(String from) {
    String table = from.startsWith("effects") ? from : database.schema() + "." + from;
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT count(*) FROM " + table)) {
      result.next();
      return result.getLong(1);
    } catch (SQLException broken) {
      throw new AssertionError(broken);
    }
  }

  /** Runs a statement, and returns how many rows it changed. */
  private int execute(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }

  private static void effect(Connection connection, int number) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO effects VALUES (" + number + ")");
    }
  }

  /** Waits for the latch, ignoring interrupts. */
  private static void awaitUninterrupted(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException ignored) {
        Thread.onSpinWait();
      }
    }
  }
}
