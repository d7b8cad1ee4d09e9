package dev.skipjack.testkit;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.SchemaName;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Reads all jobs of a schema with one statement, so that they are consistent with each other. */
final class JobRows {

  private static final String SELECT =
      """
      SELECT id, status, queue, kind, payload::text, payload_version, priority, attempts, max_attempts,
             created_at, scheduled_at, last_error, tags, clock_timestamp() AS seen_at,
             ARRAY(SELECT name::text FROM {schema}.job_steps WHERE job_id = jobs.id ORDER BY position) AS steps,
             CASE WHEN status = 'pending' AND scheduled_at > clock_timestamp() AND (
               EXISTS (SELECT FROM {schema}.job_waits AS w WHERE w.job_id = jobs.id AND w.name = awaits)
               OR EXISTS (SELECT FROM {schema}.job_steps AS s
                           WHERE s.job_id = jobs.id AND s.name = awaits
                             AND (s.type = 'children'
                                  OR s.type = 'sleep' AND (s.result #>> '{}')::timestamptz > clock_timestamp()))
             ) THEN awaits::text END AS waits_for
        FROM {schema}.jobs
      UNION ALL
      SELECT id, status, queue, kind, payload::text, payload_version, priority, attempts, max_attempts,
             created_at, scheduled_at, last_error, tags, clock_timestamp(),
             ARRAY(SELECT step ->> 'name' FROM jsonb_array_elements(steps) AS step), NULL
        FROM {schema}.jobs_archive
       ORDER BY id
      """;

  private static final String NO_TABLE = "42P01";
  private static final String ABORTED = "25P02";

  private JobRows() {}

  static List<JobRow> of(DataSource dataSource, String schema) {
    try (Connection connection = dataSource.getConnection()) {
      return read(connection, schema);
    } catch (SQLException e) {
      throw unreadable(schema, e);
    }
  }

  /** Reads the jobs as seen by the open transaction of the connection. */
  static List<JobRow> of(Connection connection, String schema) {
    try {
      return read(connection, schema);
    } catch (SQLException e) {
      throw unreadable(schema, e);
    }
  }

  private static List<JobRow> read(Connection connection, String schema) throws SQLException {
    SchemaName.require(schema);
    List<JobRow> jobs = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(SELECT.replace("{schema}", quoted(schema)))) {
      while (row.next()) {
        jobs.add(job(row));
      }
    }
    return jobs;
  }

  private static JobRow job(ResultSet row) throws SQLException {
    Instant scheduledAt = instant(row, "scheduled_at");
    return new JobRow(
        new JobId(row.getLong("id")),
        JobStatus.of(row.getString("status")),
        row.getString("queue"),
        row.getString("kind"),
        row.getString("payload"),
        row.getInt("payload_version"),
        row.getInt("priority"),
        row.getInt("attempts"),
        row.getInt("max_attempts"),
        instant(row, "created_at"),
        scheduledAt,
        Duration.between(instant(row, "seen_at"), scheduledAt),
        row.getString("last_error"),
        texts(row.getArray("tags")),
        texts(row.getArray("steps")),
        row.getString("waits_for"));
  }

  private static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  private static List<String> texts(@Nullable Array array) throws SQLException {
    return array == null ? List.of() : List.of((String[]) array.getArray());
  }

  static String quoted(String schema) {
    return '"' + schema.replace("\"", "\"\"") + '"';
  }

  private static IllegalStateException unreadable(String schema, SQLException cause) {
    String state = String.valueOf(cause.getSQLState());
    String why =
        switch (state) {
          case NO_TABLE ->
              "it does not contain the queue's tables. Migrate it, or name the schema that contains"
                  + " them.";
          case ABORTED ->
              "an earlier statement of the open transaction failed. Fix that statement; nothing can"
                  + " be read in this transaction any more.";
          default -> cause.getMessage();
        };
    return new IllegalStateException(
        "The jobs of schema '%s' cannot be read: %s".formatted(schema, why), cause);
  }
}
