package dev.skipjack.steps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.sql.StatementText;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
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
import org.junit.jupiter.api.Test;

/** Tests that every statement finds its rows through an index, with missing or fresh statistics. */
@QueueTest
class StepsPlanTest {

  private static final Map<String, List<String>> EXPECTED =
      Map.ofEntries(
          Map.entry("memo", List.of("using jobs_pkey on jobs", "job_steps_pkey")),
          Map.entry("sleep", List.of("using jobs_pkey on jobs", "job_steps_pkey")),
          Map.entry("read-memos", List.of("job_steps_pkey", "job_waits_job_idx")),
          Map.entry("open-wait", List.of("using jobs_pkey on jobs", "job_waits_pkey")),
          Map.entry(
              "take",
              List.of("using jobs_pkey on jobs", "job_signals_untaken_idx", "job_signals_pkey")),
          Map.entry("wake-all", List.of("job_signals_untaken_idx", "job_waits_pkey", "jobs_pkey")),
          Map.entry("wake-one", List.of("job_signals_untaken_idx", "job_waits_pkey", "jobs_pkey")),
          Map.entry("find-ended-memos", List.of("job_steps_pkey", "jobs_pkey")),
          Map.entry("find-ended-waits", List.of("job_waits_job_idx", "jobs_pkey")),
          Map.entry("end-steps", List.of("job_steps", "job_waits_job_idx", "jobs_pkey")),
          Map.entry("expire-signals", List.of("job_signals_expires_at_idx", "job_signals_pkey")));

  @Test
  void everyStatementFindsItsRowsThroughTheIndex(QueueDatabase database) throws SQLException {
    StepRows.query(
        database,
        "INSERT INTO @jobs (kind, payload, status, current_execution_id, lease_expires_at,"
            + " started_at, attempts) SELECT 'a', '{}', 'running', n, now(), now(), 1 FROM"
            + " generate_series(1, 5000) AS n");
    StepRows.query(
        database,
        "INSERT INTO @jobs (kind, payload, scheduled_at, awaits) SELECT 'a', '{}', now() + interval"
            + " '1 day', 'review' FROM generate_series(1, 20000) AS n");
    StepRows.query(
        database,
        "INSERT INTO @job_steps (job_id, execution_id, position, type, name) SELECT n % 5000, n, 1,"
            + " 'run', n FROM generate_series(1, 20000) AS n");
    StepRows.query(
        database,
        "INSERT INTO @job_waits (job_id, ends_at, address, name) SELECT n, now(), 'key/' || n,"
            + " 'review' FROM generate_series(1, 20000) AS n");
    StepRows.query(
        database,
        "INSERT INTO @job_signals (expires_at, address, name, payload, taken_by_job) SELECT now() + n"
            + " * interval '1 s', 'key/' || n, 'review', '{}', CASE WHEN n % 10 > 0 THEN n END FROM"
            + " generate_series(1, 20000) AS n");
    Map<String, StatementText> texts =
        StepTexts.all(JobQueue.on(database.dataSource()).extension().dialect().get());
    for (int round = 0; round < 2; round++) {
      for (Map.Entry<String, List<String>> entry : EXPECTED.entrySet()) {
        for (String mode : List.of("force_generic_plan", "force_custom_plan")) {
          assertThat(plan(database, Objects.requireNonNull(texts.get(entry.getKey())), mode))
              .as("%s %s", entry.getKey(), mode)
              .contains(entry.getValue())
              .doesNotContain(
                  "Seq Scan on jobs",
                  "Seq Scan on job_steps",
                  "Seq Scan on job_waits",
                  "Seq Scan on job_signals",
                  "hashed SubPlan",
                  "job_signals_link_idx",
                  "jobs_pending_idx",
                  "jobs_dead_idx");
        }
      }
      for (String table : List.of("jobs", "job_steps", "job_waits", "job_signals")) {
        StepRows.query(database, "ANALYZE @" + table);
      }
    }
  }

  private static String plan(QueueDatabase database, StatementText statement, String mode)
      throws SQLException {
    String arguments =
        statement.parameters().stream()
            .map(parameter -> parameter.equals("ids") ? "'{1}'" : "'1'")
            .collect(Collectors.joining(", ", "(", ")"))
            .replace("()", "");
    try (Connection connection = database.connection();
        Statement sql = connection.createStatement()) {
      connection.setAutoCommit(false);
      sql.execute("SET LOCAL enable_seqscan = off");
      sql.execute("SET LOCAL plan_cache_mode = " + mode);
      sql.execute("PREPARE planned AS " + numbered(statement.sql()));
      StringBuilder plan = new StringBuilder();
      try (ResultSet lines = sql.executeQuery("EXPLAIN EXECUTE planned" + arguments)) {
        while (lines.next()) {
          plan.append(lines.getString(1)).append('\n');
        }
      }
      sql.execute("DEALLOCATE planned");
      connection.rollback();
      return plan.toString();
    }
  }

  private static String numbered(String sql) {
    int[] parameter = {0};
    return Pattern.compile("\\?")
        .matcher(sql)
        .replaceAll(found -> Matcher.quoteReplacement("$" + ++parameter[0]));
  }
}
