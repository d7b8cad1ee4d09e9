package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.sql.StatementText;
import dev.skipjack.store.jooq.internal.history.AuditWeeks;
import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the plans of the most frequent statements, and how much they read, with a large backlog,
 * many future jobs, many jobs of an unhandled kind before all others, and ten thousand queues. All
 * tests share one table and roll back.
 *
 * <p>Generic and custom plans are made with statistics of an empty table, of other rows, and of
 * these rows.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BigTablePlanTest {

  /** The number of jobs in a large lane; a million with {@code -Dskipjack.soak}. */
  private static final int MANY = Boolean.getBoolean("skipjack.soak") ? 1_000_000 : 200_000;

  private static final int QUEUES = 10_000;
  private static final int FEW = 2_000;
  private static final List<String> MODES = List.of("force_generic_plan", "force_custom_plan");

  private final QueueDatabase database = QueueDatabase.create();
  private final Fixture fixture = new Fixture(database);
  private final DSLContext dialect = StatementDialect.forSchema(database.schema());
  private final Statement<ClaimRequest, ClaimedJob> claim = ClaimStatement.of(dialect);

  /** The plans by statistics and mode, and then by statement. */
  private final Map<String, Map<String, String>> plans = new LinkedHashMap<>();

  /**
   * The statements, rendered only once, because rendering takes longer than most of these tests.
   */
  private Map<String, StatementText> statements = Map.of();

  private long firstDead;
  private Instant loadedAt;

  @BeforeAll
  void fill() throws SQLException {
    fixture.execute("ALTER TABLE @jobs SET (autovacuum_enabled = off)");
    fixture.execute("ANALYZE @jobs; ANALYZE @job_executions; ANALYZE @jobs_archive");
    load(MANY / 10);
    plan("statistics of an empty table");
    fixture.execute("TRUNCATE @jobs, @job_executions");
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, status, died_at) SELECT 'old', 'k' || n % 50,"
            + " '{}', 'dead', now() FROM generate_series(1, 20000) n");
    fixture.execute("ANALYZE @jobs");
    fixture.execute("DELETE FROM @jobs");
    load(MANY);
    plan("statistics of other rows");
    fixture.execute("ANALYZE @jobs; ANALYZE @job_executions");
    plan("statistics of these rows");
  }

  @AfterAll
  void drop() {
    database.close();
  }

  private void load(int many) {
    String jobs = "INSERT INTO @jobs (queue, kind, payload, scheduled_at) ";
    fixture.execute(
        jobs
            + "SELECT 'busy', 'work', '{}', now() - interval '1 hour' FROM generate_series(1, %d)"
                .formatted(many));
    fixture.execute(
        jobs
            + "SELECT 'later', 'work', '{}', now() + interval '1 day' FROM generate_series(1, %d)"
                .formatted(many));
    fixture.execute(
        jobs
            + "SELECT 'mixed', 'foreign', '{}', now() - interval '2 hours' FROM generate_series(1, %d)"
                .formatted(many * 3 / 10));
    fixture.execute(
        jobs
            + "SELECT queue, 'work', '{}', now() - interval '1 hour' FROM"
            + " unnest('{later,mixed}'::text[]) AS queue, generate_series(1, 20)");
    fixture.execute(
        jobs
            + "SELECT 'queue-' || n %% %d, 'work', '{}', now() - interval '1 hour' FROM generate_series(1, 2 * %d) n"
                .formatted(QUEUES, QUEUES));
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, status, attempts, current_execution_id,"
            + " started_at, lease_expires_at)"
            + " SELECT 'busy', 'work', '{}', 'running', 1, n, now(), now() + CASE WHEN n %% 2 = 0 THEN interval '1 hour' ELSE '-1 hour' END FROM generate_series(1, %d) n"
                .formatted(FEW));
    fixture.execute(
        "INSERT INTO @job_executions (id, job_id, started_at, attempt, queue, kind) SELECT"
            + " current_execution_id, id, started_at, 1, queue, kind FROM @jobs WHERE status ="
            + " 'running'");
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, status, attempts, died_at) SELECT 'busy', 'work', '{}', 'dead', 3, now() - interval '1 hour' FROM generate_series(1, %d)"
            .formatted(FEW));
    loadedAt =
        Instant.ofEpochSecond(
            Long.parseLong(
                fixture.value("SELECT extract(epoch FROM min(started_at))::bigint FROM @jobs")));
    firstDead = Long.parseLong(fixture.value("SELECT min(id) FROM @jobs WHERE status = 'dead'"));
    statements = all();
  }

  private void plan(String when) throws SQLException {
    try (Connection connection = database.connection()) {
      for (String mode : MODES) {
        Map<String, String> byStatement = new LinkedHashMap<>();
        for (Map.Entry<String, StatementText> each : statements.entrySet()) {
          byStatement.put(
              each.getKey(), Plan.of(connection, each.getValue(), mode, literals(each.getValue())));
        }
        plans.put(when + ", " + mode, byStatement);
      }
    }
  }

  private Map<String, StatementText> all() {
    AuditWeeks weeks = AuditWeeks.containing(loadedAt);
    Map<String, StatementText> all = new LinkedHashMap<>();
    all.put("claim", claim.text());
    all.put("heartbeat", HeartbeatStatement.of(dialect).text());
    all.put("progress", ProgressStatement.of(dialect).text());
    all.put("cancelRequested", CancelRequestedStatement.of(dialect).text());
    all.put("complete", CompleteStatement.of(dialect, EndParts.NONE).in(weeks).text());
    all.put("completeSingle", CompleteStatement.ofSingle(dialect, EndParts.NONE).in(weeks).text());
    all.put("completeIn", CompleteStatement.ofOne(dialect, EndParts.NONE).in(weeks).text());
    all.put(
        "completeInWithResult",
        EndWithDataStatement.ofOne(dialect, EndParts.NONE).in(weeks).text());
    all.put("endWithData", EndWithDataStatement.of(dialect, EndParts.NONE).in(weeks).text());
    all.put("fail", FailStatement.of(dialect, EndParts.NONE).in(weeks).text());
    all.put("held", HeldStatement.of(dialect).text());
    all.put("requeue", RequeueStatement.of(dialect, EndParts.NONE).in(weeks).text());
    all.put("endWithSteps", EndWithDataStatement.of(dialect, EndParts.ALL).in(weeks).text());
    all.put(
        "completeInWithSteps", EndWithDataStatement.ofOne(dialect, EndParts.ALL).in(weeks).text());
    all.put("failWithSteps", FailStatement.of(dialect, EndParts.ALL).in(weeks).text());
    all.put("requeueWithSteps", RequeueStatement.of(dialect, EndParts.ALL).in(weeks).text());
    all.put("completeOwned", CompleteStatement.of(dialect, EndParts.OWNED).in(weeks).text());
    all.put("failOwned", FailStatement.of(dialect, EndParts.OWNED).in(weeks).text());
    all.put("rescue", RescueStatement.of(dialect).text());
    all.put("firstExpired", RescueStatement.firstExpired(dialect).text());
    all.put("cancel", CancelStatement.of(dialect).text());
    all.put("redrive", RedriveStatement.of(dialect).text());
    all.put("edit", EditStatement.of(dialect).text());
    all.put("prune", PruneStatement.of(dialect).text());
    return all;
  }

  @ParameterizedTest
  @CsvSource({
    "claim, jobs_pending_idx jobs_pkey",
    "heartbeat, jobs_pkey",
    "progress, jobs_pkey",
    "cancelRequested, jobs_pkey",
    "complete, jobs_pkey _pkey",
    "completeSingle, jobs_pkey _pkey",
    "completeIn, jobs_pkey _pkey",
    "completeInWithResult, jobs_pkey _pkey",
    "endWithData, jobs_pkey _pkey",
    "fail, jobs_pkey _pkey",
    "requeue, jobs_pkey _pkey",
    "endWithSteps, jobs_pkey _pkey job_steps_pkey job_waits_job_idx",
    "completeInWithSteps, jobs_pkey _pkey job_steps_pkey job_waits_job_idx",
    "failWithSteps, jobs_pkey _pkey job_steps job_waits_job_idx",
    "requeueWithSteps, jobs_pkey _pkey job_steps job_waits_job_idx",
    "rescue, jobs_running_idx jobs_pkey _pkey",
    "firstExpired, jobs_running_idx",
    "cancel, jobs_pkey",
    "redrive, jobs_pkey jobs_unique_key_idx",
    "edit, jobs_pkey",
    "prune, jobs_pkey"
  })
  void statementUsesItsIndexesWithAnyStatistics(String statement, String indexes) {
    plans.forEach(
        (when, byStatement) -> {
          String plan = byStatement.get(statement);
          assertThat(plan)
              .as("%s with %s", statement, when)
              .doesNotContain("Seq Scan on jobs")
              .doesNotContain("Seq Scan on job_executions")
              .doesNotContain("Index Cond: ((started_at");
          for (String index : indexes.split(" ", -1)) {
            assertThat(plan)
                .as("%s with %s", statement, when)
                .containsPattern(
                    index.equals("_pkey")
                        ? "Scan (using|on) job_executions_\\d+_pkey"
                        : "Scan (using|on) " + index);
          }
        });
    assertThat(plans).hasSize(3 * MODES.size());
  }

  /**
   * If a statement compares the partition key with a value that it reads, PostgreSQL prunes
   * partitions at run time. {@link ReevaluatedBatchTest} tests the consequence.
   */
  @Test
  void noWritePrunesPartitionsWhileItRuns() {
    plans.forEach(
        (when, byStatement) ->
            byStatement.forEach(
                (statement, plan) ->
                    assertThat(plan)
                        .as("%s with %s", statement, when)
                        .doesNotContainPattern("(started|finished)_at [<>]?= \\(?\\w+\\.")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "complete",
        "completeSingle",
        "completeIn",
        "completeInWithResult",
        "endWithData",
        "fail",
        "requeue",
        "endWithSteps",
        "completeInWithSteps",
        "failWithSteps",
        "requeueWithSteps"
      })
  void planOfAnOutcomeHasOnlyTheAuditPartitionsOfItsWeeks(String outcome) {
    String monday =
        DateTimeFormatter.BASIC_ISO_DATE.format(
            LocalDate.ofInstant(AuditWeeks.containing(loadedAt).from(), ZoneOffset.UTC));
    plans.forEach(
        (when, byStatement) ->
            assertThat(Objects.requireNonNull(byStatement.get(outcome)))
                .as(when)
                .contains(" on job_executions_" + monday)
                .doesNotContainPattern(" on job_executions_(?!%s)".formatted(monday)));
  }

  /** A sort would read all due jobs. */
  @Test
  void aClaimSortsNothing() {
    plans.forEach(
        (when, byStatement) ->
            assertThat(byStatement.get("claim")).as(when).doesNotContain("Sort"));
  }

  /** A claim reads only the pages of ten jobs, their index entries and their audit rows. */
  @ParameterizedTest
  @CsvSource({
    "busy, -infinity",
    "later, -infinity",
    "mixed, 90 minutes ago",
    "queue-77, -infinity"
  })
  void claimReadsOnlyTheJobsThatItClaims(String queue, String low) throws SQLException {
    String lowWater =
        low.equals("-infinity")
            ? "'{-infinity}'"
            : "ARRAY[now() - interval '%s']".formatted(low.replace(" ago", ""));
    for (String mode : MODES) {
      assertPages(claim.text(), mode, claim("'{%s}'".formatted(queue), lowWater, 1), 300);
    }
  }

  @Test
  void aClaimOfThousandsOfLanesReadsThoseItServes() throws SQLException {
    for (String mode : MODES) {
      assertPages(
          claim.text(),
          mode,
          claim(
              queues(QUEUES),
              "array_fill('-infinity'::timestamptz, ARRAY[%d])".formatted(QUEUES),
              QUEUES),
          300);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "heartbeat",
        "progress",
        "complete",
        "endWithData",
        "fail",
        "requeue",
        "held",
        "rescue",
        "firstExpired"
      })
  void aBatchOfAHundredReadsAHundredRowsOrLess(String name) throws SQLException {
    StatementText statement = statement(name);
    for (String mode : MODES) {
      assertPages(statement, mode, literals(statement), 6_000);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cancel", "redrive", "prune", "edit"})
  void aCommandReadsTheRowsThatItNames(String name) throws SQLException {
    StatementText statement = statement(name);
    for (String mode : MODES) {
      assertPages(statement, mode, literals(statement), 6_000);
    }
  }

  /**
   * A claim with IN (... LIMIT) takes 498 of 500 jobs here, because the plan runs the subquery once
   * for each row.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "enable_hashjoin",
        "enable_mergejoin",
        "enable_nestloop",
        "enable_hashagg",
        "enable_material",
        "enable_bitmapscan"
      })
  void claimTakesNoMoreThanRequestedUnderAnyPlan(String off) throws SQLException {
    try (Connection connection = database.connection();
        java.sql.Statement sql = connection.createStatement()) {
      connection.setAutoCommit(false);
      sql.execute("SET LOCAL " + off + " = off");
      List<ClaimedJob> claimed =
          claim.run(connection, Fixture.request(7, Fixture.LEASE, new Lane("busy", 0)));
      connection.rollback();
      assertThat(claimed).hasSize(7);
    }
  }

  private StatementText statement(String name) {
    return Objects.requireNonNull(statements.get(name));
  }

  private void assertPages(StatementText statement, String mode, List<String> literals, long most)
      throws SQLException {
    try (Connection connection = database.connection()) {
      Plan.Run run = Plan.ran(connection, statement, mode, literals);
      assertThat(run.pages()).as("pages of %s", run.plan()).isLessThan(most);
    }
  }

  private static String queues(int count) {
    return IntStream.range(0, count)
        .mapToObj(n -> "queue-" + n)
        .collect(Collectors.joining(",", "'{", "}'"));
  }

  private List<String> claim(String queues, String lowWater, int lanes) {
    Map<String, String> values = values();
    values.put("queues", queues);
    values.put("priorities", "array_fill(0, ARRAY[%d])::smallint[]".formatted(lanes));
    values.put("low_water", lowWater);
    values.put("caps", "array_fill(10, ARRAY[%d])".formatted(lanes));
    return claim.text().parameters().stream().map(values::get).toList();
  }

  private List<String> literals(StatementText statement) {
    if (statement == claim.text()) {
      return claim("'{busy,later}'", "'{-infinity,-infinity}'", 2);
    }
    Map<String, String> values = values();
    return statement.parameters().stream().map(values::get).toList();
  }

  /**
   * Returns the parameters: a hundred running jobs, ten dead ones, and the other values that the
   * statements need.
   */
  private Map<String, String> values() {
    long firstRunning = firstDead - FEW;
    Map<String, String> values = new LinkedHashMap<>();
    values.put(
        "job_ids", array(LongStream.range(firstRunning, firstRunning + 100).boxed().toList()));
    values.put("execution_ids", array(LongStream.rangeClosed(1, 100).boxed().toList()));
    values.put("job_id", String.valueOf(firstRunning));
    values.put("execution_id", "1");
    values.put("ids", array(LongStream.range(firstDead, firstDead + 100).boxed().toList()));
    values.put("worker", "'w'");
    values.put("lease", "30000000");
    values.put("kinds", "'{work}'");
    values.put("limit", "10");
    values.put("after", "0");
    values.put("spread", "1000000");
    values.put("priority", "'{3}'");
    values.put("scheduled_at", "'{NULL}'");
    values.put("delay", "'{NULL}'");
    values.put("payload", "'{NULL}'");
    values.put("delays", array(Collections.nCopies(100, 0)));
    values.put("ended_as", array(Collections.nCopies(100, "completed")));
    values.put("results", array(Collections.nCopies(100, "1")));
    values.put("reasons", array(Collections.nCopies(100, "NULL")));
    values.put("result", "'1'");
    values.put("percents", array(Collections.nCopies(100, 50)));
    values.put("messages", array(Collections.nCopies(100, "m")));
    values.put("finals", array(Collections.nCopies(100, "false")));
    values.put("error_classes", array(Collections.nCopies(100, "c")));
    values.put("error_messages", array(Collections.nCopies(100, "m")));
    values.put("error_stacks", array(Collections.nCopies(100, "s")));
    values.put("untils", array(Collections.nCopies(100, "NULL")));
    values.put("closed_as", array(Collections.nCopies(100, "released")));
    return values;
  }

  private static String array(List<?> values) {
    return values.stream().map(String::valueOf).collect(Collectors.joining(",", "'{", "}'"));
  }
}
