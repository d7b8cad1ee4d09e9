package dev.skipjack.importing;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The table of db-scheduler. Its workers take a row by setting {@code picked} and increasing {@code
 * version}, if the version is still the one that they have read. The import deletes a row only if
 * no column has changed since it was read, so a row is either taken or imported.
 */
final class DbSchedulerSource extends Source {

  /** The priority of a task that sets none. */
  private static final int DEFAULT_PRIORITY = 50;

  /** The instance id that the library gives to its recurring tasks. */
  private static final String RECURRING = "recurring";

  /** The package of the class with which the library stores a task's schedule and data. */
  private static final String SCHEDULE_CLASS = "com.github.kagkarlsson.scheduler.task.";

  /** The beginning of a schedule in the JSON of the library's serializers. */
  private static final Pattern SCHEDULE =
      Pattern.compile("\"schedule\"\\s*:\\s*\\{\\s*\"type\"\\s*:\\s*\"(cron|fixedDelay|daily)\"");

  private static final String VERSION = version("octet_length(source.task_data)", "source.*");

  private static final List<String> NEEDED =
      List.of("task_name", "task_instance", "task_data", "execution_time", "picked", "version");

  DbSchedulerSource(String table) {
    super("db-scheduler", table);
  }

  @Override
  void check(Connection connection) throws SQLException {
    columns(connection, tables(), NEEDED);
  }

  @Override
  List<String> names(Connection connection) throws SQLException {
    return texts(connection, "SELECT DISTINCT task_name FROM " + tables());
  }

  @Override
  List<SourceRow> page(
      Connection connection, List<String> only, @Nullable SourceRow after, int limit)
      throws SQLException {
    // Tables of versions before 15 have no priority.
    boolean ranked = columns(connection, tables(), NEEDED).contains("priority");
    String sql =
        "SELECT task_name, task_instance, "
            + bounded("task_data")
            + " AS task_data, task_data IS NOT NULL AS has_data, execution_time, picked,"
            + " consecutive_failures, "
            + VERSION
            + " AS version, "
            + (ranked ? "priority" : "NULL::smallint")
            + " AS priority FROM "
            + tables()
            + " AS source WHERE task_name = ANY (?) AND (task_name, task_instance) > (?, ?)"
            + " ORDER BY task_name, task_instance LIMIT ?";
    try (PreparedStatement query = connection.prepareStatement(sql)) {
      query.setArray(1, connection.createArrayOf("text", only.toArray()));
      query.setString(2, after == null ? "" : after.key().first());
      query.setString(3, after == null ? "" : after.key().second());
      query.setInt(4, limit);
      List<SourceRow> rows = new ArrayList<>();
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          rows.add(read(row));
        }
      }
      return rows;
    }
  }

  private static SourceRow read(ResultSet row) throws SQLException {
    String task = row.getString("task_name");
    String instance = row.getString("task_instance");
    Instant due = row.getObject("execution_time", OffsetDateTime.class).toInstant();
    byte[] data = row.getBytes("task_data");
    Integer priority = row.getObject("priority", Integer.class);
    return new SourceRow(
        task,
        id(task, instance, due.toString()),
        new SourceRow.Key(task, instance, row.getString("version")),
        due,
        priority == null || priority == DEFAULT_PRIORITY ? null : priority - DEFAULT_PRIORITY,
        row.getInt("consecutive_failures"),
        null,
        instance,
        null,
        List.of(),
        data,
        null,
        null,
        stays(row.getBoolean("picked"), instance, data, row.getBoolean("has_data")));
  }

  private static @Nullable String stays(
      boolean picked, String instance, byte @Nullable [] data, boolean hasData) {
    if (picked) {
      return "picked: it ends in db-scheduler, which also revives it if its worker is dead";
    }
    if (data == null && hasData) {
      return "data is larger than 1 MiB";
    }
    return instance.equals(RECURRING) || (data != null && isSchedule(data))
        ? "recurring: declare a schedule, remove the task from the code, and delete the row"
        : null;
  }

  private static boolean isSchedule(byte[] data) {
    return SerializedPayload.isSerialized(data)
        ? SerializedPayload.className(data).startsWith(SCHEDULE_CLASS)
        : SCHEDULE.matcher(new String(data, StandardCharsets.UTF_8)).find();
  }

  @Override
  boolean hasUniqueIds() {
    return true;
  }

  @Override
  List<Part> parts() {
    return List.of(new Part("task", tables()));
  }

  @Override
  String due(String copy) {
    return "(%s #>> '{task,0,execution_time}')::timestamptz".formatted(copy);
  }

  @Override
  String take() {
    return """
    taken AS (
      DELETE FROM %s AS source USING given
       WHERE source.task_name = given.key1 AND source.task_instance = given.key2
         AND %s = given.key3::bigint
      RETURNING given.position, json_build_object('task', json_build_array(row_to_json(source.*))) AS copy
    )
    """
        .formatted(tables(), VERSION);
  }
}
