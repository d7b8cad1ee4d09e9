package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.JobId;
import dev.skipjack.api.StoreException;
import dev.skipjack.store.jooq.Fixture.Work;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests idempotency keys. */
@QueueTest
class EnqueueOnceTest {

  private final ExecutorService threads = Executors.newFixedThreadPool(8);
  private Fixture fixture;
  private JobQueue queue;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    queue = fixture.queue;
  }

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  @Test
  void keyIsKeptForADayOrTheRequestedTime() {
    queue.enqueue(WORK, new Work(1), key("a day"));
    queue.enqueue(WORK, new Work(2), job -> job.idempotencyKey("an hour", Duration.ofHours(1)));

    assertThat(
            fixture.value(
                "SELECT string_agg(extract(epoch FROM date_trunc('minute', expires_at -"
                    + " clock_timestamp() + interval '30 seconds'))::int::text, ' ' ORDER BY key)"
                    + " FROM @job_keys"))
        .isEqualTo("86400 3600");
  }

  @Test
  void anExpiredKeyIsTakenOverOnce() throws Exception {
    JobId first = queue.enqueue(WORK, new Work(1), key("order-1"));
    for (int round = 0; round < 10; round++) {
      fixture.execute("UPDATE @job_keys SET expires_at = clock_timestamp()");

      List<EnqueueResult> results =
          race(8, i -> queue.enqueueOnce(WORK, new Work(2), key("order-1")));

      assertThat(results).filteredOn(Enqueued.class::isInstance).hasSize(1);
      assertThat(results)
          .extracting(EnqueueResult::jobId)
          .containsOnly(results.get(0).jobId())
          .doesNotContain(first);
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("11");
  }

  @Test
  void longKeysAreHashedAndStayDifferent() {
    String key = "ü".repeat(500_000);
    JobId first = queue.enqueue(WORK, new Work(1), key(key));

    assertThat(queue.enqueue(WORK, new Work(1), key(key))).isEqualTo(first);
    assertThat(queue.enqueue(WORK, new Work(1), key(key + "x"))).isNotEqualTo(first);
  }

  /** A repeat draws no id, so that a queue of duplicates does not use up the sequence. */
  @Test
  void aRepeatDrawsNoIdAndLocksNothing() throws Exception {
    queue.enqueue(WORK, new Work(1), key("order-1"));
    String drawn = fixture.value("SELECT last_value FROM @jobs_id_seq");
    try (Connection one = fixture.database.connection();
        Connection other = fixture.database.connection()) {
      one.setAutoCommit(false);
      other.setAutoCommit(false);
      queue.in(one).enqueue(WORK, new Work(2), key("order-1"));
      queue.in(other).enqueue(WORK, new Work(3), key("order-1"));
      one.commit();
      other.commit();
    }
    assertThat(fixture.value("SELECT last_value FROM @jobs_id_seq")).isEqualTo(drawn);
  }

  @Test
  void aRepeatLeavesTheCallersTransactionUsable() throws Exception {
    JobId first = queue.enqueue(WORK, new Work(1), key("order-1"));
    try (Connection connection = fixture.database.connection()) {
      connection.setAutoCommit(false);
      assertThat(queue.in(connection).enqueue(WORK, new Work(2), key("order-1"))).isEqualTo(first);
      assertThat(
              queue
                  .in(DSL.using(connection, SQLDialect.POSTGRES))
                  .enqueueOnce(WORK, new Work(3), key("order-1")))
          .isEqualTo(new AlreadyQueued(first));
      queue.in(connection).enqueue(WORK, new Work(4), key("order-2"));
      connection.commit();
    }
    assertThat(jobs()).isEqualTo("1 4");
  }

  @Test
  void everyCallerOfARaceGetsTheIdOfTheOneJob() throws Exception {
    for (int round = 0; round < 20; round++) {
      UnaryOperator<EnqueueOptions> key = key("round-" + round);

      List<EnqueueResult> results = race(8, i -> queue.enqueueOnce(WORK, new Work(i), key));

      assertThat(results).filteredOn(Enqueued.class::isInstance).hasSize(1);
      assertThat(results).extracting(EnqueueResult::jobId).containsOnly(results.get(0).jobId());
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("20");
  }

  @Test
  void resultsAreInInputOrderAndDuplicatesAreOneJob() {
    JobId known = queue.enqueue(WORK, new Work(-1), key("7"));
    List<Work> payloads = IntStream.range(0, 20_000).mapToObj(Work::new).toList();

    List<EnqueueResult> results =
        queue.enqueueAllOnce(
            WORK, payloads, (work, job) -> job.idempotencyKey("" + work.number() % 15_000));

    assertThat(results).hasSize(20_000);
    assertThat(results.get(7)).isEqualTo(new AlreadyQueued(known));
    assertThat(results.get(15_007)).isEqualTo(new AlreadyQueued(known));
    assertThat(results.get(3)).isInstanceOf(Enqueued.class);
    assertThat(results.get(15_003)).isEqualTo(new AlreadyQueued(results.get(3).jobId()));
    assertThat(
            fixture.value(
                "SELECT payload->>'number' FROM @jobs WHERE id = " + results.get(14_321).jobId()))
        .isEqualTo("14321");
    assertThat(
            fixture.value("SELECT count(*) || ' ' || (SELECT count(*) FROM @job_keys) FROM @jobs"))
        .isEqualTo("15000 15000");
  }

  @Test
  void callsThatShareKeysInOppositeOrdersDoNotDeadlock() throws Exception {
    for (int round = 0; round < 4; round++) {
      String prefix = "round-" + round + "-";
      List<Work> rising = IntStream.range(0, 2_000).mapToObj(Work::new).toList();
      List<Work> falling = new ArrayList<>(rising);
      Collections.reverse(falling);

      List<List<EnqueueResult>> results =
          race(
              2,
              i ->
                  queue.enqueueAllOnce(
                      WORK,
                      i == 0 ? rising : falling,
                      (work, job) -> job.idempotencyKey(prefix + work.number())));

      assertThat(results.get(0).get(17).jobId()).isEqualTo(results.get(1).get(1_982).jobId());
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("8000");
  }

  /**
   * The server receives the commit but its response is lost, so the caller can only repeat the
   * call.
   */
  @Test
  void aRepeatAfterALostResponseCreatesNothing() {
    AtomicBoolean lose = new AtomicBoolean(true);
    JobQueue unlucky =
        JobQueue.builder(losingCommits(lose)).schema(fixture.database.schema()).build();

    assertThatThrownBy(() -> unlucky.enqueueOnce(WORK, new Work(1), key("order-1")))
        .isInstanceOf(StoreException.class);
    lose.set(false);

    assertThat(unlucky.enqueueOnce(WORK, new Work(1), key("order-1")))
        .isInstanceOf(AlreadyQueued.class);
    assertThat(jobs()).isEqualTo("1");
  }

  @Test
  void callWithoutAKeyAndOneKeyForManyJobsAreRefused() {
    List<Work> two = List.of(new Work(1), new Work(2));

    assertThatThrownBy(() -> queue.enqueueOnce(WORK, new Work(1), UnaryOperator.identity()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'work' has no idempotency key");
    assertThatThrownBy(() -> queue.enqueueAllOnce(WORK, two, (work, job) -> job))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'work' has no idempotency key");
    assertThatThrownBy(() -> queue.enqueueAll(WORK, two, key("order-1")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("enqueueAllOnce");
    assertThat(queue.enqueueAllOnce(WORK, List.of(), (work, job) -> job)).isEmpty();
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
  }

  private static UnaryOperator<EnqueueOptions> key(String key) {
    return job -> job.idempotencyKey(key);
  }

  private String jobs() {
    return String.valueOf(
        fixture.value("SELECT string_agg(payload->>'number', ' ' ORDER BY id) FROM @jobs"));
  }

  private <R> List<R> race(int callers, java.util.function.IntFunction<R> call) throws Exception {
    CyclicBarrier together = new CyclicBarrier(callers);
    List<Callable<R>> calls = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      int caller = i;
      calls.add(
          () -> {
            together.await(10, TimeUnit.SECONDS);
            return call.apply(caller);
          });
    }
    List<R> results = new ArrayList<>();
    for (Future<R> future : threads.invokeAll(calls, 30, TimeUnit.SECONDS)) {
      results.add(future.get());
    }
    return results;
  }

  private DataSource losingCommits(AtomicBoolean lose) {
    return wrap(
        DataSource.class,
        fixture.database.dataSource(),
        (method, result) ->
            method.equals("getConnection") && result instanceof Connection connection
                ? wrap(
                    Connection.class,
                    connection,
                    (call, answer) -> {
                      if (call.equals("commit") && lose.get()) {
                        throw new SQLException("The connection was lost.", "08006");
                      }
                      return answer;
                    })
                : result);
  }

  private static <T> T wrap(Class<T> type, T target, After after) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              try {
                return after.call(method.getName(), method.invoke(target, arguments));
              } catch (InvocationTargetException failure) {
                throw failure.getCause();
              }
            }));
  }

  @FunctionalInterface
  private interface After {
    Object call(String method, Object result) throws SQLException;
  }
}
