package dev.skipjack.store.jooq.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.sql.StatementText;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.store.jooq.Plan;
import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the plans of the statements that fire, with ten thousand schedules and a backlog of unique
 * jobs.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SchedulePlanTest {

  private static final int DUE = 500;

  private final QueueDatabase database = QueueDatabase.create();
  private final Fixture fixture = new Fixture(database);
  private final Map<String, StatementText> statements = ScheduleStatements.texts(database.schema());

  @BeforeAll
  void fill() {
    fixture.execute(
        "INSERT INTO @job_schedules (name, cron, origin, queue, kind, payload, next_at, due_at, updated_at)"
            + " SELECT 's' || n, '@hourly', 'code', 'q', 'k', '{}', due, due, '2026-01-01 00:00+00'"
            + " FROM generate_series(0, 9999) n,"
            + " LATERAL (SELECT CASE WHEN n < %d THEN timestamptz '2026-01-05 09:00+00' ELSE now() + interval '1 day' END) AS d(due)"
                .formatted(DUE));
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, unique_key) SELECT 'q', 'k', '{}', 'k' || n FROM"
            + " generate_series(1, 20000) n");
    fixture.execute("ANALYZE @job_schedules; ANALYZE @jobs; ANALYZE @job_keys");
  }

  @AfterAll
  void drop() {
    database.close();
  }

  private Plan.Run run(String statement, String mode) throws SQLException {
    StatementText text = Objects.requireNonNull(statements.get(statement));
    Map<String, String> values = values();
    try (Connection connection = database.connection()) {
      return Plan.ran(connection, text, mode, text.parameters().stream().map(values::get).toList());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void dueSchedulesAndTheNextFireComeFromTheirIndex(String mode) throws SQLException {
    Plan.Run due = run("due-schedules", mode);
    Plan.Run next = run("next-fire", mode);

    for (Plan.Run each : List.of(due, next)) {
      assertThat(each.plan())
          .contains("job_schedules_due_idx")
          .doesNotContain("Seq Scan")
          .doesNotContain("Sort");
    }
    assertThat(due.pages()).as(due.plan()).isLessThan(300);
    assertThat(next.pages()).as(next.plan()).isLessThan(20);
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void aBatchReadsTheSchedulesAndKeysThatItNames(String mode) throws SQLException {
    Plan.Run fire = run("fire-schedules", mode);

    assertThat(fire.plan())
        .doesNotContain("Seq Scan on job")
        .contains("job_schedules_pkey")
        .contains("jobs_unique_key_idx");
    // The plan scans no array or CTE of the batch once for each row of another.
    assertThat(fire.plan()).doesNotContainPattern("(CTE|Function) Scan on .*loops=\\d{2,}");
  }

  @Test
  void aFailureIsRecordedThroughThePrimaryKey() throws SQLException {
    Plan.Run postpone = run("postpone-schedules", "force_generic_plan");

    assertThat(postpone.plan()).contains("job_schedules_pkey").doesNotContain("Seq Scan on job");
  }

  private static Map<String, String> values() {
    Map<String, String> values = new HashMap<>();
    String names = IntStream.range(0, DUE).mapToObj(n -> "s" + n).collect(joining());
    values.put("declared", "'{a,b}'");
    values.put("batch", "1000");
    values.put("names", names);
    values.put("schedules", names);
    values.put(
        "fire_keys", IntStream.range(0, DUE).mapToObj(n -> "schedule:s" + n).collect(joining()));
    values.put("unique_keys", IntStream.range(0, DUE).mapToObj(n -> "key" + n).collect(joining()));
    values.put("unique_labels", all("l"));
    values.put("unique_untils", all("dead"));
    values.put("planned_at", all("2026-01-05T09:00:00Z"));
    values.put("updated_at", all("2026-01-01T00:00:00Z"));
    values.put("versions", all("1"));
    values.put("due_at", all("2026-01-05T09:00:00Z"));
    values.put("next_at", all("2099-01-05T09:00:00Z"));
    values.put("last_at", all("2026-01-05T09:00:00Z"));
    values.put("zone_rules", all("2026a"));
    values.put("queues", all("q"));
    values.put("kinds", all("k"));
    values.put("payloads", all("1"));
    values.put("payload_versions", all("1"));
    values.put("priorities", all("0"));
    values.put("max_attempts", all("3"));
    values.put("scheduled_at", all("NULL"));
    values.put("delays", all("0"));
    values.put("errors", all("e"));
    values.put("tags", all("NULL"));
    values.put("headers", all("NULL"));
    values.put("ordering_keys", all("NULL"));
    values.put("ordering_policies", all("NULL"));
    values.put("kept", "1000000");
    return values;
  }

  private static String all(String value) {
    return Collections.nCopies(DUE, value).stream().collect(joining());
  }

  private static Collector<CharSequence, ?, String> joining() {
    return Collectors.joining(",", "'{", "}'");
  }
}
