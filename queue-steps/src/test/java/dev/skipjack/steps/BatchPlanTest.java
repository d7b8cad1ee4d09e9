package dev.skipjack.steps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.sql.StatementText;
import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the plans of the statements on batches, and how much they read, with a batch of 100,000
 * jobs among 100,000 others. Half of its jobs have ended, and vacuum has not run.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BatchPlanTest {

  private static final int MANY = 100_000;
  private static final long BATCH = 10;

  private final QueueDatabase database = QueueDatabase.create();
  private final BatchFixture fixture = new BatchFixture(database);
  private final DSLContext dialect = fixture.queue.extension().dialect().get();
  private final Map<String, StatementText> statements = BatchStatements.all(dialect);

  @BeforeAll
  void fill() {
    fixture.execute("ALTER TABLE @jobs SET (autovacuum_enabled = off)");
    fixture.execute("SELECT setval('@jobs_id_seq', 1000)");
    fixture.execute(
        "INSERT INTO @job_batches (id, name, total, sealed_at) SELECT n, 'batch-' || n, 1, now() FROM generate_series(1, 500) n");
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, owner_id) SELECT 'rows', 'row', '{}', CASE WHEN n %% 2 = 0 THEN %d END FROM generate_series(1, %d) n"
            .formatted(BATCH, 2 * MANY));
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, owner_id) SELECT 'rows', 'row', '{}', n FROM generate_series(1, 500) n WHERE n <> "
            + BATCH);
    fixture.execute("ANALYZE @jobs, @job_batches, @jobs_archive");
    fixture.execute(
        "DELETE FROM @jobs WHERE owner_id = %d AND id < (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY id) FROM @jobs)"
            .formatted(BATCH));
  }

  @AfterAll
  void drop() {
    database.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void everyStatementFindsItsRowsThroughTheIndexes(String mode) throws SQLException {
    for (Map.Entry<String, StatementText> entry : statements.entrySet()) {
      assertThat(explain("EXPLAIN", entry.getKey(), mode))
          .as("%s %s", entry.getKey(), mode)
          .doesNotContain(
              "Seq Scan on jobs",
              "Seq Scan on job_batches",
              "hashed SubPlan",
              "Bitmap Heap Scan on jobs");
    }
    for (String name : List.of("find-batches", "sweep-batches", "settle-batches")) {
      assertThat(explain("EXPLAIN", name, mode))
          .as("%s %s", name, mode)
          .contains("Index Only Scan Backward using jobs_owner_idx on jobs")
          .doesNotContain(
              "Backward using jobs_pkey", "using jobs_pending_idx", "using jobs_dead_idx");
    }
    assertThat(explain("EXPLAIN", "sweep-batches", mode)).contains("job_batches_open_idx");
  }

  /** A check of a batch whose jobs are live reads a handful of pages, however many jobs it has. */
  @ParameterizedTest
  @ValueSource(strings = {"find-batches", "settle-batches"})
  void aCheckOfALargeBatchReadsFewPages(String name) throws SQLException {
    assertThat(buffers(explain("EXPLAIN (ANALYZE, BUFFERS)", name, "force_generic_plan")))
        .isBetween(1L, 60L);
  }

  /** A sweep of 500 batches reads a few pages for each of them. */
  @Test
  void aSweepReadsFewPagesOfEachBatch() throws SQLException {
    assertThat(
            buffers(explain("EXPLAIN (ANALYZE, BUFFERS)", "sweep-batches", "force_generic_plan")))
        .isBetween(1L, 500L * 16);
  }

  private static long buffers(String plan) {
    Matcher total =
        Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?").matcher(plan);
    assertThat(total.find()).as(plan).isTrue();
    return List.of(1, 2).stream()
        .map(total::group)
        .filter(Objects::nonNull)
        .mapToLong(Long::parseLong)
        .sum();
  }

  private String explain(String explain, String name, String mode) throws SQLException {
    StatementText statement = Objects.requireNonNull(statements.get(name));
    String arguments =
        statement.parameters().stream()
            .map(BatchPlanTest::argument)
            .collect(Collectors.joining(", ", "(", ")"))
            .replace("()", "");
    try (Connection connection = database.connection();
        Statement sql = connection.createStatement()) {
      connection.setAutoCommit(false);
      sql.execute("SET LOCAL enable_seqscan = off");
      sql.execute("SET LOCAL plan_cache_mode = " + mode);
      sql.execute("PREPARE planned AS " + numbered(statement.sql()));
      StringBuilder plan = new StringBuilder();
      try (ResultSet lines = sql.executeQuery(explain + " EXECUTE planned" + arguments)) {
        while (lines.next()) {
          plan.append(lines.getString(1)).append('\n');
        }
      }
      sql.execute("DEALLOCATE planned");
      connection.rollback();
      return plan.toString();
    }
  }

  private static String argument(String parameter) {
    return switch (parameter) {
      case "batches" -> "'{%d}'".formatted(BATCH);
      case "batch" -> Long.toString(BATCH);
      case "after" -> "0";
      case "policy" -> "'count'";
      case "limit" -> "500";
      case "before" -> Long.toString(Long.MAX_VALUE);
      default -> parameter.endsWith("payload") ? "'{}'" : "'1'";
    };
  }

  private static String numbered(String sql) {
    int[] parameter = {0};
    return Pattern.compile("\\?")
        .matcher(sql)
        .replaceAll(found -> Matcher.quoteReplacement("$" + ++parameter[0]));
  }
}
