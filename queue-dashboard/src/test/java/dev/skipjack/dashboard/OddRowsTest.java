package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pages with rows that the library would never write, but the schema allows: every column of every
 * table has each odd value of its type. No page fails, and each stays small.
 */
@QueueTest
class OddRowsTest {

  private static final int LARGEST_PAGE = 3_000_000;

  /** Odd values by the type of the column. A constraint may refuse some of them. */
  private static final Map<String, List<String>> VALUES =
      Map.of(
          "timestamp with time zone",
          List.of(
              "'infinity'",
              "'-infinity'",
              "'0044-03-15 BC'",
              "'294276-12-31 23:59:59.999999+00'",
              "'1970-01-01'"),
          "date",
          List.of("'infinity'", "'0044-03-15 BC'"),
          "text",
          List.of(
              "''",
              "repeat('x', 1000000)",
              "repeat(E'line\\n', 200000)",
              "E'\\x01\\x1b[31m \\t\\r\\n'",
              "E'\\u202e\\U0001D11E<b>'"),
          "text[]",
          List.of("'{}'", "'{NULL}'", "'{{a,b},{c,NULL}}'", "'[0:1]={a,b}'", "'{\"\",NULL,a}'"),
          "jsonb",
          List.of(
              "'null'",
              "'[]'",
              "'\"text\"'",
              "'1e400'",
              "(repeat('[', 1000) || repeat(']', 1000))::jsonb",
              "to_jsonb(repeat('x', 1000000))"),
          "bigint",
          List.of("-1", "0", "9223372036854775807", "-9223372036854775808"),
          "integer",
          List.of("-1", "0", "2147483647", "-2147483648"),
          "smallint",
          List.of("-1", "32767"),
          "boolean",
          List.of("true", "false"));

  private static final int MOST_VALUES = 6;

  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(2_000).build())
                  .build())
          .build();

  private final List<String> changes = new ArrayList<>();

  @SuppressWarnings("NullAway.Init") // set by each test
  private QueueDatabase database;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jobs",
        "jobs_archive",
        "job_executions",
        "job_queues",
        "job_schedules",
        "job_workers",
        "job_operations",
        "job_changes",
        "job_limits",
        "job_groups",
        "job_rate_uses",
        "outbox_events",
        "outbox_blocked",
        "outbox_shards"
      })
  void everyPageShowsOddRows(String table, QueueDatabase given) throws Exception {
    database = given;
    try (Fixture fixture = new Fixture(given)) {
      fixture.fillWith("text");
      fixture.failToFire("text");
      execute(
          "INSERT INTO job_rate_uses (limit_name, taken, full_at) VALUES ('shared-limit', 5, now() + interval '1 minute')");
      fixture.enqueue("other", "others", Map.of());
      fixture
          .queue
          .operations()
          .start(
              fixture
                  .queue
                  .operations()
                  .preview(OperationAction.REDRIVE, JobQuery.live().tag("text").error("text")),
              "anna");
      fixture.queue.operations().record("anna", "text", "fire", "emails", "text");
      List<String> addresses = addresses(fixture);
      execute("DROP TABLE IF EXISTS before_changes");
      execute("CREATE TABLE before_changes AS SELECT * FROM " + table);
      TestClock clock = new TestClock(Instant.now());
      for (int number = -1; number < MOST_VALUES; number++) {
        change(table, number);
        clock.advance(Duration.ofHours(1));
        try (Dashboard dashboard =
            Dashboard.on(fixture.queue).access(Fixture::access).clock(clock).build()) {
          Browser admin = new Browser(dashboard, Fixture.ADMIN);
          for (String address : addresses) {
            check(address, admin.get(address));
          }
          Browser restricted = new Browser(dashboard, "carl viewer emails,others");
          for (String address :
              List.of("/", "/workers", "/schedules", "/jobs", "/operations", "/held", "/limits")) {
            check(address, restricted.get(address));
          }
        }
        restore(table);
      }
      execute("DROP TABLE before_changes");
    }
  }

  private void check(String address, Response response) throws IOException {
    String context = "%s with %s".formatted(address, changes);
    assertThat(response.status()).as(context).isIn(200, 303, 400, 403, 404);
    assertThat(response.body().length).as(context).isLessThan(LARGEST_PAGE);
    if (address.startsWith("/api/")) {
      assertThatCode(() -> JSON.readTree(response.body())).as(context).doesNotThrowAnyException();
    } else if (response.status() == 200) {
      Markup.check(response.text());
    }
    assertThat(response.text()).as(context).doesNotContain("could not be read", "rejected the");
  }

  private static List<String> addresses(Fixture fixture) {
    List<String> addresses = new ArrayList<>();
    List<JobId> jobs =
        Stream.of(JobQuery.live(), JobQuery.archived())
            .flatMap(query -> fixture.queue.reader().list(query).jobs().stream())
            .map(JobSummary::id)
            .toList();
    List<JobOperation> operations = fixture.queue.operations().list(10);
    for (Route route : Routes.all()) {
      if (!route.method().equals("GET")) {
        continue;
      }
      if (route.path().contains("jobs/{id}")) {
        jobs.forEach(job -> addresses.add(route.path().replace("{id}", job.toString())));
      } else if (route.path().contains("{id}")) {
        operations.forEach(
            one -> addresses.add(route.path().replace("{id}", Long.toString(one.id()))));
      } else {
        addresses.add(route.path() + "?name=emails&action=redrive&q=queue:emails");
      }
    }
    for (JobStatus status : JobStatus.values()) {
      addresses.add("/jobs?q=status:" + status.literal());
    }
    addresses.add("/jobs?q=queue:emails+status:pending");
    addresses.add("/new?like=" + jobs.get(0));
    return addresses;
  }

  /**
   * Writes an odd value into every column that accepts it.
   *
   * @param number the index of the value among those of the column's type; -1 for NULL
   */
  private void change(String table, int number) throws SQLException {
    changes.clear();
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      connection.setSchema(database.schema());
      connection.setAutoCommit(false);
      for (Map.Entry<String, String> column : columns(statement, table).entrySet()) {
        List<String> values = VALUES.getOrDefault(column.getValue(), List.of());
        if (number >= values.size()) {
          continue;
        }
        String update =
            "UPDATE %s SET %s = %s"
                .formatted(table, column.getKey(), number < 0 ? "NULL" : values.get(number));
        Savepoint before = connection.setSavepoint();
        try {
          statement.executeUpdate(update);
          changes.add(update);
        } catch (SQLException refused) {
          connection.rollback(before);
        }
      }
      connection.commit();
    }
  }

  /** Returns the type of each column, of domains their base. */
  private static Map<String, String> columns(Statement statement, String table)
      throws SQLException {
    Map<String, String> columns = new LinkedHashMap<>();
    try (ResultSet rows =
        statement.executeQuery(
            """
            SELECT attname, format_type(CASE typtype WHEN 'd' THEN typbasetype ELSE atttypid END, NULL) AS type
              FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
             WHERE attrelid = '%s'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
             ORDER BY attnum
            """
                .formatted(table))) {
      while (rows.next()) {
        columns.put(rows.getString(1), rows.getString(2));
      }
    }
    return columns;
  }

  private void restore(String table) throws SQLException {
    boolean isReferenced = table.equals("job_limits");
    if (isReferenced) {
      execute("UPDATE job_queues SET limit_name = NULL");
    }
    execute("DELETE FROM " + table);
    execute("INSERT INTO " + table + " OVERRIDING SYSTEM VALUE SELECT * FROM before_changes");
    if (isReferenced) {
      execute("UPDATE job_queues SET limit_name = 'shared-limit' WHERE queue = 'limited'");
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      connection.setSchema(database.schema());
      statement.execute(sql);
    }
  }
}
