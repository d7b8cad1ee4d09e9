package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests jobs with ordering keys on several workers. */
@QueueTest
@Timeout(120)
class OrderedJobsIT {

  record Step(String key, int number) {}

  private static final JobType<Step> STEP =
      JobType.of("step", Step.class)
          .orderedBy(Step::key)
          .retry(Backoff.fixed(Duration.ofMillis(10)));

  private final QueueDatabase database;
  private final HikariDataSource pool;
  private final JobQueue queue;
  private final List<Worker> workers = new ArrayList<>();

  /** For each key, the numbers of the jobs whose handler has run, with repetitions. */
  private final Map<String, Queue<Integer>> runs = new ConcurrentHashMap<>();

  private final Map<String, String> inHandler = new ConcurrentHashMap<>();
  private final List<String> violations = new CopyOnWriteArrayList<>();

  OrderedJobsIT(QueueDatabase database) {
    this.database = database;
    this.pool = database.newDataSource(32);
    this.queue = JobQueue.builder(pool).schema(database.schema()).build();
  }

  @AfterEach
  void stop() {
    workers.forEach(Worker::close);
    pool.close();
  }

  @Test
  void eightWorkersKeepTheOrderOfEveryKeyThroughRetriesSnoozesDelaysAndPriorities()
      throws SQLException {
    int keys = 12;
    int jobs = 15;
    for (int i = 0; i < 8; i++) {
      start(this::handle, Duration.ofMillis(50));
    }
    Random random = new Random(5);
    for (int number = 0; number < jobs; number++) {
      try (Connection caller = database.connection()) {
        caller.setAutoCommit(false);
        for (int key = 0; key < keys; key++) {
          var enqueuer = key % 2 == 0 ? queue : queue.in(caller);
          int priority = random.nextInt(3);
          Duration delay = Duration.ofMillis(random.nextInt(5) == 0 ? 30 : 0);
          enqueuer.enqueue(
              STEP, new Step("key " + key, number), job -> job.priority(priority).delay(delay));
        }
        caller.commit();
      }
    }

    await().atMost(Duration.ofSeconds(60)).until(() -> count("jobs") == 0);
    assertThat(violations).isEmpty();
    assertThat(runs).hasSize(keys);
    runs.forEach(
        (key, numbers) -> {
          assertThat(List.copyOf(numbers)).as(key).isSorted();
          assertThat(numbers.stream().distinct())
              .as(key)
              .containsExactlyElementsOf(IntStream.range(0, jobs).boxed().toList());
        });
    assertThat(count("jobs_archive WHERE status = 'completed'")).isEqualTo(keys * jobs);
  }

  @Test
  void jobsOfACallersTransactionRunWithoutWaitingForAPoll() throws SQLException {
    start(
        (step, context) -> {
          ran(step);
          return Outcome.completed();
        },
        Duration.ofMinutes(1));
    await().until(() -> listeners() > 0);
    for (int number = 0; number < 20; number++) {
      try (Connection caller = database.connection()) {
        caller.setAutoCommit(false);
        queue.in(caller).enqueue(STEP, new Step("key", number));
        caller.commit();
      }
      await().until(() -> count("jobs") == 0);
    }
    assertThat(List.copyOf(runs.get("key"))).isSorted();
  }

  @Test
  void runUntilIdleRunsTheJobsOfACallersTransactionInOrder() throws SQLException {
    try (Connection caller = database.connection()) {
      caller.setAutoCommit(false);
      queue
          .in(caller)
          .enqueueAll(STEP, IntStream.range(0, 5).mapToObj(n -> new Step("a", n)).toList());
      queue.in(caller).enqueue(STEP, new Step("b", 0));
      caller.commit();
    }
    Worker worker =
        Worker.on(queue)
            .handle(
                STEP,
                (step, context) -> {
                  assertThat(context.orderingKey()).contains(step.key());
                  ran(step);
                  return Outcome.completed();
                })
            .queue("default", 1)
            .build();

    worker.runUntilIdle();
    assertThat(runs.get("a")).containsExactly(0, 1, 2, 3, 4);
    assertThat(runs.get("b")).containsExactly(0);
    assertThat(count("jobs")).isZero();
  }

  private void start(Handler<Step> handler, Duration pollInterval) {
    workers.add(
        Worker.on(queue)
            .handle(STEP, handler)
            .queue("default", 2)
            .config(WorkerConfig.builder().pollInterval(pollInterval).build())
            .start());
  }

  private Outcome handle(Step step, JobContext context) throws Exception {
    String before = inHandler.putIfAbsent(step.key(), step.toString());
    if (before != null) {
      violations.add(step + " while " + before);
    }
    try {
      ran(step);
      int draw = ThreadLocalRandom.current().nextInt(12);
      if (draw == 0) {
        throw new IllegalStateException("no luck");
      }
      if (draw == 1) {
        return Outcome.snooze(Duration.ofMillis(5));
      }
      if (draw == 2) {
        try (Connection connection = database.connection()) {
          connection.setAutoCommit(false);
          context.completeIn(connection);
          // The next job may start as soon as this transaction has committed.
          inHandler.remove(step.key(), step.toString());
          connection.commit();
        }
      }
      return Outcome.completed();
    } finally {
      inHandler.remove(step.key(), step.toString());
    }
  }

  private void ran(Step step) {
    runs.computeIfAbsent(step.key(), key -> new ConcurrentLinkedQueue<>()).add(step.number());
  }

  private int listeners() {
    return value(
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND state = 'idle'"
            + " AND datname = current_database()");
  }

  private int count(String rows) {
    return value("SELECT count(*) FROM \"" + database.schema() + "\"." + rows);
  }

  private int value(String sql) {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getInt(1);
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }
}
