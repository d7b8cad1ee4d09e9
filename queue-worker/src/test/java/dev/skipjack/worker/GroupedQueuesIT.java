package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests workers of fair and limited queues by the jobs that ran. */
@QueueTest
@Timeout(60)
class GroupedQueuesIT {

  record Note(String group) {}

  private static final JobType<Note> NOTE =
      JobType.of("note", Note.class)
          .groupedBy(note -> note.group().isEmpty() ? null : note.group());

  private final QueueDatabase database;
  private final JobQueue queue;
  private final List<String> order = new CopyOnWriteArrayList<>();
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger mostRunning = new AtomicInteger();

  GroupedQueuesIT(QueueDatabase database) {
    this.database = database;
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
  }

  private void enqueue(String group, int count) {
    queue.enqueueAll(NOTE, Collections.nCopies(count, new Note(group)));
  }

  private Outcome run(Note note) {
    int now = running.incrementAndGet();
    mostRunning.accumulateAndGet(now, Math::max);
    order.add(note.group());
    running.decrementAndGet();
    return Outcome.completed();
  }

  private Worker.Builder worker() {
    return worker(Duration.ofSeconds(1));
  }

  private Worker.Builder worker(Duration pollInterval) {
    return Worker.on(queue)
        .config(
            WorkerConfig.builder()
                .pollInterval(pollInterval)
                .drainTimeout(Duration.ofSeconds(5))
                .build())
        .handle(NOTE, (note, context) -> run(note));
  }

  private void execute(String sql) {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql.replace("@", database.schema() + "."));
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  private int number(String sql) {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql.replace("@", database.schema() + "."))) {
      row.next();
      return row.getInt(1);
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  @Nested
  class Fair {

    @Test
    void groupWithManyJobsDelaysOtherGroupsByOneRound() {
      execute("INSERT INTO @job_queues (queue, fair) VALUES ('default', true)");
      enqueue("many", 2_000);
      for (int i = 0; i < 100; i++) {
        enqueue("one-" + i, 1);
      }

      assertThat(worker().queue("default", 1).build().runUntilIdle()).isEqualTo(2_100);

      assertThat(new HashSet<>(order.subList(0, 220))).hasSize(101);
    }

    @Test
    void groupsGetSharesByTheirWeights() {
      execute("INSERT INTO @job_queues (queue, fair) VALUES ('default', true)");
      execute("INSERT INTO @job_groups (queue, group_key, weight) VALUES ('default', 'a', 3)");
      enqueue("", 1_000);
      enqueue("b", 1_000);
      enqueue("a", 1_000);

      Worker worker = worker().queue("default", 3).build();
      try (Worker started = worker.start()) {
        await().until(() -> order.size() >= 1_000);
        assertThat(started.status().started()).isTrue();
      }

      List<String> first = order.subList(0, 1_000);
      assertThat(Collections.frequency(first, "a")).isBetween(560, 640);
      assertThat(Collections.frequency(first, "b")).isBetween(170, 230);
      assertThat(Collections.frequency(first, "")).isBetween(170, 230);
    }

    @Test
    void priorityComesBeforeTheTurnsOfGroups() {
      execute("INSERT INTO @job_queues (queue, fair) VALUES ('default', true)");
      enqueue("low", 20);
      queue.enqueueAll(NOTE.priority(5), Collections.nCopies(20, new Note("high")));

      assertThat(worker().queue("default", 1).build().runUntilIdle()).isEqualTo(40);

      assertThat(order.subList(0, 20)).containsOnly("high");
    }

    @Test
    void queueCanBecomeFairAndUnfairWhileAWorkerRuns() {
      try (Worker worker = worker().queue("default", 2).start()) {
        enqueue("a", 3);
        await().until(() -> order.size() == 3);
        execute("INSERT INTO @job_queues (queue, fair) VALUES ('default', true)");
        enqueue("a", 3);
        await().until(() -> order.size() == 6);
        execute(
            "INSERT INTO @job_groups (queue, group_key, paused_at) VALUES ('default', 'a', now())");
        enqueue("a", 1);
        enqueue("b", 3);
        await().until(() -> order.size() == 9);
        assertThat(order.subList(6, 9)).containsOnly("b");
        execute("UPDATE @job_groups SET paused_at = NULL");
        await().until(() -> order.size() == 10);
        execute("UPDATE @job_queues SET fair = false");
        enqueue("", 3);
        await().until(() -> order.size() == 13);
        assertThat(worker.status().started()).isTrue();
      }
    }

    @Test
    void orderingKeysKeepTheirOrderInAFairQueue() {
      execute("INSERT INTO @job_queues (queue, fair) VALUES ('default', true)");
      for (int i = 0; i < 30; i++) {
        int number = i;
        queue.enqueue(
            JobType.of("note", Note.class),
            new Note("" + i),
            job -> job.group("g" + number % 3).orderingKey("key"));
      }
      try (Worker worker = worker().queue("default", 4).start()) {
        await().until(() -> order.size() == 30);
        assertThat(worker.status().started()).isTrue();
      }

      assertThat(order).extracting(Integer::parseInt).isSorted();
    }
  }

  @Nested
  class Limited {

    @Test
    void jobsOfALimitOfOneFollowEachOtherWithoutAPoll() {
      execute("INSERT INTO @job_limits (name, max_running) VALUES ('one', 1)");
      execute("INSERT INTO @job_queues (queue, limit_name) VALUES ('default', 'one')");
      enqueue("a", 25);
      enqueue("", 25);

      try (Worker worker = worker(Duration.ofSeconds(60)).queue("default", 10).start()) {
        await().until(() -> order.size() == 50);
        assertThat(worker.status().started()).isTrue();
      }

      assertThat(mostRunning).hasValue(1);
      assertThat(overlap("true")).isEqualTo(1);
    }

    @Test
    void queuesThatShareALimitContinueWhenEitherHasAFreePermit() {
      execute("INSERT INTO @job_limits (name, max_running) VALUES ('one', 1)");
      execute(
          "INSERT INTO @job_queues (queue, limit_name) VALUES ('default', 'one'), ('other',"
              + " 'one')");
      enqueue("a", 10);
      queue.enqueueAll(NOTE.onQueue("other"), Collections.nCopies(10, new Note("b")));

      try (Worker worker =
          worker(Duration.ofSeconds(60)).queue("default", 10).queue("other", 10).start()) {
        await().until(() -> order.size() == 20);
        assertThat(worker.status().started()).isTrue();
      }

      assertThat(overlap("true")).isEqualTo(1);
    }

    @Test
    void severalWorkersTogetherKeepTheLimitOfEachGroup() {
      execute("INSERT INTO @job_limits (name, max_running_per_group) VALUES ('two', 2)");
      execute("INSERT INTO @job_queues (queue, limit_name) VALUES ('default', 'two')");
      for (int i = 0; i < 5; i++) {
        enqueue("g" + i, 60);
      }

      try (Worker first = worker(Duration.ofMillis(50)).queue("default", 8).start();
          Worker second = worker(Duration.ofMillis(50)).queue("default", 8).start()) {
        await().until(() -> order.size() == 300);
        assertThat(first.status().started() && second.status().started()).isTrue();
      }

      for (int i = 0; i < 5; i++) {
        assertThat(overlap("group_key = 'g" + i + "'")).isBetween(1, 2);
      }
    }

    @Test
    void nothingIsPrefetchedFromALimitedQueue() throws InterruptedException {
      execute("INSERT INTO @job_limits (name, max_running) VALUES ('fifty', 50)");
      execute("INSERT INTO @job_queues (queue, limit_name) VALUES ('default', 'fifty')");
      enqueue("a", 20);
      CountDownLatch end = new CountDownLatch(1);
      Map<String, Integer> begun = new ConcurrentHashMap<>();
      try (Worker worker =
          Worker.on(queue)
              .config(WorkerConfig.builder().prefetch(100).build())
              .handle(
                  NOTE,
                  (note, context) -> {
                    if (begun.merge("all", 1, Integer::sum) > 10) {
                      end.await();
                    }
                    return Outcome.completed();
                  })
              .queue("default", 2)
              .start()) {
        await().until(() -> begun.getOrDefault("all", 0) == 12);
        assertThat(number("SELECT count(*) FROM @jobs WHERE status = 'running'")).isEqualTo(2);
        end.countDown();
        assertThat(worker.status().started()).isTrue();
      }
      assertThat(overlap("true")).isLessThanOrEqualTo(2);
    }

    @Test
    void rateHoldsJobsUntilItOpens() {
      execute(
          "INSERT INTO @job_limits (name, rate_count, rate_period, rate_burst) VALUES ('rate', 50,"
              + " '1 second', 5)");
      execute("INSERT INTO @job_queues (queue, limit_name) VALUES ('default', 'rate')");
      enqueue("a", 30);

      try (Worker worker = worker(Duration.ofSeconds(60)).queue("default", 10).start()) {
        await().until(() -> order.size() == 30);
        assertThat(worker.status().started()).isTrue();
      }

      assertThat(
              number(
                  "SELECT max(n) FROM (SELECT count(*) OVER (ORDER BY started_at RANGE BETWEEN"
                      + " interval '100 ms' PRECEDING AND CURRENT ROW) AS n FROM @job_executions)"
                      + " AS w"))
          .isLessThanOrEqualTo(10);
    }

    @Test
    void throttledOutcomeStopsAllStartsForAWhile() {
      execute("INSERT INTO @job_limits (name, max_running) VALUES ('api', 1)");
      execute("INSERT INTO @job_queues (queue, limit_name) VALUES ('default', 'api')");
      enqueue("a", 2);
      AtomicInteger calls = new AtomicInteger();
      try (Worker worker =
          Worker.on(queue)
              .handle(
                  NOTE,
                  (note, context) ->
                      calls.incrementAndGet() == 1
                          ? Outcome.throttled(Duration.ofSeconds(2))
                          : Outcome.completed())
              .queue("default", 5)
              .start()) {
        await().until(() -> calls.get() == 3);
        assertThat(worker.status().started()).isTrue();
      }

      assertThat(
              number(
                  "SELECT count(*) FROM @job_executions AS first JOIN @job_executions AS later ON"
                      + " later.started_at > first.finished_at AND later.started_at <"
                      + " first.finished_at + interval '1.9 s' WHERE first.status = 'snoozed'"))
          .isZero();
    }

    @Test
    void runUntilIdleKeepsTheLimitAndLeavesTheRest() {
      execute("INSERT INTO @job_limits (name, max_running) VALUES ('none', 0), ('two', 2)");
      execute(
          "INSERT INTO @job_queues (queue, limit_name) VALUES ('default', 'two'), ('held',"
              + " 'none')");
      enqueue("a", 7);
      queue.enqueue(NOTE.onQueue("held"), new Note("b"));

      int ran = worker().queue("default", 1).queue("held", 1).build().runUntilIdle();

      assertThat(ran).isEqualTo(7);
      assertThat(overlap("true")).isLessThanOrEqualTo(2);
      assertThat(number("SELECT count(*) FROM @jobs")).isEqualTo(1);
    }
  }

  /** Returns the most executions that ran at the same time, by the audit. */
  private int overlap(String which) {
    return number(
        "SELECT max(n) FROM (SELECT sum(d) OVER (ORDER BY at, d) AS n FROM (SELECT started_at AS"
            + " at, 1 AS d FROM @job_executions WHERE "
            + which
            + " UNION ALL SELECT finished_at, -1 FROM @job_executions WHERE finished_at IS NOT NULL"
            + " AND "
            + which
            + ") AS e) AS s");
  }

  @Test
  void ungroupedAndPlainQueuesAreServedByOneWorker() {
    execute("INSERT INTO @job_queues (queue, fair) VALUES ('fair', true)");
    List<String> queues = new ArrayList<>(List.of("default", "fair"));
    for (String name : queues) {
      queue.enqueueAll(NOTE.onQueue(name), Collections.nCopies(100, new Note(name)));
    }
    try (Worker worker = worker().queue("default", 2).queue("fair", 2).start()) {
      await().until(() -> order.size() == 200);
      assertThat(worker.status().started()).isTrue();
    }
    assertThat(order).contains("default", "fair");
  }
}
