package dev.skipjack.importing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests the import from River's table, which the test fills with SQL as River's clients would. */
@QueueTest
class RiverImportTest {

  private QueueDatabase database;
  private JobQueue queue;

  @BeforeEach
  void createTheTable(QueueDatabase database) throws SQLException {
    this.database = database;
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
    execute(
        """
        DROP TABLE IF EXISTS river_job;
        DROP TYPE IF EXISTS river_job_state;
        CREATE TYPE river_job_state AS ENUM ('available', 'cancelled', 'completed', 'discarded', 'pending', 'retryable', 'running', 'scheduled');
        CREATE TABLE river_job (
          id bigserial PRIMARY KEY, state river_job_state NOT NULL DEFAULT 'available', attempt smallint NOT NULL DEFAULT 0,
          max_attempts smallint NOT NULL, priority smallint NOT NULL DEFAULT 1, args jsonb NOT NULL,
          kind text NOT NULL, metadata jsonb NOT NULL DEFAULT '{}', queue text NOT NULL DEFAULT 'default',
          scheduled_at timestamptz NOT NULL DEFAULT now(), tags varchar(255)[] NOT NULL DEFAULT '{}');
        """);
  }

  private Importer importer() {
    return Importer.from(Source.river("river_job")).into(queue).build();
  }

  @Test
  void aJobKeepsItsQueueArgumentsTagsAndRemainingAttempts() throws SQLException {
    execute(
        "INSERT INTO river_job (state, attempt, max_attempts, priority, args, kind, queue,"
            + " scheduled_at, tags) VALUES ('retryable', 3, 25, 4, '{\"to\": \"ada\"}',"
            + " 'send_mail', 'mail', '2090-01-01 10:00Z', '{vip,\"a b\"}')");

    assertThat(importer().run(database.dataSource()).jobs()).isEqualTo(1);

    assertThat(
            query(
                "SELECT concat_ws(' ', kind, queue, priority, max_attempts, scheduled_at ="
                    + " '2090-01-01 10:00Z', tags, payload) FROM %s.jobs"))
        .containsExactly("send_mail mail -3 22 t {vip,\"a b\"} {\"to\": \"ada\"}");
    assertThat(query("SELECT id FROM river_job")).isEmpty();
  }

  @Test
  void onlyWaitingJobsAreMoved() throws SQLException {
    execute(
        "INSERT INTO river_job (state, max_attempts, args, kind) SELECT s, 25, '{}', s::text FROM"
            + " unnest(enum_range(NULL::river_job_state)) AS s");

    ImportReport report = importer().run(database.dataSource());

    assertThat(report.moved())
        .extracting(ImportReport.Moved::name)
        .containsExactly("available", "retryable", "scheduled");
    assertThat(report.stayed())
        .extracting(stayed -> stayed.name() + ": " + stayed.reason())
        .containsExactly(
            "discarded: failed for good: retry it in River first if it must run",
            "pending: in state pending: it waits for other jobs",
            "running: running: it ends in River");
    assertThat(query("SELECT id FROM river_job")).hasSize(5);
  }

  @Test
  void aFinishedJobTakesNoKind() throws SQLException {
    execute(
        "INSERT INTO river_job (state, max_attempts, args, kind) VALUES ('completed', 25, '{}',"
            + " 'aB'), ('available', 25, '{}', 'a-b'), ('available', 25, '{}', 'aC'),"
            + " ('completed', 25, '{}', 'a-c')");

    assertThat(importer().run(database.dataSource()).jobs()).isEqualTo(2);
  }

  @Test
  void uniqueKeysAreRefusedBecauseThereAreNone() {
    Importer.Builder builder = Importer.from(Source.river("river_job")).into(queue);
    assertThatThrownBy(builder::unique)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Source 'river' keeps no ids unique. Leave out the option for unique keys.");
  }

  @Test
  void aJobThatAClientTakesMeanwhileStays() throws SQLException {
    execute(
        "INSERT INTO river_job (max_attempts, args, kind) VALUES (25, '{}', 'a'), (25, '{}', 'b')");

    ImportReport report =
        importer()
            .run(
                InterferingDataSource.changing(
                    database.dataSource(),
                    "UPDATE river_job SET state = 'running', attempt = 1 WHERE kind = 'a'"
                        + " AND attempt = 0"));

    assertThat(report.jobs()).isEqualTo(1);
    assertThat(query("SELECT state FROM river_job")).containsExactly("running");
  }

  @Test
  void nothingIsLostOrDoubledIfTheSessionIsKilledBeforeAnyStatement() throws SQLException {
    int statements = 1;
    List<String> all = IntStream.rangeClosed(1, 3).mapToObj(String::valueOf).toList();
    for (boolean killed = true; killed; statements++) {
      database.truncate();
      execute(
          "TRUNCATE river_job; INSERT INTO river_job (max_attempts, args, kind) SELECT 25,"
              + " jsonb_build_object('n', n), 'count' FROM generate_series(1, 3) AS n");
      PGSimpleDataSource unpooled = new PGSimpleDataSource();
      unpooled.setUrl(database.jdbcUrl());
      killed = isKilled(statements, unpooled);
      assertThat(allWork()).as("before statement %d", statements).isEqualTo(all);

      importer().run(database.dataSource());

      assertThat(allWork()).as("before statement %d", statements).isEqualTo(all);
      assertThat(query("SELECT id FROM river_job")).isEmpty();
    }
    assertThat(statements).isGreaterThan(4);
  }

  @Test
  void jobsThatHaveNotStartedAreInTheSourceAgainByteForByte() throws SQLException {
    execute(
        "INSERT INTO river_job (state, attempt, max_attempts, priority, args, kind, queue,"
            + " scheduled_at, tags, metadata) VALUES ('retryable', 3, 25, 4, '{\"n\": 1.50}',"
            + " 'mail', 'mail', '2090-01-01 10:00:00.000001Z', '{vip,\"a b\"}', '{\"u\": 1}'),"
            + " ('available', 0, 25, 1, '{}', 'b', 'default', now(), '{}', '{}')");
    List<String> before = new Sql(database).rows("river_job");
    importer().run(database.dataSource());

    assertThat(importer().verify(database.dataSource()).isClean()).isTrue();
    assertThat(importer().undo(database.dataSource()).jobs()).isEqualTo(2);

    assertThat(new Sql(database).rows("river_job")).isEqualTo(before);
    assertThat(query("SELECT kind FROM %s.jobs")).isEmpty();
  }

  private boolean isKilled(int statement, PGSimpleDataSource dataSource) {
    try {
      importer().run(InterferingDataSource.killed(statement, dataSource));
      return false;
    } catch (SQLException killed) {
      return true;
    }
  }

  private List<String> allWork() throws SQLException {
    return query(
        "SELECT n FROM (SELECT payload ->> 'n' AS n FROM %s.jobs UNION ALL SELECT args ->> 'n' FROM"
            + " river_job) AS work ORDER BY n::int");
  }

  private List<String> query(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql.formatted(database.schema()))) {
      List<String> texts = new ArrayList<>();
      while (row.next()) {
        texts.add(row.getString(1));
      }
      return texts;
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
