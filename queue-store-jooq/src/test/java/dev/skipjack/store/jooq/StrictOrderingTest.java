package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.OrderedJobs;
import dev.skipjack.store.jooq.Fixture.Work;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the order of the jobs of one ordering key when their transactions commit out of order. */
@QueueTest
@Timeout(60)
class StrictOrderingTest {

  private static final JobType<Work> ORDERED =
      Fixture.WORK.orderedBy(work -> "key " + work.number());

  private static final JobType<Work> STRICT = ORDERED.strictOrdering();

  /** All keys of this test have different locks. */
  private static final Work A = new Work(1);

  private static final Work B = new Work(2);

  private static final String OF_THE_QUEUE =
      "locktype = 'advisory' AND objsubid = 2 AND classid = '@jobs'::regclass"
          + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

  private Fixture fixture;
  private OrderedJobs ordered;
  private Rival one;
  private Rival other;

  @BeforeEach
  void open(QueueDatabase database) throws SQLException {
    fixture = new Fixture(database);
    ordered = fixture.queue.orderedJobs().orElseThrow();
    one = new Rival(database);
    other = new Rival(database);
  }

  @AfterEach
  void close() throws SQLException {
    one.close();
    other.close();
  }

  /**
   * A way to enqueue a job with the key of {@link #A}, in the given transaction or in a separate
   * one.
   */
  @FunctionalInterface
  interface Way {
    long enqueue(JobQueue queue, Connection transaction, Fixture fixture) throws SQLException;
  }

  static Stream<Arguments> ways() {
    return Stream.of(
        way("own transaction", (queue, tx, fixture) -> queue.enqueue(STRICT, A).value()),
        way("own transaction, many jobs", (queue, tx, fixture) -> many(queue)),
        way("own transaction, idempotency key", (queue, tx, fixture) -> once(queue)),
        way("by option", (queue, tx, fixture) -> byOption(queue)),
        way(
            "caller's transaction",
            (queue, tx, fixture) -> queue.in(tx).enqueue(STRICT, A).value()),
        way("caller's transaction, many jobs", (queue, tx, fixture) -> many(queue.in(tx))),
        way("caller's transaction, idempotency key", (queue, tx, fixture) -> once(queue.in(tx))),
        way("SQL function", (queue, tx, fixture) -> function(tx, fixture)));
  }

  private static Arguments way(String name, Way way) {
    return Arguments.of(Named.of(name, way));
  }

  private static long many(JobEnqueuer enqueuer) {
    return enqueuer.enqueueAll(STRICT, List.of(B, A)).get(1).value();
  }

  private static long once(JobEnqueuer enqueuer) {
    EnqueueResult result = enqueuer.enqueueOnce(STRICT, A, job -> job.idempotencyKey("once"));
    return result.jobId().value();
  }

  private static long byOption(JobEnqueuer enqueuer) {
    return enqueuer
        .enqueue(Fixture.WORK, B, job -> job.orderingKey("key 1").strictOrdering())
        .value();
  }

  private static long function(Connection transaction, Fixture fixture) throws SQLException {
    try (Statement statement = transaction.createStatement();
        ResultSet row =
            statement.executeQuery(
                fixture.inSchema(
                    "SELECT @enqueue('work', ordering_key => 'key 1', strict_ordering => true)"))) {
      row.next();
      return row.getLong(1);
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void enqueueWaitsForAnOpenTransactionOfItsKey(Way way) throws Exception {
    long first = inTransaction(one, STRICT, A).value();
    other.begin();
    Future<Long> second = other.start(tx -> way.enqueue(fixture.queue, tx, fixture));
    Rival.soon().until(() -> second.isDone() || waiting() == 1);
    assertThat(second.isDone()).isFalse();

    one.commit();
    assertThat(second.get()).isGreaterThan(first);
    other.commit();
    ordered.sweep();
    assertThat(runAll("key 1")).containsExactly(first, second.get());
  }

  /** Without strict ordering, the same enqueue overtakes a transaction that commits late. */
  @Test
  void enqueueWithoutStrictOrderingDoesNotWait() throws SQLException {
    JobId early = inTransaction(one, ORDERED, A);
    JobId later = fixture.queue.enqueue(ORDERED, A);
    List<ClaimedJob> head = fixture.claim(1);
    one.commit();

    assertThat(later.value()).isGreaterThan(early.value());
    assertThat(head).extracting(each -> each.execution().jobId()).containsExactly(later);
  }

  @Test
  void enqueueOfAnotherKeyDoesNotWait() throws SQLException {
    inTransaction(one, STRICT, A);
    JobId other = fixture.queue.enqueue(STRICT, B);
    assertThat(fixture.claim(1))
        .extracting(each -> each.execution().jobId())
        .containsExactly(other);
    one.rollback();
  }

  @Test
  void onlyStrictOrderingTakesALock() throws SQLException {
    one.begin();
    one.run(
        tx -> {
          JobEnqueuer enqueuer = fixture.queue.in(tx);
          enqueuer.enqueue(ORDERED, A);
          enqueuer.enqueueAll(ORDERED, List.of(A, B));
          enqueuer.enqueue(Fixture.WORK.strictOrdering(), A); // it has no key
          enqueuer.enqueue(Fixture.WORK, A, job -> job.strictOrdering());
          return true;
        });
    one.execute(fixture.inSchema("SELECT @enqueue('work', ordering_key => 'key 1')"));
    one.execute(fixture.inSchema("SELECT @enqueue('work', strict_ordering => true)"));
    assertThat(locks(one)).isEmpty();

    one.run(tx -> fixture.queue.in(tx).enqueue(STRICT, A));
    assertThat(locks(one)).hasSize(1);
    one.rollback();
    assertThat(locks(one)).isEmpty();
  }

  @Test
  void functionTakesTheLocksOfTheLibrary() throws SQLException {
    List<Work> keys = IntStream.range(0, 60).mapToObj(Work::new).toList();
    one.begin();
    one.run(tx -> fixture.queue.in(tx).enqueueAll(STRICT, keys));
    List<String> ofTheLibrary = locks(one);
    one.rollback();

    other.begin();
    other.execute(
        fixture.inSchema(
            "SELECT @enqueue('work', ordering_key => 'key ' || n, strict_ordering => true)"
                + " FROM generate_series(0, 59) AS n"));
    assertThat(locks(other)).hasSizeGreaterThan(50).isEqualTo(ofTheLibrary);
    other.rollback();
  }

  @Test
  void callsWithTheSameKeysInAnyOrderDoNotDeadlock() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> producers = new ArrayList<>();
      for (int producer = 0; producer < 4; producer++) {
        Random random = new Random(producer);
        producers.add(
            threads.submit(
                () -> {
                  for (int round = 0; round < 25; round++) {
                    List<Work> works =
                        new ArrayList<>(IntStream.range(0, 20).mapToObj(Work::new).toList());
                    Collections.shuffle(works, random);
                    commit(tx -> fixture.queue.in(tx).enqueueAll(STRICT, works));
                  }
                  return null;
                }));
      }
      for (Future<?> producer : producers) {
        producer.get(30, TimeUnit.SECONDS); // a deadlock would fail it
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("2000");
  }

  @Test
  void severalCallsOfOneTransactionCanDeadlock() throws Exception {
    inTransaction(one, STRICT, A);
    inTransaction(other, STRICT, B);
    other.execute("SET LOCAL deadlock_timeout = '10ms'");
    Future<JobId> first = one.start(tx -> fixture.queue.in(tx).enqueue(STRICT, B));
    Rival.soon().until(() -> first.isDone() || waiting() == 1);
    Future<JobId> second = other.start(tx -> fixture.queue.in(tx).enqueue(STRICT, A));

    assertThatThrownBy(second::get)
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("40P01");
    other.rollback();
    assertThat(first.get()).isNotNull();
    one.commit();
  }

  /** A job that becomes visible must have a larger id than all earlier visible jobs of its key. */
  @Test
  void jobsRunInTheOrderOfTheCommitsWithAnyDelays() throws Exception {
    int producers = 4;
    ExecutorService threads = Executors.newFixedThreadPool(producers);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int producer = 0; producer < producers; producer++) {
        Random random = new Random(producer);
        running.add(threads.submit(() -> enqueueWithDelays(random)));
      }
      Map<String, NavigableSet<Long>> seen = new HashMap<>();
      while (!running.stream().allMatch(Future::isDone)) {
        requireLargerIdsOfNewJobs(seen);
      }
      for (Future<?> producer : running) {
        producer.get();
      }
      requireLargerIdsOfNewJobs(seen);
      assertThat(seen).hasSize(3);
    } finally {
      threads.shutdownNow();
    }
  }

  private Void enqueueWithDelays(Random random) throws SQLException {
    for (int round = 0; round < 40; round++) {
      List<Work> works = random.ints(1 + random.nextInt(3), 0, 3).mapToObj(Work::new).toList();
      long delay = TimeUnit.MICROSECONDS.toNanos(random.nextInt(3_000));
      boolean rollsBack = random.nextInt(10) == 0;
      try (Connection connection = fixture.database.connection()) {
        connection.setAutoCommit(false);
        fixture.queue.in(connection).enqueueAll(STRICT, works);
        LockSupport.parkNanos(delay);
        if (rollsBack) {
          connection.rollback();
        } else {
          connection.commit();
        }
      }
    }
    return null;
  }

  /** Reads all jobs and adds them to those that were seen before. */
  private void requireLargerIdsOfNewJobs(Map<String, NavigableSet<Long>> seen) throws SQLException {
    Map<String, NavigableSet<Long>> added = new HashMap<>();
    try (Connection connection = fixture.database.connection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(fixture.inSchema("SELECT ordering_key, id FROM @jobs"))) {
      while (row.next()) {
        added.computeIfAbsent(row.getString(1), key -> new TreeSet<>()).add(row.getLong(2));
      }
    }
    added.forEach(
        (key, ids) -> {
          NavigableSet<Long> before = seen.computeIfAbsent(key, unseen -> new TreeSet<>());
          ids.removeAll(before);
          if (!before.isEmpty() && !ids.isEmpty()) {
            assertThat(ids.first()).as(key).isGreaterThan(before.last());
          }
          before.addAll(ids);
        });
  }

  private JobId inTransaction(Rival rival, JobType<Work> type, Work work) throws SQLException {
    rival.begin();
    return rival.run(tx -> fixture.queue.in(tx).enqueue(type, work));
  }

  private void commit(Rival.Work<?> work) throws SQLException {
    try (Connection connection = fixture.database.connection()) {
      connection.setAutoCommit(false);
      work.on(connection);
      connection.commit();
    }
  }

  /** Returns how many sessions wait for a lock of an ordering key. */
  private int waiting() {
    return Integer.parseInt(
        fixture.value("SELECT count(*) FROM pg_locks WHERE NOT granted AND " + OF_THE_QUEUE));
  }

  /** Returns the numbers of the ordering key locks that a session holds, in ascending order. */
  private List<String> locks(Rival rival) {
    String numbers =
        fixture.value(
            "SELECT coalesce(string_agg(objid::text, ' ' ORDER BY objid), '') FROM pg_locks WHERE pid = "
                + rival.pid()
                + " AND "
                + OF_THE_QUEUE);
    return numbers.isEmpty() ? List.of() : List.of(numbers.split(" "));
  }

  /** Runs the jobs of a key one after another, and returns their ids. */
  private List<Long> runAll(String key) {
    List<Long> ids = new ArrayList<>();
    while (true) {
      List<ClaimedJob> claimed = fixture.claim(10);
      if (claimed.isEmpty()) {
        return ids;
      }
      for (ClaimedJob job : claimed) {
        if (key.equals(job.execution().orderingKey())) {
          ids.add(job.execution().jobId().value());
        }
        fixture.store.complete(List.of(job.execution()));
      }
    }
  }
}
