package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.Retention;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobOperations;
import dev.skipjack.api.operations.JobPage;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.MinutesQuery;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.DueLane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.migrations.Roles;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writes odd values to each column that a role may write, and tests that commands and workers still
 * process all other rows. The catalog lists the columns, so a new column needs no change here. A
 * new table needs a healthy row in {@link HealthyRows}.
 */
@QueueTest
class OddRowsTest {

  /** Whether each table is tried alone, instead of all at once. */
  private static final boolean SOAK = Boolean.getBoolean("skipjack.soak");

  private static final List<String> ROLES =
      List.of("sql_producer", "producer", "worker", "operator", "viewer");

  /** The columns whose domain, or whose partitions, accept no odd value except NULL. */
  private static final Map<String, Set<String>> FULLY_CONSTRAINED =
      Map.ofEntries(
          Map.entry("job_depths", Set.of("minute")),
          Map.entry("job_groups", Set.of("weight")),
          Map.entry("job_limits", Set.of("rate_count", "rate_period", "rate_burst", "rate_kind")),
          Map.entry("job_minutes", Set.of("minute")),
          Map.entry("job_executions", Set.of("started_at", "status")),
          Map.entry(
              "job_operations",
              Set.of(
                  "action",
                  "status",
                  "since",
                  "died_before",
                  "state",
                  "created_at",
                  "updated_at",
                  "finished_at")),
          Map.entry(
              "job_batches",
              Set.of(
                  "dead_policy",
                  "finish_max_attempts",
                  "success_max_attempts",
                  "first_dead_max_attempts")),
          Map.entry("job_queues", Set.of("default_max_attempts", "ordering_policy")),
          Map.entry("job_steps", Set.of("type", "undo_max_attempts")),
          Map.entry("job_waits", Set.of("address")),
          Map.entry(
              "job_schedules",
              Set.of(
                  "due_at",
                  "next_at",
                  "last_at",
                  "requested_at",
                  "paused_at",
                  "missed_until",
                  "interval_seconds",
                  "missed",
                  "missed_maximum",
                  "overlap",
                  "max_attempts",
                  "origin",
                  "declared_at",
                  "timing_changed_at",
                  "failed_at",
                  "created_at",
                  "updated_at")),
          Map.entry("jobs", Set.of("max_attempts", "status", "unique_until", "ordering_policy")),
          Map.entry("jobs_archive", Set.of("finished_at", "status", "max_attempts")),
          Map.entry("outbox_blocked", Set.of("retry_at", "blocked_at")),
          Map.entry("outbox_events", Set.of("died_at", "status", "traceparent")),
          Map.entry("outbox_published", Set.of("published_at")));

  /** The commands that only read and do not name a row. */
  private static final List<String> READING =
      List.of(
          "stats",
          "stats --json",
          "workers",
          "workers --json",
          "jobs list --limit 500",
          "jobs list --limit 500 --json",
          "jobs list --ended --limit 500",
          "jobs list --ended --limit 500 --json",
          "jobs list --queue odd --tag a --error x --since 1h",
          "jobs cancel --queue odd --dry-run",
          "jobs run-now --queue odd --dry-run --json",
          "dead list",
          "dead list --json",
          "dead redrive --queue odd --dry-run",
          "dead prune --queue odd --dry-run",
          "keys list",
          "keys list --json",
          "queues list",
          "queues list --json",
          "schedules list",
          "schedules list --json",
          "operations list",
          "operations list --json",
          "outbox status",
          "outbox status --json",
          "outbox dead",
          "outbox dead --json");

  private static final Pattern UNCHECKED = Pattern.compile("[^{}]*\"level\":\"not_checked\"[^{}]*");

  private static final Duration AHEAD = Duration.ofDays(14);

  private static final WorkerRow WORKER =
      new WorkerRow(WorkerId.boot("w"), "h", 1L, List.of("odd"), List.of("other"), "{}");

  private record Column(String table, String name, String type) {}

  @FunctionalInterface
  private interface Step {
    void run() throws Exception;
  }

  @SuppressWarnings("NullAway.Init") // set before the first test
  private QueueDatabase database;

  @SuppressWarnings("NullAway.Init") // set before the first test
  private JobQueue queue;

  @SuppressWarnings("NullAway.Init") // set before the first test
  private Path home;

  private int number;

  /** The columns in which the table accepted an odd value other than NULL. */
  private final Set<Column> planted = new HashSet<>();

  /** A pending, a running, a waiting and a dead job without an odd value. */
  private final List<JobId> healthyJobs = new ArrayList<>();

  @TestFactory
  Stream<DynamicTest> noOddRowStopsTheOthers(QueueDatabase database, @TempDir Path home)
      throws SQLException {
    this.database = database;
    this.home = home;
    queue = Shop.queue(database);
    Map<String, List<Column>> tables = new TreeMap<>();
    for (Column column : columnsThatARoleMayWrite()) {
      tables.computeIfAbsent(column.table(), table -> new ArrayList<>()).add(column);
    }
    assertThat(tables.keySet()).isEqualTo(new TreeSet<>(HealthyRows.OF_TABLE.keySet()));
    tables.keySet().removeIf(table -> HealthyRows.of(table).isEmpty());
    return SOAK
        ? tables.entrySet().stream()
            .map(
                table ->
                    DynamicTest.dynamicTest(
                        table.getKey(), () -> assertNothingFails(table.getValue())))
        : Stream.of(
            DynamicTest.dynamicTest("all tables", () -> assertNothingFailsInAny(tables.values())));
  }

  /** Tries all columns of all tables at once; what fails is tried again with each table. */
  private void assertNothingFailsInAny(Collection<List<Column>> tables) throws SQLException {
    Map<String, String> failures =
        failuresWith(tables.stream().flatMap(List::stream).toList(), name -> true);
    if (!failures.isEmpty()) {
      for (List<Column> columns : tables) {
        assertNothingFails(columns);
      }
    }
    assertThat(failures).as("failures beside odd rows of several tables").isEmpty();
    assertAll(tables.stream().map(columns -> () -> assertPlanted(columns)));
  }

  /** Tries all columns of a table at once; what fails is tried again with each of the columns. */
  private void assertNothingFails(List<Column> columns) throws SQLException {
    Map<String, String> failures = failuresWith(columns, name -> true);
    assertPlanted(columns);
    Map<String, Set<String>> causes = new TreeMap<>();
    if (!failures.isEmpty()) {
      for (Column column : columns) {
        Set<String> alone = failuresWith(List.of(column), failures::containsKey).keySet();
        if (!alone.isEmpty()) {
          causes.put(column.name(), alone);
        }
      }
    }
    assertThat(failures).as("failures by column: %s", causes).isEmpty();
  }

  private void assertPlanted(List<Column> columns) {
    String table = columns.get(0).table();
    assertThat(columns.stream().filter(column -> !planted.contains(column)).map(Column::name))
        .as("columns of %s of which no odd value was accepted", table)
        .containsExactlyInAnyOrderElementsOf(FULLY_CONSTRAINED.getOrDefault(table, Set.of()));
  }

  /** Returns the message of each step that fails because of odd rows. */
  private Map<String, String> failuresWith(List<Column> columns, Predicate<String> steps)
      throws SQLException {
    database.truncate();
    healthyJobs.clear();
    try (Connection connection = database.connection()) {
      for (Map<String, String> row : HealthyRows.of("jobs")) {
        String id = insert(connection, "jobs", row, null, null);
        healthyJobs.add(new JobId(Long.parseLong(String.valueOf(id))));
      }
      for (Map.Entry<String, List<Map<String, String>>> table : HealthyRows.OF_TABLE.entrySet()) {
        if (!table.getKey().equals("jobs")) {
          for (Map<String, String> row : table.getValue()) {
            insert(connection, table.getKey(), row, null, null);
          }
        }
      }
      for (Column column : columns) {
        plant(connection, column);
      }
    }
    Map<String, String> failures = new TreeMap<>();
    for (Map.Entry<String, Step> step : steps().entrySet()) {
      if (steps.test(step.getKey())) {
        try {
          step.getValue().run();
        } catch (Exception | AssertionError failure) {
          failures.put(step.getKey(), start(String.valueOf(failure)));
        }
      }
    }
    return failures;
  }

  /** Inserts a row for each odd value of the column that the table accepts. */
  private void plant(Connection connection, Column column) throws SQLException {
    boolean huge = true;
    for (Map<String, String> row : HealthyRows.of(column.table())) {
      for (String value : OddValues.of(column.type(), huge)) {
        if (insert(connection, column.table(), row, column, value) != null && value != null) {
          planted.add(column);
        }
      }
      huge = false;
    }
  }

  /** Inserts a row and returns its id, or returns null if the table rejects the odd value. */
  private @Nullable String insert(
      Connection connection,
      String table,
      Map<String, String> healthy,
      @Nullable Column odd,
      @Nullable String value)
      throws SQLException {
    Map<String, String> row = new LinkedHashMap<>(healthy);
    if (odd != null) {
      row.put(odd.name(), "CAST(CAST(? AS text) AS %s)".formatted(odd.type()));
    }
    number++;
    String sql =
        "INSERT INTO skipjack.%s (%s) OVERRIDING SYSTEM VALUE VALUES (%s)"
            .formatted(
                table,
                String.join(", ", row.keySet()),
                String.join(", ", row.values()).replace("#", Integer.toString(number)));
    try (PreparedStatement insert =
        connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
      if (odd != null) {
        insert.setString(1, value);
      }
      insert.executeUpdate();
      try (ResultSet key = insert.getGeneratedKeys()) {
        return key.next() ? key.getString(1) : null;
      }
    } catch (SQLException rejected) {
      if (odd == null || !rejected.getSQLState().matches("2[23].*|54.*")) {
        throw rejected;
      }
      return null;
    }
  }

  /** Returns the steps by name, those that change rows last. */
  private Map<String, Step> steps() throws SQLException {
    Map<String, Step> steps = new LinkedHashMap<>();
    READING.forEach(command -> steps.put(command, () -> assertSucceeds(command)));
    steps.put("doctor", () -> assertChecksEverything(run("doctor --json")));
    List<JobId> live = ids("SELECT id FROM skipjack.jobs");
    List<JobId> ended = ids("SELECT id FROM skipjack.jobs_archive");
    steps.put("list live", () -> assertThat(walk(JobQuery.live())).containsExactlyElementsOf(live));
    steps.put(
        "list ended",
        () -> assertThat(walk(JobQuery.archived())).containsExactlyInAnyOrderElementsOf(ended));
    steps.put("list due", () -> walk(JobQuery.pending("odd")));
    for (JobStatus status : JobStatus.values()) {
      JobQuery all = status.isLive() ? JobQuery.live() : JobQuery.archived();
      steps.put("list " + status, () -> walk(all.status(status)));
    }
    steps.put("jobs show", () -> assertSucceeds("jobs show " + healthyJobs.get(0)));
    MinutesQuery lastMinutes = MinutesQuery.last(MinutesQuery.KEPT);
    steps.put("minutes", () -> assertThat(queue.reader().minutes(lastMinutes)).isNotEmpty());
    steps.put("depths", () -> assertThat(queue.reader().depths(lastMinutes)).isNotEmpty());
    steps.put("show and why", () -> assertExplained(Stream.concat(live.stream(), ended.stream())));
    steps.put("rescue", () -> assertThat(rescued()).contains(healthyJobs.get(1)));
    steps.put("sweep", () -> queue.orderedJobs().orElseThrow().sweep());
    steps.put("unhandled kinds", () -> queue.workers().unhandledKinds(WORKER));
    steps.put("claim", () -> assertThat(claimed()).contains(healthyJobs.get(0)));
    steps.put(
        "fire",
        () -> {
          ScheduleStore.Round round = queue.scheduleStore().orElseThrow().fireDue(List.of());
          assertThat(round.fired()).as("%s", round).isNotEmpty();
        });
    steps.put("redrive", () -> operate(OperationAction.REDRIVE, JobStatus.DEAD));
    steps.put("run now", () -> operate(OperationAction.RUN_NOW, JobStatus.PENDING));
    steps.put("cancel", () -> operate(OperationAction.CANCEL, JobStatus.PENDING));
    steps.put("prune", () -> queue.maintenance().prune());
    steps.put("create partitions", () -> queue.maintenance().createPartitions(AHEAD));
    steps.put(
        "remove partitions", () -> queue.maintenance().removePartitions(Retention.defaults()));
    return steps;
  }

  private void assertSucceeds(String command) {
    Program program = run(command);
    assertThat(program.exitCode())
        .as(start(program.err()))
        .isIn(ExitCodes.DONE, ExitCodes.NOTHING_MATCHED);
  }

  /**
   * Asserts that every check ran, because a check that did not run proves nothing about healthy
   * rows.
   */
  private static void assertChecksEverything(Program doctor) {
    Matcher unchecked = UNCHECKED.matcher(doctor.out());
    assertThat(unchecked.results().map(MatchResult::group)).as(start(doctor.err())).isEmpty();
    assertThat(doctor.out()).startsWith("{\"checks\"");
  }

  private void assertExplained(Stream<JobId> jobs) {
    jobs.forEach(
        job -> {
          assertThat(queue.reader().why(job)).isPresent();
          assertThat(queue.reader().find(job)).isPresent();
        });
  }

  private static String start(String text) {
    return text.substring(0, Math.min(text.length(), 300));
  }

  private List<JobId> walk(JobQuery query) {
    List<JobId> jobs = new ArrayList<>();
    JobPage page = queue.reader().list(query.limit(JobQuery.LARGEST));
    jobs.addAll(page.jobs().stream().map(JobSummary::id).toList());
    while (page.next().isPresent()) {
      page = queue.reader().list(query.limit(JobQuery.LARGEST).after(page.next().get()));
      jobs.addAll(page.jobs().stream().map(JobSummary::id).toList());
    }
    return jobs;
  }

  private List<JobId> rescued() {
    return queue.store().rescue(Duration.ZERO, 10_000).stream()
        .map(rescued -> rescued.execution().jobId())
        .toList();
  }

  /** Claims all jobs, completes them and returns their ids. */
  private List<JobId> claimed() {
    List<JobId> jobs = new ArrayList<>();
    while (true) {
      List<LaneShare> lanes =
          queue.store().dueLanes(List.of("odd")).lanes().stream()
              .map(DueLane::lane)
              .map(lane -> new LaneShare(lane, 200, null))
              .toList();
      List<ClaimedJob> claimed =
          lanes.isEmpty()
              ? List.of()
              : queue
                  .store()
                  .claim(
                      new ClaimRequest(
                          WorkerId.boot("test"),
                          lanes,
                          List.of("work"),
                          200,
                          Duration.ofMinutes(5)));
      if (claimed.isEmpty()) {
        return jobs;
      }
      queue.store().complete(claimed.stream().map(ClaimedJob::execution).toList());
      jobs.addAll(claimed.stream().map(job -> job.execution().jobId()).toList());
    }
  }

  private void operate(OperationAction action, JobStatus status) {
    JobOperations operations = queue.operations();
    JobOperation started =
        operations.start(
            operations.preview(action, JobQuery.live().queue("odd").status(status)), "anna");
    assertThat(operations.run(started.id(), ignored -> {}).state())
        .isEqualTo(JobOperation.State.FINISHED);
  }

  private Program run(String command) {
    return Program.run(Map.of(), home, (command + " --url " + database.jdbcUrl()).split(" "));
  }

  private List<JobId> ids(String sql) throws SQLException {
    List<JobId> ids = new ArrayList<>();
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql + " ORDER BY id")) {
      while (rows.next()) {
        ids.add(new JobId(rows.getLong(1)));
      }
    }
    return ids;
  }

  private List<Column> columnsThatARoleMayWrite() throws SQLException {
    List<Column> columns = new ArrayList<>();
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      // Roles belong to the server, and other test JVMs may use the same one.
      String prefix;
      try (ResultSet row =
          statement.executeQuery("SELECT 'o' || left(md5(current_database()), 12)")) {
        row.next();
        prefix = row.getString(1);
      }
      String roles =
          ROLES.stream()
              .map(role -> prefix + "_" + role)
              .collect(Collectors.joining("', '", "'", "'"));
      statement.execute(Roles.sql(database.schema(), prefix));
      try (ResultSet rows =
          statement.executeQuery(
              """
              SELECT class.relname, attname, format_type(coalesce(nullif(typbasetype, 0), pg_type.oid), NULL)
                FROM pg_class AS class
                JOIN pg_attribute ON attrelid = class.oid AND attnum > 0 AND NOT attisdropped
                JOIN pg_type ON pg_type.oid = atttypid
               WHERE relnamespace = '%s'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
                 AND EXISTS (SELECT FROM pg_roles
                              WHERE rolname IN (%s)
                                AND (has_column_privilege(pg_roles.oid, class.oid, attnum, 'INSERT')
                                     OR has_column_privilege(pg_roles.oid, class.oid, attnum, 'UPDATE')))
               ORDER BY 1, attnum
              """
                  .formatted(database.schema(), roles))) {
        while (rows.next()) {
          columns.add(new Column(rows.getString(1), rows.getString(2), rows.getString(3)));
        }
      }
      for (String role : ROLES) {
        statement.execute("DROP OWNED BY %1$s_%2$s; DROP ROLE %1$s_%2$s".formatted(prefix, role));
      }
    }
    return columns;
  }
}
