package dev.skipjack.torture;

import dev.skipjack.torture.FinalRead.Content;
import dev.skipjack.torture.FinalRead.EffectRow;
import dev.skipjack.torture.FinalRead.ExecutionRow;
import dev.skipjack.torture.FinalRead.JobRow;
import dev.skipjack.torture.FinalRead.OutboxRead;
import dev.skipjack.torture.FinalRead.ScheduleRow;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * Reads the database with separate SQL, because a checker that used the code under test would
 * repeat the errors of that code.
 */
final class FinalReader {

  private static final int CLOCK_READINGS = 50;

  private static final String JOBS =
      "SELECT id, status, false, @text(key), @text(workload), @text(unique), @text(ordering),"
          + " attempts, uncounted_attempts, max_attempts, %1$s(created_at), %1$s(died_at),"
          + " coalesce(current_execution_id, 0), @content FROM @jobs WHERE @notOdd UNION ALL SELECT"
          + " id, status, true, @text(key), @text(workload), @text(unique), @text(ordering),"
          + " attempts, uncounted_attempts, max_attempts, %1$s(created_at), %1$s(finished_at),"
          + " coalesce(execution_id, 0), @content FROM @jobs_archive WHERE @notOdd";

  /**
   * Leaves out the queues of odd schedules and of undos and callbacks. In other queues, a job
   * without a request is a violation.
   */
  private static final String NOT_ODD =
      "queue NOT IN ('%s', '%s')".formatted(OddSchedules.QUEUE, StepWork.FOLLOWERS);

  private static final String CONTENT =
      "%1$s(scheduled_at), coalesce((payload->>'at')::bigint, 0),"
          + " coalesce((payload->>'delay')::bigint, 0), payload, coalesce(headers->>'"
          + Work.HEADER
          + "', '')";

  private static final String EXECUTIONS =
      "SELECT id, job_id, attempt, status, %1$s(started_at), %1$s(finished_at), coalesce(split_part(worker_id, '/', 1), ''),"
          + " coalesce(error_message, '') FROM @job_executions WHERE queue <> '"
          + StepWork.FOLLOWERS
          + "'";

  private static final String EFFECTS = "SELECT key, job_id, execution_id FROM @torture_effects";

  private static final String SCHEDULES =
      "SELECT name, floor(extract(epoch FROM created_at))::bigint, coalesce(floor(extract(epoch"
          + " FROM next_at))::bigint, 0),"
          + " coalesce(floor(extract(epoch FROM paused_at))::bigint, 0) FROM @job_schedules WHERE name LIKE '%s'"
              .formatted(ScheduledWork.NAMES);

  /** Leaves out the keys of odd schedules, because their jobs are not read either. */
  private static final String KEYS =
      "SELECT job_id FROM @job_keys WHERE key NOT LIKE 'schedule:%s%%'"
          .formatted(OddSchedules.PREFIX);

  private static final String CHANGES =
      "SELECT event_id, aggregate, number, poison FROM @torture_changes ORDER BY aggregate, number";

  private static final String INBOX_EFFECTS =
      "SELECT event_id, count(*) FROM @torture_inbox_effects GROUP BY event_id";

  private static final String ROWS =
      "SELECT id, (SELECT count(*) FROM @torture_takes WHERE row_id = id) FROM @torture_rows";

  private static final String UNPUBLISHED =
      "SELECT event_id, status FROM @outbox_events WHERE aggregate_type = '%s'"
          .formatted(Change.AGGREGATE_TYPE);

  /** The rounding error of three readings in whole microseconds. */
  private static final long ROUNDING = 2;

  private final String schema;

  private FinalReader(String schema) {
    this.schema = schema;
  }

  /** Reads everything from one snapshot. */
  static FinalRead read(DataSource dataSource, String schema) throws SQLException {
    return new FinalReader(schema).read(dataSource);
  }

  private FinalRead read(DataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      Clock clock = clock(statement);
      long offset = clock.ahead;
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      statement.setFetchSize(1_000);
      FinalRead read =
          new FinalRead(
              jobs(statement, offset),
              executions(statement, offset),
              effects(statement),
              schedules(statement),
              keys(statement),
              outbox(statement),
              rows(statement),
              StepCheck.read(statement, schema),
              clock.error);
      connection.commit();
      return read;
    }
  }

  /**
   * Reads the database's clock several times, and uses the reading with the shortest round trip.
   */
  private static Clock clock(Statement statement) throws SQLException {
    long best = Long.MAX_VALUE;
    long offset = 0;
    for (int i = 0; i < CLOCK_READINGS; i++) {
      long before = now();
      try (ResultSet row =
          statement.executeQuery("SELECT (extract(epoch FROM clock_timestamp()) * 1e6)::bigint")) {
        row.next();
        long after = now();
        if (after - before < best) {
          best = after - before;
          offset = row.getLong(1) - (before + after) / 2;
        }
      }
    }
    return clock(offset, best);
  }

  /**
   * Returns the difference between two clocks, or zero if the reading does not prove a difference.
   *
   * @param ahead the measured difference in microseconds
   * @param roundTrip the duration of the reading in microseconds
   */
  static Clock clock(long ahead, long roundTrip) {
    return Math.abs(ahead) <= roundTrip / 2 + ROUNDING
        ? new Clock(0, 0)
        : new Clock(ahead, roundTrip);
  }

  /**
   * The difference between the database's clock and this machine's, in microseconds.
   *
   * @param ahead how far the database's clock is ahead
   * @param error the largest error of converted times
   */
  record Clock(long ahead, long error) {}

  private static long now() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  private List<JobRow> jobs(Statement statement, long offset) throws SQLException {
    List<JobRow> rows = new ArrayList<>();
    try (ResultSet row = statement.executeQuery(sql(JOBS))) {
      while (row.next()) {
        rows.add(
            new JobRow(
                row.getLong(1),
                row.getString(2),
                row.getBoolean(3),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getString(7),
                row.getInt(8),
                row.getInt(9),
                row.getInt(10),
                local(row.getLong(11), offset),
                local(row.getLong(12), offset),
                row.getLong(13),
                local(row.getLong(14), offset),
                new Content(
                    local(row.getLong(15), offset),
                    row.getLong(16),
                    row.getString(17),
                    row.getString(18))));
      }
    }
    return rows;
  }

  private List<ExecutionRow> executions(Statement statement, long offset) throws SQLException {
    List<ExecutionRow> rows = new ArrayList<>();
    try (ResultSet row = statement.executeQuery(sql(EXECUTIONS))) {
      while (row.next()) {
        rows.add(
            new ExecutionRow(
                row.getLong(1),
                row.getLong(2),
                row.getInt(3),
                row.getString(4),
                local(row.getLong(5), offset),
                local(row.getLong(6), offset),
                row.getString(7),
                row.getString(8)));
      }
    }
    return rows;
  }

  private List<EffectRow> effects(Statement statement) throws SQLException {
    List<EffectRow> rows = new ArrayList<>();
    try (ResultSet row = statement.executeQuery(sql(EFFECTS))) {
      while (row.next()) {
        rows.add(new EffectRow(row.getString(1), row.getLong(2), row.getLong(3)));
      }
    }
    return rows;
  }

  private List<ScheduleRow> schedules(Statement statement) throws SQLException {
    List<ScheduleRow> rows = new ArrayList<>();
    try (ResultSet row = statement.executeQuery(sql(SCHEDULES))) {
      while (row.next()) {
        rows.add(new ScheduleRow(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4)));
      }
    }
    return rows;
  }

  private List<Long> keys(Statement statement) throws SQLException {
    List<Long> rows = new ArrayList<>();
    try (ResultSet row = statement.executeQuery(sql(KEYS))) {
      while (row.next()) {
        rows.add(row.getLong(1));
      }
    }
    return rows;
  }

  private OutboxRead outbox(Statement statement) throws SQLException {
    Map<String, Change> changes = new LinkedHashMap<>();
    try (ResultSet row = statement.executeQuery(sql(CHANGES))) {
      while (row.next()) {
        changes.put(row.getString(1), new Change(row.getInt(2), row.getLong(3), row.getBoolean(4)));
      }
    }
    Map<String, String> unpublished = new LinkedHashMap<>();
    try (ResultSet row = statement.executeQuery(sql(UNPUBLISHED))) {
      while (row.next()) {
        unpublished.put(row.getString(1), row.getString(2));
      }
    }
    Map<String, Long> effects = new LinkedHashMap<>();
    try (ResultSet row = statement.executeQuery(sql(INBOX_EFFECTS))) {
      while (row.next()) {
        effects.put(row.getString(1), row.getLong(2));
      }
    }
    return new OutboxRead(changes, unpublished, effects);
  }

  private Map<Integer, Long> rows(Statement statement) throws SQLException {
    Map<Integer, Long> rows = new LinkedHashMap<>();
    try (ResultSet row = statement.executeQuery(sql(ROWS))) {
      while (row.next()) {
        rows.put(row.getInt(1), row.getLong(2));
      }
    }
    return rows;
  }

  private static long local(long micros, long offset) {
    return micros == 0 ? 0 : micros - offset;
  }

  /**
   * Expands {@code @content} to the columns of a job's content, {@code @notOdd} to a condition,
   * {@code %1$s(x)} to x in microseconds, {@code @text(x)} to a string in the payload, and
   * {@code @} to the schema.
   */
  private String sql(String template) {
    return template
        .replace("@content", CONTENT)
        .replace("@notOdd", NOT_ODD)
        .replaceAll("@text\\((\\w+)\\)", "coalesce(payload->>'$1', '')")
        .replaceAll("%1\\$s\\((\\w+)\\)", "(extract(epoch FROM $1) * 1e6)::bigint")
        .replace("@", schema + ".");
  }
}
