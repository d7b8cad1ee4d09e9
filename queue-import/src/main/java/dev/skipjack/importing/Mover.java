package dev.skipjack.importing;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.StoreException;
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
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Moves rows in one transaction, by one statement:
 *
 * <pre>{@code
 * WITH given AS (SELECT * FROM unnest(:key1, :key2, ...) WITH ORDINALITY AS given (...)),
 *      taken AS (DELETE FROM scheduled_tasks USING given WHERE ... version = ... RETURNING given.position)
 * SELECT taken.position, skipjack.enqueue(kind => given.kind, ...)
 *   FROM taken JOIN given USING (position)
 * }</pre>
 *
 * <p>The arrays are in the order of the keys, so that two imports at the same time rarely lock rows
 * in different orders. If they do, the server may abort one of the transactions, and its rows are
 * then moved one by one.
 */
final class Mover {

  private static final String INVALID_DATA = "22";
  private static final String VIOLATED_CONSTRAINT = "23";

  /** A deadlock or a serialization failure. */
  private static final String CONFLICT = "40";

  private static final String LOCK_TIMEOUT = "55P03";

  static final String CHANGED = "changed during the import: run it again";

  private final Source source;
  private final JobQueue queue;
  private final String schema;
  private final String sql;
  private final String takeOne;

  Mover(Source source, JobQueue queue) {
    this.source = source;
    this.queue = queue;
    this.schema = '"' + queue.schema().replace("\"", "\"\"") + '"';
    this.sql =
        """
        WITH given AS MATERIALIZED (
          SELECT * FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::int[],
                               ?::timestamptz[], ?::int[], ?::text[], ?::text[], ?::text[], ?::text[])
                        WITH ORDINALITY
                     AS given (key1, key2, key3, kind, payload, queue, priority,
                               due, max_attempts, unique_key, idempotency_key, tags, source, position)
        ),
        %s
        SELECT taken.position,
               %s.enqueue(kind => given.kind, payload => given.payload::json, queue => given.queue,
                          priority => given.priority, scheduled_at => given.due,
                          max_attempts => given.max_attempts, tags => given.tags::text[],
                          unique_key => given.unique_key, idempotency_key => given.idempotency_key,
                          headers => jsonb_build_object('imported-from', given.source))
          FROM taken
          JOIN given USING (position)
        """
            .formatted(source.take(), this.schema);
    this.takeOne =
        """
        WITH given AS (SELECT 1::bigint AS position, ? AS key1, ? AS key2, ? AS key3),
        %s
        SELECT position FROM taken
        """
            .formatted(source.take());
  }

  /**
   * The result of moving rows together.
   *
   * @param moved the positions of the rows that were moved; null if the transaction was rolled back
   * @param refusal why the transaction was rolled back; empty if it was committed
   */
  private record Result(@Nullable BitSet moved, String refusal) {}

  /**
   * Moves the rows, and reports what happened to each. If a row is refused, the others are still
   * moved.
   */
  void move(Connection connection, List<NewRow> rows, ReportBuilder report) throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    Result result = inTransaction(connection, rows);
    BitSet moved = result.moved();
    if (moved != null) {
      for (int row = 0; row < rows.size(); row++) {
        if (moved.get(row)) {
          report.moved(rows.get(row));
        } else {
          report.stays(rows.get(row).row(), CHANGED);
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
    Result result =
        inTransaction(
            connection,
            moved -> {
              if (!takeOne(connection, row.row().key())) {
                return "";
              }
              moved.set(0);
              return add(queue.schedulesIn(connection), row, recurrence);
            });
    BitSet moved = result.moved();
    if (moved == null) {
      report.stays(row.row(), result.refusal());
    } else if (moved.get(0)) {
      report.moved(row);
    } else {
      report.stays(row.row(), CHANGED);
    }
  }

  private boolean takeOne(Connection connection, SourceRow.Key key) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(takeOne)) {
      statement.setString(1, key.first());
      statement.setString(2, key.second());
      statement.setString(3, key.version());
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  /**
   * Adds the schedule. Returns an empty string, or the reason why the transaction must be rolled
   * back: the schedule's next time, calculated after the source was locked, is not that of the
   * source, so a fire would be lost or repeated.
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
      return CHANGED;
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

  /** Moves rows in a transaction, and returns why none can be moved, or an empty string. */
  @FunctionalInterface
  private interface Move {
    String rows(BitSet moved) throws SQLException;
  }

  private Result inTransaction(Connection connection, List<NewRow> rows) throws SQLException {
    return inTransaction(
        connection,
        moved -> {
          List<Long> jobs = new ArrayList<>();
          execute(connection, rows, moved, jobs);
          return jobs.size() == created(connection, jobs)
              ? ""
              : rows.get(0).uniqueKey() == null
                  ? "imported before, by its idempotency key"
                  : "another live job has its unique key";
        });
  }

  private Result inTransaction(Connection connection, Move move) throws SQLException {
    connection.setAutoCommit(false);
    try {
      run(connection, source.lock());
      BitSet moved = new BitSet();
      String refusal = refusal(connection, move, moved);
      if (!refusal.isEmpty()) {
        connection.rollback();
      }
      connection.setAutoCommit(true);
      return new Result(refusal.isEmpty() ? moved : null, refusal);
    } catch (Throwable failed) {
      // An error of the application's codec must not commit the deletion either.
      rollBack(connection, failed);
      throw failed;
    }
  }

  /** Moves rows and commits, or returns why none can be moved. */
  private static String refusal(Connection connection, Move move, BitSet moved)
      throws SQLException {
    try {
      String refusal = move.rows(moved);
      if (refusal.isEmpty()) {
        connection.commit();
      }
      return refusal;
    } catch (SQLException failed) {
      if (!concernsRows(failed)) {
        throw failed;
      }
      return reason(failed);
    } catch (StoreException failed) {
      if (failed.getCause() instanceof SQLException cause && concernsRows(cause)) {
        return reason(cause);
      }
      throw failed;
    } catch (IllegalArgumentException | PayloadException refused) {
      // The schedule exists already, or cannot have this payload.
      return String.valueOf(refused.getMessage());
    }
  }

  private static void run(Connection connection, String sql) throws SQLException {
    if (!sql.isEmpty()) {
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.execute();
      }
    }
  }

  private static void rollBack(Connection connection, Throwable failed) {
    try {
      connection.rollback();
      connection.setAutoCommit(true);
    } catch (SQLException alsoFailed) {
      failed.addSuppressed(alsoFailed);
    }
  }

  private static boolean concernsRows(SQLException refused) {
    String state = state(refused);
    return state.startsWith(INVALID_DATA)
        || state.startsWith(VIOLATED_CONSTRAINT)
        || state.startsWith(CONFLICT)
        || state.equals(LOCK_TIMEOUT);
  }

  private static String reason(SQLException refused) {
    if (state(refused).equals(LOCK_TIMEOUT)) {
      return "locked by another transaction: run it again";
    }
    return state(refused).startsWith(CONFLICT)
        ? CHANGED
        : String.valueOf(refused.getMessage()).lines().findFirst().orElse("refused");
  }

  private static String state(SQLException refused) {
    return Objects.requireNonNullElse(refused.getSQLState(), "");
  }

  private void execute(Connection connection, List<NewRow> rows, BitSet moved, List<Long> jobs)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int index = 1;
      for (Array array : arrays(connection, rows)) {
        statement.setArray(index, array);
        index++;
      }
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          moved.set(row.getInt(1) - 1);
          jobs.add(row.getLong(2));
        }
      }
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
        array(
            connection,
            "text",
            rows,
            row -> row.uniqueKey() == null ? "import/" + id(row.row()) : null),
        array(connection, "text", rows, row -> tags(row.row().tags())),
        array(connection, "text", rows, row -> header(id(row.row()))));
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
   * Returns how many of the jobs this transaction created. The SQL function {@code enqueue} returns
   * the id of an earlier job if the key is in use.
   */
  private long created(Connection connection, List<Long> jobs) throws SQLException {
    String count =
        "SELECT count(*) FROM "
            + schema
            + ".jobs WHERE id = ANY (?) AND xmin::text = pg_current_xact_id()::xid::text";
    try (PreparedStatement query = connection.prepareStatement(count)) {
      query.setArray(1, connection.createArrayOf("int8", jobs.toArray()));
      try (ResultSet row = query.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }
}
