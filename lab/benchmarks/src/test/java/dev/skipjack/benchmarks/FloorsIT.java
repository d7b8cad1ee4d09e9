package dev.skipjack.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Checks that the floors do what docs/benchmarks.md describes. Does not check their speed. */
class FloorsIT {

  private static QueueDatabase server;
  private static BenchmarkDatabase database;

  @BeforeAll
  static void open() throws Exception {
    server = QueueDatabase.create();
    database = BenchmarkDatabase.open(Optional.of(server.jdbcUrl()), 2);
  }

  @AfterAll
  static void close() {
    database.close();
    server.close();
  }

  @Test
  void floorOfEnqueueHasTheColumnsDefaultsAndIndexesOfJobsButNoRules() throws Exception {
    PlainJobs plain = PlainJobs.create(database);

    assertThat(columns(PlainJobs.SCHEMA)).isEqualTo(columns(BenchmarkDatabase.SCHEMA));
    assertThat(indexes(PlainJobs.SCHEMA)).isEqualTo(indexes(BenchmarkDatabase.SCHEMA));
    assertThat(rules(PlainJobs.SCHEMA)).isEqualTo("0");
    assertThat(rules(BenchmarkDatabase.SCHEMA)).isNotEqualTo("0");
    try (Connection connection = database.bareConnection()) {
      PlainJobs.insert(connection, 7);
    }
    assertThat(plain.count()).isOne();
    assertThat(
            database.value(
                "SELECT concat_ws(' ', id, status, attempts, payload ->> 'n') FROM "
                    + PlainJobs.SCHEMA
                    + ".jobs"))
        .isEqualTo("1 pending 0 7");
    plain.empty();
    assertThat(plain.count()).isZero();
  }

  private static String columns(String schema) throws Exception {
    return database.value(
        "SELECT string_agg(concat_ws(' ', column_name, data_type, collation_name, is_nullable, column_default IS NOT NULL), ', ' ORDER BY ordinal_position)"
            + " FROM information_schema.columns WHERE table_name = 'jobs' AND table_schema = '"
            + schema
            + "'");
  }

  private static String indexes(String schema) throws Exception {
    return database.value(
        "SELECT string_agg(concat_ws(' ', indkey, indisunique, indpred IS NOT NULL), ', ' ORDER BY indkey::text, indisunique)"
            + " FROM pg_index WHERE indrelid = '"
            + schema
            + ".jobs'::regclass");
  }

  /** Returns the total number of CHECKs and of columns with a domain. */
  private static String rules(String schema) throws Exception {
    return database.value(
        BenchmarkDatabase.qualified(
            schema,
            "SELECT (SELECT count(*) FROM pg_constraint WHERE conrelid = '@jobs'::regclass AND contype = 'c')"
                + " + (SELECT count(*) FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid"
                + "     WHERE attrelid = '@jobs'::regclass AND typtype = 'd')"));
  }

  @Test
  void bareLoopRunsEachJobOnceAndLeavesNothing() throws Exception {
    BareQueue.create(database);
    Queue<Long> handled = new ConcurrentLinkedQueue<>();
    CompletionLatch completed = new CompletionLatch(3);
    BareQueue loop = BareQueue.start(database, handled::add, completed);
    try (Connection connection = database.bareConnection()) {
      for (long n = 1; n <= 3; n++) {
        BareQueue.enqueue(connection, n);
      }
      completed.await();
    } finally {
      loop.close();
    }

    assertThat(handled).containsExactlyInAnyOrder(1L, 2L, 3L);
    assertThat(database.value("SELECT count(*) FROM " + BareQueue.SCHEMA + ".jobs")).isEqualTo("0");
  }

  @Test
  void statementsInAutoCommitModeAreRepeatedInAutoCommitMode() throws Exception {
    database.empty();
    Recording recording = new Recording();
    JobQueue queue = database.queue(recording::wrap);

    queue.enqueue(Noop.TYPE, Noop.number(1));
    queue
        .store()
        .claim(
            new ClaimRequest(
                WorkerId.boot("bench"),
                List.of(new LaneShare(new Lane(Noop.TYPE.queue(), 0), 1, null)),
                List.of(Noop.TYPE.kind()),
                1,
                Duration.ofSeconds(30)));

    assertThat(recording.sent())
        .extracting(Recording.Sent::isTransaction)
        .containsExactly(true, false);
  }

  @Test
  void producersThatAreLateDoNotReachTheRate() throws Exception {
    SteadyLoad load = new SteadyLoad(1_000, 0.1);

    Sample sample =
        load.run(
            database,
            (producer, n) -> {
              TimeUnit.MILLISECONDS.sleep(2 * SteadyLoad.PRODUCERS);
              load.handler().accept(n);
              load.completed().count(1);
            });

    assertThat(sample.figures().get("reached_rate")).isLessThanOrEqualTo(500);
    assertThat(sample.figures().get("p50_ms")).isGreaterThanOrEqualTo(50);
    assertThat(sample.figures().get("pickup_p99_ms")).isZero();
    assertThat(SteadyLoad.isReached(989, 1_000)).isFalse();
    assertThat(SteadyLoad.isReached(990, 1_000)).isTrue();
  }
}
