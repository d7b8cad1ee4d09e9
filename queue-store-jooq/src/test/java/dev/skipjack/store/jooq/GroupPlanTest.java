package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.sql.StatementDialect;
import dev.skipjack.sql.StatementText;
import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the plans of the search for groups and of their claims: one group has 200,000 due jobs,
 * 50,000 groups have one due job each and 50,000 have one future job, and 1,000 jobs run.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GroupPlanTest {

  private static final Map<String, String> LITERALS =
      Map.ofEntries(
          Map.entry("queue", "'default'"),
          Map.entry("priority", "0"),
          Map.entry("jobs", "200"),
          Map.entry("newest", "100"),
          Map.entry("depth", "50"),
          Map.entry("names", "64"),
          Map.entry("after", "'one-25000'"),
          Map.entry("ungrouped_at", "'-infinity'"),
          Map.entry("ungrouped_id", "0"),
          Map.entry("low_at", "'-infinity'"),
          Map.entry("low_id", "0"),
          Map.entry("worker", "'test'"),
          Map.entry("lease", "1000000"),
          Map.entry("limit_name", "'api'"),
          Map.entry("limit", "'api'"),
          Map.entry("locks_limit", "'true'"),
          Map.entry("locks_groups", "'true'"),
          Map.entry("groups", "'{many,one-1,one-2,one-3,NULL}'"),
          Map.entry("caps", "'{10,10,10,10,10}'"),
          Map.entry("from_at", "array_fill('-infinity'::timestamptz, ARRAY[5])"),
          Map.entry("from_ids", "'{0,0,0,0,0}'"),
          Map.entry("until_at", "'-infinity'"),
          Map.entry("until_id", "0"),
          Map.entry("kinds", "'{work}'"),
          Map.entry("most", "50"));

  private QueueDatabase database;
  private Fixture fixture;

  @BeforeAll
  void fill() {
    database = QueueDatabase.create();
    fixture = new Fixture(database);
    fixture.execute(
        "INSERT INTO @job_limits (name, max_running, max_running_per_group, rate_count,"
            + " rate_period) VALUES ('api', 2000, 20, 100000, '1 second')");
    fixture.execute("INSERT INTO @job_queues (queue, limit_name) VALUES ('default', 'api')");
    fixture.execute(
        "INSERT INTO @job_groups (queue, group_key) SELECT 'default', 'one-' || n FROM"
            + " generate_series(1, 10000) AS n");
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, group_key, scheduled_at) SELECT 'work', '{}', 'many',"
            + " now() - interval '1 hour' FROM generate_series(1, 200000) AS n");
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, group_key, scheduled_at) SELECT 'work', '{}', 'one-' ||"
            + " n, now() + CASE WHEN n % 2 = 0 THEN interval '1 day' ELSE interval '0' END FROM"
            + " generate_series(1, 100000) AS n");
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, group_key, limit_name, status, current_execution_id,"
            + " lease_expires_at, started_at, attempts) SELECT 'work', '{}', nullif('one-' || n %"
            + " 100, 'one-7'), 'api', 'running', n, now(), now(), 1 FROM generate_series(1, 1000)"
            + " AS n");
  }

  @AfterAll
  void drop() {
    database.close();
  }

  private Plan.Run ran(StatementText text, String mode) throws SQLException {
    try (Connection connection = database.connection()) {
      List<String> literals = text.parameters().stream().map(LITERALS::get).toList();
      return Plan.ran(connection, text, mode, literals);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "force_generic_plan, true",
    "force_generic_plan, false",
    "force_custom_plan, true",
    "force_custom_plan, false"
  })
  void fewPagesAreReadWhateverTheStatistics(String mode, boolean analyzed) throws SQLException {
    if (analyzed) {
      fixture.execute("ANALYZE @jobs");
      fixture.execute("ANALYZE @job_groups");
    }
    var dialect = StatementDialect.forSchema(database.schema());

    Plan.Run search = ran(DueGroupsStatement.of(dialect).text(), mode);
    assertThat(search.plan())
        .contains("jobs_pending_idx", "jobs_group_idx")
        .doesNotContain("Seq Scan on jobs", "Seq Scan on job_groups");
    assertThat(search.pages()).as(search.plan()).isLessThan(3_000);

    Plan.Run limited = ran(ClaimGroupsStatement.ofLimited(dialect).text(), mode);
    assertThat(limited.plan())
        .contains("jobs_group_idx", "jobs_limit_group_idx")
        .doesNotContain("Seq Scan on jobs", "Seq Scan on job_groups");
    assertThat(limited.pages()).as(limited.plan()).isLessThan(3_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void fairClaimReadsOnlyTheJobsThatItTakes(String mode) throws SQLException {
    Plan.Run fair =
        ran(
            ClaimGroupsStatement.ofFair(StatementDialect.forSchema(database.schema())).text(),
            mode);

    assertThat(fair.plan())
        .contains("jobs_group_idx")
        .doesNotContain("Seq Scan on jobs", "Seq Scan on job_groups");
    assertThat(fair.pages()).as(fair.plan()).isLessThan(2_000);
  }
}
