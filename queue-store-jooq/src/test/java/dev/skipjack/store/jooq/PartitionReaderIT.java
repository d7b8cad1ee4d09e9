package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.Retention;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A transaction that has read the audit and the archive stays open while partitions are created and
 * removed. The claimer's sessions wait at most 100 ms for a lock, so a single longer wait fails the
 * test. With {@code -Psoak}, the test takes 30 s and also limits the percentiles.
 */
@QueueTest
class PartitionReaderIT {

  private static final boolean SOAK = Boolean.getBoolean("skipjack.soak");
  private static final long SECONDS = SOAK ? 30 : 3;

  private static final Retention RETENTION = new Retention(Duration.ofDays(7), Duration.ofDays(30));

  private Fixture fixture;
  private HikariDataSource claimers;
  private JobStore store;
  private Connection reader;

  @BeforeEach
  void openTheReader(QueueDatabase database) throws SQLException {
    fixture = new Fixture(database);
    claimers = new HikariDataSource();
    claimers.setJdbcUrl(database.jdbcUrl());
    claimers.setMaximumPoolSize(2);
    claimers.setConnectionInitSql("SET lock_timeout = '100ms'");
    store = JobQueue.builder(claimers).schema(database.schema()).build().store();
    for (String partition :
        List.of(
            "'jobs_archive', '2024-03-04 00:00+00'",
            "'jobs_archive', '2024-03-05 00:00+00'",
            "'job_executions', '2024-03-04 00:00+00'")) {
      fixture.execute("SELECT @create_partition(" + partition + ")");
    }
    reader = database.connection();
    reader.setAutoCommit(false);
    try (Statement statement = reader.createStatement()) {
      statement.execute("SELECT count(*) FROM " + database.schema() + ".job_executions");
      statement.execute("SELECT count(*) FROM " + database.schema() + ".jobs_archive");
    }
  }

  @AfterEach
  void close() throws SQLException {
    reader.rollback();
    reader.close();
    claimers.close();
  }

  @Test
  void claimsAndCompletionsContinueWhilePartitionsAreCreatedAndRemoved() throws Exception {
    // warms up connections and code before times are measured
    claimAndComplete(new AtomicBoolean(true));
    AtomicBoolean stop = new AtomicBoolean();
    CompletableFuture<List<Long>> claims =
        CompletableFuture.supplyAsync(() -> claimAndComplete(stop));
    Maintenance maintenance = fixture.queue.maintenance();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    int created = 0;
    int postponed = 0;
    for (int days = 15; System.nanoTime() < end && !claims.isDone(); days++) {
      created += maintenance.createPartitions(Duration.ofDays(days)).created().size();
      postponed += maintenance.removePartitions(RETENTION).postponed().size();
    }
    stop.set(true);
    List<Long> nanos = claims.get();

    assertThat(created).isPositive();
    assertThat(postponed).isPositive();
    reader.rollback();
    List<String> removed = new ArrayList<>();
    await()
        .untilAsserted(
            () -> {
              removed.addAll(maintenance.removePartitions(RETENTION).removed());
              assertThat(removed)
                  .contains(
                      "jobs_archive_20240304", "jobs_archive_20240305", "job_executions_20240304");
            });
    Collections.sort(nanos);
    long p99 = nanos.get(nanos.size() * 99 / 100);
    System.out.println(
        "claims=%d p50Us=%d p99Us=%d maxUs=%d created=%d postponed=%d readerSeconds=%d"
            .formatted(
                nanos.size(),
                micros(nanos.get(nanos.size() / 2)),
                micros(p99),
                micros(nanos.get(nanos.size() - 1)),
                created,
                postponed,
                SECONDS));
    // Beside other tests, a claim may take long without waiting for a lock.
    if (SOAK) {
      assertThat(nanos).hasSizeGreaterThan(50);
      assertThat(Duration.ofNanos(p99)).isLessThan(Duration.ofMillis(100));
    }
  }

  /** A plain CREATE TABLE ... PARTITION OF makes the same claim fail. */
  @Test
  void aPlainCreatePartitionOfInTheSamePlaceStopsClaims() throws Exception {
    fixture.enqueue(1);
    CompletableFuture<Void> plain =
        CompletableFuture.runAsync(
            () ->
                fixture.execute(
                    "SET lock_timeout = '20s'; CREATE TABLE @job_executions_20600105 PARTITION OF @job_executions"
                        + " FOR VALUES FROM ('2060-01-05 00:00+00') TO ('2060-01-12 00:00+00'); RESET lock_timeout"));
    await()
        .until(
            () ->
                fixture
                    .value(
                        "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted"
                            + " AND relation = '@job_executions'::regclass")
                    .equals("1"));

    assertThatThrownBy(() -> store.claim(Fixture.request(1, Fixture.LEASE, new Lane("default", 0))))
        .isInstanceOfSatisfying(
            StoreException.class, failure -> assertThat(failure.sqlState()).contains("55P03"));

    reader.rollback();
    plain.get();
    assertThat(store.claim(Fixture.request(1, Fixture.LEASE, new Lane("default", 0)))).hasSize(1);
    fixture.execute("DROP TABLE @job_executions_20600105");
  }

  private List<Long> claimAndComplete(AtomicBoolean stop) {
    List<Long> nanos = new ArrayList<>();
    do {
      fixture.enqueue(10);
      for (int i = 0; i < 10; i++) {
        long start = System.nanoTime();
        List<ClaimedJob> claimed =
            store.claim(Fixture.request(1, Fixture.LEASE, new Lane("default", 0)));
        nanos.add(System.nanoTime() - start);
        List<Execution> executions = claimed.stream().map(ClaimedJob::execution).toList();
        assertThat(store.complete(executions)).containsExactly(Verdict.DONE);
      }
    } while (!stop.get());
    return nanos;
  }

  private static long micros(long nanos) {
    return TimeUnit.NANOSECONDS.toMicros(nanos);
  }
}
