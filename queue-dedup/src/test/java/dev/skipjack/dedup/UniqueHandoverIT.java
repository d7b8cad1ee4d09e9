package dev.skipjack.dedup;

import static dev.skipjack.dedup.Fixture.BY_ACCOUNT;
import static dev.skipjack.dedup.Fixture.SYNC;
import static dev.skipjack.dedup.Fixture.sync;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobId;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * Tests producers that enqueue one key {@code untilStarted} in short transactions that always
 * overlap, with and without another transaction that stays open. The key's jobs must nevertheless
 * keep starting, and each must start after the commits of all transactions that requested it.
 */
@QueueTest
class UniqueHandoverIT {

  private static final int PRODUCERS = 8;
  private static final int RUNS = Fixture.SOAK ? 40 : 4;
  private static final Duration DEADLINE = Duration.ofSeconds(Fixture.SOAK ? 120 : 30);
  private static final Unique<Fixture.Sync> UNTIL_STARTED = BY_ACCOUNT.untilStarted();

  @Test
  void jobsOfAConstantlyRequestedKeyRunAndMissNothing(QueueDatabase database) throws Exception {
    runsAndMissesNothing(new Fixture(database), 0);
  }

  @Test
  void jobsOfAConstantlyRequestedKeyRunDespiteATransactionThatStaysOpen(QueueDatabase database)
      throws Exception {
    runsAndMissesNothing(new Fixture(database), 1);
  }

  /**
   * @param longTransactions the number of transactions that hold the first job until the runs have
   *     been counted
   */
  private static void runsAndMissesNothing(Fixture fixture, int longTransactions) throws Exception {
    fixture.execute("CREATE TABLE @asked (job_id bigint)");
    Map<JobId, String> seen = new TreeMap<>((a, b) -> Long.compare(a.value(), b.value()));
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(PRODUCERS);
    try (HikariDataSource pool = fixture.database.newDataSource(PRODUCERS + longTransactions)) {
      List<Connection> open = new ArrayList<>();
      if (longTransactions > 0) {
        fixture.unique.enqueue(SYNC, sync("hot"), UNTIL_STARTED);
      }
      for (int i = 0; i < longTransactions; i++) {
        Connection connection = pool.getConnection();
        connection.setAutoCommit(false);
        enqueue(fixture, connection);
        open.add(connection);
      }
      List<Future<?>> producers = new ArrayList<>();
      for (int i = 0; i < PRODUCERS; i++) {
        producers.add(threads.submit(() -> produce(fixture, pool, over)));
      }
      Instant deadline = Instant.now().plus(DEADLINE);
      while (seen.size() < RUNS && Instant.now().isBefore(deadline)) {
        run(fixture, seen);
        assertThat(Integer.parseInt(fixture.value("SELECT count(*) FROM @jobs WHERE attempts = 0")))
            .as("jobs of the key that have not started")
            .isLessThanOrEqualTo(UniqueKeys.MOST_JOBS);
        fixture.value("SELECT pg_sleep(0.02)");
      }
      over.set(true);
      for (Future<?> producer : producers) {
        producer.get(30, TimeUnit.SECONDS);
      }
      for (Connection connection : open) {
        connection.commit();
        connection.close();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(seen).as("runs while transactions overlapped").hasSizeGreaterThanOrEqualTo(RUNS);
    for (int i = 0; i < UniqueKeys.MOST_JOBS; i++) {
      run(fixture, seen);
    }

    assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE status = 'pending'")).isEqualTo("0");
    seen.forEach(
        (job, asked) ->
            assertThat(fixture.value("SELECT count(*) FROM @asked WHERE job_id = " + job))
                .as("transactions that received job " + job)
                .isEqualTo(asked));
    assertThat(fixture.value("SELECT count(DISTINCT job_id) FROM @asked"))
        .isEqualTo("" + seen.size());
    fixture.execute("DROP TABLE @asked");
  }

  /**
   * Claims and runs a job, as a worker would. All requests for the job must have been committed
   * when the claim returns.
   */
  private static void run(Fixture fixture, Map<JobId, String> seen) {
    for (Execution execution : fixture.claim(1, Fixture.LEASE)) {
      JobId job = execution.jobId();
      seen.put(job, fixture.value("SELECT count(*) FROM @asked WHERE job_id = " + job));
    }
  }

  private static Void produce(Fixture fixture, HikariDataSource pool, AtomicBoolean over)
      throws Exception {
    while (!over.get()) {
      try (Connection connection = pool.getConnection();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        enqueue(fixture, connection);
        statement.execute("SELECT pg_sleep(0.02)");
        connection.commit();
        connection.setAutoCommit(true);
      }
    }
    return null;
  }

  private static void enqueue(Fixture fixture, Connection connection) throws SQLException {
    JobId job = fixture.unique.in(connection).enqueue(SYNC, sync("hot"), UNTIL_STARTED).jobId();
    try (Statement statement = connection.createStatement()) {
      statement.execute(fixture.inSchema("INSERT INTO @asked VALUES (" + job + ")"));
    }
  }
}
