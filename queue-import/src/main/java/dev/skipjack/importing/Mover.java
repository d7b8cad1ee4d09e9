package dev.skipjack.importing;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import dev.skipjack.api.schedule.Missed;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.ScheduleState;
import dev.skipjack.api.schedule.Schedules;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Moves rows in one transaction, by one statement:
 *
 * <pre>{@code
 * WITH given AS (SELECT * FROM unnest(:key1, :key2, ...) WITH ORDINALITY AS given (...)),
 *      taken AS (DELETE FROM scheduled_tasks USING given WHERE ... version = ... RETURNING given.position, (the row) AS copy),
 *      enqueued AS (SELECT position, copy, skipjack.enqueue(kind => given.kind, ...) AS job FROM taken JOIN given ...),
 *      copied AS (INSERT INTO job_imports SELECT ... FROM enqueued ON CONFLICT DO NOTHING RETURNING id, job_id)
 * SELECT position, job, copied.id FROM enqueued LEFT JOIN copied ...
 * }</pre>
 *
 * <p>A row that has a copy already has been imported before, and is refused. A job that failed for
 * good becomes dead in the same transaction, so no worker sees it pending.
 *
 * <p>The arrays are in the order of the keys, so that two imports at the same time rarely lock rows
 * in different orders. If they do, the server may abort one of the transactions, and its rows are
 * then moved one by one.
 */
final class Mover {

  private static final String BEFORE = "imported before";

  private final Source source;
  private final JobQueue queue;
  private final String identity;
  private final String schema;
  private final String sql;
  private final String takeOne;

  /**
   * Creates a mover.
   *
   * @param identity the identity of the source in this database
   */
  Mover(Source source, String identity, JobQueue queue, Copies copies) {
    this.source = source;
    this.identity = identity;
    this.queue = queue;
    this.schema = copies.schema();
    this.sql =
        """
        WITH given AS MATERIALIZED (
          SELECT * FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::int[],
                               ?::timestamptz[], ?::int[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
                        WITH ORDINALITY
                     AS given (key1, key2, key3, kind, payload, queue, priority,
                               due, max_attempts, unique_key, tags, origin, source_id, name, position)
        ),
        %s,
        enqueued AS MATERIALIZED (
          SELECT taken.position, taken.copy,
                 %s.enqueue(kind => given.kind, payload => given.payload::json, queue => given.queue,
                            priority => given.priority, scheduled_at => given.due,
                            max_attempts => given.max_attempts, tags => given.tags::text[],
                            unique_key => given.unique_key,
                            headers => jsonb_build_object('imported-from', given.origin)) AS job
            FROM taken
            JOIN given USING (position)
        ), copied AS (
          INSERT INTO %s (source, source_id, name, kind, job_id, source_rows)
          SELECT ?, given.source_id, given.name, given.kind, enqueued.job, enqueued.copy
            FROM enqueued
            JOIN given USING (position)
          ON CONFLICT DO NOTHING
          RETURNING id, job_id
        )
        SELECT enqueued.position, enqueued.job, copied.id
          FROM enqueued
          LEFT JOIN copied ON copied.job_id = enqueued.job
        """
            .formatted(source.take(), schema, copies.table());
    this.takeOne =
        """
        WITH given AS (SELECT 1::bigint AS position, ? AS key1, ? AS key2, ? AS key3),
        %s
        SELECT copy FROM taken
        """
            .formatted(source.take());
  }

  /**
   * Moves the rows, and reports the result of each. If a row is refused, the others are still
   * moved.
   */
  void move(Connection connection, List<NewRow> rows, ReportBuilder report) throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    RowTransaction.Result result = inTransaction(connection, rows);
    BitSet moved = result.moved();
    if (moved != null) {
      for (int row = 0; row < rows.size(); row++) {
        if (moved.get(row)) {
          report.moved(rows.get(row));
        } else {
          report.stays(rows.get(row).row(), RowTransaction.CHANGED);
        }
      }
    } else if (rows.size() == 1) {
      report.stays(rows.get(0).row(), result.refusal());
    } else {
      for (NewRow row : rows) {
        move(connection, List.of(row), report);
      }
    }
  }

  /** Deletes a recurring row and adds its schedule in one transaction, and reports the result. */
  void moveSchedule(Connection connection, NewRow row, Recurrence recurrence, ReportBuilder report)
      throws SQLException {
    RowTransaction.Result result =
        RowTransaction.run(
            connection,
            source.lock(),
            moved -> {
              String copy = takeOne(connection, row.row().key());
              if (copy == null) {
                return "";
              }
              moved.set(0);
              String refusal = add(queue.schedulesIn(connection), row, recurrence);
              return refusal.isEmpty() && !keep(connection, row, recurrence, copy)
                  ? BEFORE
                  : refusal;
            });
    BitSet moved = result.moved();
    if (moved == null) {
      report.stays(row.row(), result.refusal());
    } else if (moved.get(0)) {
      report.moved(row);
    } else {
      report.stays(row.row(), RowTransaction.CHANGED);
    }
  }

  /** Deletes a row, and returns its copy; null if it has changed. */
  private @Nullable String takeOne(Connection connection, SourceRow.Key key) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(takeOne)) {
      statement.setString(1, key.first());
      statement.setString(2, key.second());
      statement.setString(3, key.version());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getString(1) : null;
      }
    }
  }

  /**
   * Writes the copy of a row that became a schedule, and returns whether the row had none yet.
   * First deletes the copy of an earlier schedule with the name: that schedule no longer exists,
   * because the name was free.
   */
  private boolean keep(Connection connection, NewRow row, Recurrence recurrence, String copy)
      throws SQLException {
    String delete =
        "DELETE FROM %s.job_imports WHERE source = ? AND source_id = ? AND schedule = ?"
            .formatted(schema);
    try (PreparedStatement statement = connection.prepareStatement(delete)) {
      statement.setString(1, identity);
      statement.setString(2, Copies.key(row.row().id()));
      statement.setString(3, recurrence.name());
      statement.executeUpdate();
    }
    String insert =
        """
        INSERT INTO %1$s.job_imports (source, source_id, name, kind, source_rows, schedule, imported_at)
        SELECT ?, ?, ?, ?, ?::json, name, updated_at FROM %1$s.job_schedules WHERE name = ?
        ON CONFLICT DO NOTHING
        """
            .formatted(schema);
    try (PreparedStatement statement = connection.prepareStatement(insert)) {
      statement.setString(1, identity);
      statement.setString(2, Copies.key(row.row().id()));
      statement.setString(3, row.row().name());
      statement.setString(4, row.kind());
      statement.setString(5, copy);
      statement.setString(6, recurrence.name());
      return statement.executeUpdate() == 1;
    }
  }

  /**
   * Adds the schedule. Returns an empty string, or the reason why the transaction must be rolled
   * back: the schedule's next time, calculated after the source was locked, differs from that of
   * the source, so a planned time would be lost or repeated.
   */
  private String add(Schedules schedules, NewRow row, Recurrence recurrence) {
    Object payload = queue.codec().decode(row.payload(), Object.class);
    JobType<Object> type = JobType.of(row.kind(), Object.class).onQueue(row.queue());
    schedules.add(
        Schedule.of(recurrence.timing())
            .named(recurrence.name())
            .enqueue(type, payload, job -> options(job, row))
            .missed(recurrence.skipsMissed() ? Missed.skip() : Missed.once())
            .overlap(recurrence.exclusive() ? Overlap.SKIP_WHILE_LIVE : Overlap.ALLOW)
            .description("imported from " + header(id(row.row()))));
    ScheduleState added = schedules.find(recurrence.name()).orElseThrow();
    if (!added.nextFires().stream().limit(1).toList().equals(List.of(row.row().due()))) {
      return RowTransaction.CHANGED;
    }
    if (recurrence.paused()) {
      schedules.pause(recurrence.name());
    }
    return "";
  }

  private static EnqueueOptions options(EnqueueOptions none, NewRow row) {
    EnqueueOptions options = row.priority() == null ? none : none.priority(row.priority());
    return row.maxAttempts() == null ? options : options.maxAttempts(row.maxAttempts());
  }

  private RowTransaction.Result inTransaction(Connection connection, List<NewRow> rows)
      throws SQLException {
    return RowTransaction.run(
        connection,
        source.lock(),
        moved -> {
          Map<Integer, Long> jobs = new TreeMap<>();
          Set<Long> copies = new TreeSet<>();
          if (!execute(connection, rows, jobs, copies)) {
            return BEFORE;
          }
          if (jobs.size() != created(connection, copies)) {
            return "another live job has its unique key";
          }
          jobs.keySet().forEach(moved::set);
          makeDead(connection, rows, jobs);
          keepWriters(connection, copies);
          return "";
        });
  }

  /**
   * Moves the rows, and returns whether none of them has been imported before.
   *
   * @param jobs receives the job of each row that was moved, by the position of the row
   * @param copies receives the ids of the copies
   */
  private boolean execute(
      Connection connection, List<NewRow> rows, Map<Integer, Long> jobs, Set<Long> copies)
      throws SQLException {
    boolean copied = true;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int index = 1;
      for (Array array : arrays(connection, rows)) {
        statement.setArray(index, array);
        index++;
      }
      statement.setString(index, identity);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          jobs.put(row.getInt(1) - 1, row.getLong(2));
          long copy = row.getLong(3);
          copied &= !row.wasNull();
          copies.add(copy);
        }
      }
    }
    return copied;
  }

  /** Makes those jobs dead whose rows had failed for good. */
  private void makeDead(Connection connection, List<NewRow> rows, Map<Integer, Long> jobs)
      throws SQLException {
    String update =
        "UPDATE %s.jobs SET status = 'dead', died_at = clock_timestamp(), last_error = ?, last_error_class = ? WHERE id = ?"
            .formatted(schema);
    try (PreparedStatement statement = connection.prepareStatement(update)) {
      for (Map.Entry<Integer, Long> job : jobs.entrySet()) {
        SourceRow.Failure failure = rows.get(job.getKey()).row().failure();
        if (failure != null) {
          statement.setString(1, failure.message());
          statement.setString(2, failure.type());
          statement.setLong(3, job.getValue());
          statement.addBatch();
        }
      }
      statement.executeBatch();
    }
  }

  /**
   * Corrects {@code imported_by}: if the driver sets savepoints, a subtransaction has written the
   * jobs. Replaces the copies, because the user may not update them.
   */
  private void keepWriters(Connection connection, Set<Long> copies) throws SQLException {
    String replace =
        """
        WITH old AS (
          DELETE FROM %1$s.job_imports AS copy USING %1$s.jobs AS job
           WHERE copy.id = ANY (?) AND job.id = copy.job_id AND job.xmin <> copy.imported_by
          RETURNING copy.source, copy.source_id, copy.name, copy.kind, copy.job_id, job.xmin AS written_by,
                    copy.imported_at, copy.source_rows
        )
        INSERT INTO %1$s.job_imports (source, source_id, name, kind, job_id, imported_by, imported_at, source_rows)
        SELECT * FROM old
        """
            .formatted(schema);
    try (PreparedStatement statement = connection.prepareStatement(replace)) {
      statement.setArray(1, connection.createArrayOf("int8", copies.toArray()));
      statement.executeUpdate();
    }
  }

  private List<Array> arrays(Connection connection, List<NewRow> rows) throws SQLException {
    return List.of(
        array(connection, "text", rows, row -> row.row().key().first()),
        array(connection, "text", rows, row -> row.row().key().second()),
        array(connection, "text", rows, row -> row.row().key().version()),
        array(connection, "text", rows, NewRow::kind),
        array(connection, "text", rows, NewRow::payload),
        array(connection, "text", rows, NewRow::queue),
        array(connection, "int4", rows, NewRow::priority),
        array(connection, "text", rows, row -> row.row().due().toString()),
        array(connection, "int4", rows, NewRow::maxAttempts),
        array(connection, "text", rows, NewRow::uniqueKey),
        array(connection, "text", rows, row -> tags(row.row().tags())),
        array(connection, "text", rows, row -> header(id(row.row()))),
        array(connection, "text", rows, row -> Copies.key(row.row().id())),
        array(connection, "text", rows, row -> row.row().name()));
  }

  private String id(SourceRow row) {
    return source.name() + "/" + row.id();
  }

  private static Array array(
      Connection connection,
      String type,
      List<NewRow> rows,
      Function<NewRow, ? extends @Nullable Object> value)
      throws SQLException {
    return connection.createArrayOf(type, rows.stream().map(value).toArray());
  }

  private static String tags(List<String> tags) {
    return tags.stream()
        .map(tag -> '"' + tag.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
        .collect(Collectors.joining(",", "{", "}"));
  }

  /** Returns the id without control characters, truncated to 500 characters, for a header. */
  private static String header(String id) {
    String text = id.replaceAll("[\\x00-\\x1f\\x7f-\\x9f]", " ");
    return text.length() <= 500 ? text : text.substring(0, 500);
  }

  /**
   * Returns how many jobs the statement that wrote the copies has created. It may be fewer, because
   * the SQL function {@code enqueue} returns the id of an earlier job if the key is in use. If the
   * driver sets savepoints, {@code xmin} differs between statements of the transaction.
   */
  private long created(Connection connection, Set<Long> copies) throws SQLException {
    String count =
        """
        SELECT count(DISTINCT job.id)
          FROM %1$s.job_imports AS copy
          JOIN %1$s.jobs AS job ON job.id = copy.job_id AND job.xmin = copy.xmin
         WHERE copy.id = ANY (?)
        """
            .formatted(schema);
    try (PreparedStatement query = connection.prepareStatement(count)) {
      query.setArray(1, connection.createArrayOf("int8", copies.toArray()));
      try (ResultSet row = query.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }
}
