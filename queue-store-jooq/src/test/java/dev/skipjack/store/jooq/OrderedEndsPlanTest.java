package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.sql.StatementDialect;
import dev.skipjack.sql.StatementText;
import dev.skipjack.store.jooq.internal.history.AuditWeeks;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jooq.DSLContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests how many pages are read by the statements that end heads of ordering keys or change the
 * jobs behind them. There are many keys, and one key has many waiting jobs.
 */
@QueueTest
class OrderedEndsPlanTest {

  /** The heads of the first keys and that of the hot key. */
  private static final int RUNNING = 20;

  private final Fixture fixture;
  private final DSLContext dialect;

  OrderedEndsPlanTest(QueueDatabase database) {
    this.fixture = new Fixture(database);
    this.dialect = StatementDialect.forSchema(database.schema());
  }

  @Test
  void pagesReadDoNotDependOnTheNumberOfJobsOrKeys() throws SQLException {
    fewPagesAreReadOf(10_000);
  }

  @Test
  @Tag("soak")
  void fewPagesAreReadOfHundredThousandKeysAndAKeyWithHundredThousandJobs() throws SQLException {
    fewPagesAreReadOf(100_000);
  }

  private void fewPagesAreReadOf(int many) throws SQLException {
    fixture.execute("ALTER TABLE @jobs SET (autovacuum_enabled = off)");
    // the statistics are those of empty tables, as after a burst
    fixture.execute("ANALYZE @jobs; ANALYZE @job_executions");
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, ordering_key, ordering_head, attempts, current_execution_id, started_at, lease_expires_at)"
            + " SELECT 'work', '{}', 'running', CASE WHEN n = %1$d THEN 'hot' ELSE 'k' || n END, true, 1, n, now(), now() + interval '1 hour'"
                .formatted(RUNNING)
            + " FROM generate_series(1, %d) AS n".formatted(RUNNING));
    fixture.execute(
        "INSERT INTO @job_executions (id, job_id, started_at, attempt, queue, kind) SELECT current_execution_id, id, started_at, 1, queue, kind FROM @jobs");
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, ordering_key, ordering_head)"
            + " SELECT 'work', '{}', 'pending', 'k' || n, true FROM generate_series(%d, %d) AS n"
                .formatted(RUNNING + 1, many));
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, ordering_key)"
            + " SELECT 'work', '{}', 'waiting', 'k' || n FROM generate_series(1, %d) AS n"
                .formatted(many));
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, ordering_key)"
            + " SELECT 'work', '{}', 'waiting', 'hot' FROM generate_series(1, %d)".formatted(many));
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, ordering_key, attempts, died_at)"
            + " SELECT 'work', '{}', 'dead', 'hot', 3, now() FROM generate_series(1, %d)"
                .formatted(RUNNING));
    readFewPages();
    fixture.execute("ANALYZE @jobs; ANALYZE @job_executions");
    readFewPages();
  }

  private void readFewPages() throws SQLException {
    AuditWeeks weeks =
        AuditWeeks.containing(
            Instant.ofEpochSecond(
                Long.parseLong(
                    fixture.value(
                        "SELECT extract(epoch FROM min(started_at))::bigint FROM @jobs"))));
    Map<String, StatementText> ends = new TreeMap<>();
    ends.put("complete", CompleteStatement.of(dialect, EndParts.ORDERED).in(weeks).text());
    ends.put("end with data", EndWithDataStatement.of(dialect, EndParts.ORDERED).in(weeks).text());
    Map<String, StatementText> endsOfHotHead = new TreeMap<>();
    endsOfHotHead.put(
        "complete in", CompleteStatement.ofOne(dialect, EndParts.ORDERED).in(weeks).text());
    endsOfHotHead.put(
        "complete in with result",
        EndWithDataStatement.ofOne(dialect, EndParts.ORDERED).in(weeks).text());
    endsOfHotHead.put("hand over", HandOverStatement.of(dialect).in(weeks).text());
    for (String mode : List.of("force_generic_plan", "force_custom_plan")) {
      for (Map.Entry<String, StatementText> end : ends.entrySet()) {
        readsFewPages(end.getKey(), end.getValue(), mode, values("running"), 3_000);
      }
      for (Map.Entry<String, StatementText> end : endsOfHotHead.entrySet()) {
        readsFewPages(end.getKey(), end.getValue(), mode, values("running"), 400);
      }
      readsFewPages("redrive", RedriveStatement.of(dialect).text(), mode, values("dead"), 3_000);
      readsFewPages("cancel", CancelStatement.of(dialect).text(), mode, values("waiting"), 3_000);
    }
  }

  /** Values for the parameters: {@link #RUNNING} jobs with a status. */
  private Map<String, String> values(String status) {
    List<Long> ids =
        LongStream.range(0, RUNNING)
            .map(
                n ->
                    Long.parseLong(
                        fixture.value(
                            "SELECT id FROM @jobs WHERE status = '%s' ORDER BY id LIMIT 1 OFFSET %d"
                                .formatted(status, n))))
            .boxed()
            .toList();
    Map<String, String> values = new HashMap<>();
    values.put("job_ids", array(ids));
    values.put("ids", array(ids));
    values.put("execution_ids", array(LongStream.rangeClosed(1, RUNNING).boxed().toList()));
    values.put("job_id", String.valueOf(ids.get(RUNNING - 1)));
    values.put("execution_id", String.valueOf(RUNNING));
    values.put("ended_as", array(Collections.nCopies(RUNNING, "completed")));
    values.put("results", array(Collections.nCopies(RUNNING, "1")));
    values.put("reasons", array(Collections.nCopies(RUNNING, "NULL")));
    values.put("result", "'1'");
    values.put("queue", "'default'");
    values.put("priority", "0");
    values.put("kinds", "'{work}'");
    values.put("longest_payload", "1000");
    values.put("worker", "'plan'");
    values.put("lease", "30000000");
    return values;
  }

  private void readsFewPages(
      String name, StatementText statement, String mode, Map<String, String> values, long most)
      throws SQLException {
    List<String> literals =
        statement.parameters().stream()
            .map(parameter -> Objects.requireNonNull(values.get(parameter), parameter))
            .toList();
    try (Connection connection = fixture.database.connection()) {
      Plan.Run run = Plan.ran(connection, statement, mode, literals);
      assertThat(run.plan()).as(name).doesNotContain("Seq Scan on jobs");
      assertThat(run.pages()).as("pages of %s: %s", name, run.plan()).isLessThan(most);
    }
  }

  private static String array(List<?> values) {
    return values.stream().map(String::valueOf).collect(Collectors.joining(",", "'{", "}'"));
  }
}
