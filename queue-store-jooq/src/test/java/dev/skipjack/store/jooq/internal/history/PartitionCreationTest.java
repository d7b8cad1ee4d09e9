package dev.skipjack.store.jooq.internal.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.CreatedPartitions;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Postponed.Reason;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.store.jooq.RecordingDataSource;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class PartitionCreationTest {

  private Fixture fixture;
  private Maintenance maintenance;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    maintenance = fixture.queue.maintenance();
  }

  /** Restores what the migrations create, because some tests remove it. */
  @AfterEach
  void createPartitions() {
    maintenance.createPartitions(Duration.ofDays(14));
  }

  @Test
  void missingPartitionIsCreatedOnce() {
    CreatedPartitions created = maintenance.createPartitions(Duration.ofDays(20));

    assertThat(created.postponed()).isEmpty();
    assertThat(created.missingFrom()).isEmpty();
    assertThat(created.created())
        .filteredOn(name -> name.startsWith("jobs_archive_"))
        .hasSize(6); // the migration created partitions for 14 days
    assertThat(maintenance.createPartitions(Duration.ofDays(20)).created()).isEmpty();
  }

  /** Each worker does this when it starts. */
  @Test
  void oneStatementFindsThatNoPartitionIsMissing(QueueDatabase database) {
    RecordingDataSource recording = new RecordingDataSource(database.dataSource());
    PartitionCreator creator = creator(database, recording.dataSource);
    Instant day = Instant.parse("2022-05-04T12:00:00Z");
    Instant later = day.plus(Duration.ofDays(14));
    assertThat(creator.create(day, later).created()).hasSize(15 + 3);
    assertThat(recording.prepared).hasSize(1 + 15 + 3);
    recording.prepared.clear();

    assertThat(creator.create(day, later))
        .isEqualTo(new CreatedPartitions(List.of(), List.of(), Optional.empty()));

    assertThat(recording.prepared).singleElement().asString().contains("pg_inherits");
  }

  @Test
  void aPartitionThatIsBeingDetachedIsNotCountedAsPresent() {
    fixture.execute("SELECT @create_partition('jobs_archive', '2021-03-04 12:00+00')");
    fixture.execute(
        """
        UPDATE pg_inherits SET inhdetachpending = true WHERE inhrelid = '@jobs_archive_20210304'::regclass
        """);
    Instant day = Instant.parse("2021-03-04T12:00:00Z");

    CreatedPartitions result =
        creator(fixture.database, fixture.database.dataSource()).create(day, day);

    assertThat(result.postponed())
        .containsExactly(new Postponed("jobs_archive_20210304", Reason.IN_THE_WAY));
    assertThat(result.missingFrom()).contains(Instant.parse("2021-03-04T00:00:00Z"));
    fixture.execute("DROP TABLE @jobs_archive_20210304");
  }

  @Test
  void eightConcurrentClaimersWithoutAPartitionAllClaim() throws Exception {
    int claimers = 8;
    fixture.enqueue(claimers);
    dropPartitions("job_executions");

    List<ClaimedJob> claimed = together(claimers, () -> fixture.claim(1).get(0));

    assertThat(claimed).doesNotHaveDuplicates().hasSize(claimers);
    assertThat(fixture.value("SELECT count(*) FROM @job_executions WHERE status = 'running'"))
        .isEqualTo("8");

    dropPartitions("jobs_archive");
    List<List<?>> verdicts =
        together(
            claimed.stream()
                .<Task<List<?>>>map(job -> () -> fixture.store.complete(List.of(job.execution())))
                .toList());

    assertThat(verdicts).hasSize(claimers);
    assertThat(fixture.value("SELECT count(*) FROM @jobs_archive")).isEqualTo("8");
  }

  /** Kiritimati is 25 hours ahead of Midway, so their dates always differ. */
  @Test
  void twoWorkersInTwoZonesAcrossMidnightDoNotCollide(QueueDatabase database) throws Exception {
    try (HikariDataSource east = inZone(database, "Pacific/Kiritimati");
        HikariDataSource west = inZone(database, "Pacific/Midway")) {
      PartitionCreator first = creator(database, east);
      PartitionCreator second = creator(database, west);
      for (String midnight :
          List.of(
              "2019-01-07T00:00:00Z", // in UTC, Sunday to Monday
              "2019-02-13T10:00:00Z", // in Kiritimati
              "2019-03-20T11:00:00Z", // in Midway
              "2019-12-31T00:00:00Z")) {
        Instant at = Instant.parse(midnight);

        List<CreatedPartitions> results =
            together(
                List.of(
                    () -> first.create(at.minusMillis(1), at.plus(Duration.ofDays(8))),
                    () -> second.create(at, at.plus(Duration.ofDays(8)))));

        assertThat(results).allSatisfy(result -> assertThat(result.postponed()).isEmpty());
        List<String> created = new ArrayList<>(results.get(0).created());
        created.addAll(results.get(1).created());
        assertThat(created).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(11);
      }
    }
    assertThat(
            fixture.value(
                """
                SELECT count(*) || ' right, ' || count(*) FILTER (WHERE bounds <> expected) || ' wrong'
                  FROM (SELECT pg_get_expr(relpartbound, oid) AS bounds,
                               format('FOR VALUES FROM (%L) TO (%L)', day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC') AS expected
                          FROM pg_class CROSS JOIN LATERAL to_date(substring(relname FROM '^jobs_archive_(2019[0-9]{4})$'), 'YYYYMMDD') AS day
                         WHERE relispartition AND day IS NOT NULL) AS days
                """))
        .as("partitions bounded by the UTC day of their name")
        .isEqualTo("30 right, 0 wrong");
  }

  @Test
  void tableInTheWayIsReportedAndOtherPartitionsAreCreated() {
    Instant day = Instant.parse("2020-05-04T12:00:00Z");
    fixture.execute("CREATE TABLE @jobs_archive_20200504 (mine text)");
    PartitionCreator creator = creator(fixture.database, fixture.database.dataSource());

    CreatedPartitions result = creator.create(day, day.plus(Duration.ofDays(1)));

    assertThat(result.postponed())
        .containsExactly(new Postponed("jobs_archive_20200504", Reason.IN_THE_WAY));
    assertThat(result.created())
        .containsExactly("job_executions_20200504", "jobs_archive_20200505");
    assertThat(result.missingFrom()).contains(Instant.parse("2020-05-04T00:00:00Z"));
  }

  private void dropPartitions(String table) {
    fixture.execute(
        """
        DO $$
        DECLARE child regclass;
        BEGIN
          FOR child IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = '@%s'::regclass LOOP
            EXECUTE 'DROP TABLE ' || child;
          END LOOP;
        END $$
        """
            .formatted(table));
  }

  private static HikariDataSource inZone(QueueDatabase database, String zone) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(database.jdbcUrl());
    pool.setMaximumPoolSize(2);
    pool.setConnectionInitSql("SET TIME ZONE '" + zone + "'");
    return pool;
  }

  private static PartitionCreator creator(QueueDatabase database, DataSource dataSource) {
    return new PartitionCreator(
        new OwnTransactions(dataSource),
        Lazy.of(() -> StatementDialect.forSchema(database.schema())),
        PartitionedTable.OF_JOBS);
  }

  @FunctionalInterface
  private interface Task<R> {
    R run() throws Exception;
  }

  private static <R> List<R> together(int times, Task<R> task) throws Exception {
    return together(java.util.Collections.nCopies(times, task));
  }

  /** Runs the tasks concurrently, each in its own thread. */
  private static <R> List<R> together(List<Task<R>> tasks) throws Exception {
    CyclicBarrier start = new CyclicBarrier(tasks.size());
    ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
    try {
      List<Future<R>> running = new ArrayList<>();
      for (Task<R> task : tasks) {
        running.add(
            threads.submit(
                () -> {
                  start.await();
                  return task.run();
                }));
      }
      List<R> results = new ArrayList<>();
      for (Future<R> one : running) {
        results.add(one.get());
      }
      return results;
    } finally {
      threads.shutdownNow();
    }
  }
}
