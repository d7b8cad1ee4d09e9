package dev.skipjack.importing;

import dev.skipjack.store.jooq.JobQueue;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.Set;
import java.util.TreeSet;

/**
 * The table {@code job_imports} in the schema of the queue. It has a copy of each row that an
 * import has deleted from a source, written in the same transaction. The first import creates the
 * table, so queues that import nothing do not have it.
 *
 * <p>The copies are {@code json} and not {@code jsonb}, which would change the text of numbers and
 * documents.
 */
final class Copies {

  /** Longer ids are hashed, because an index entry has at most a third of a page. */
  private static final int LONGEST_ID = 200;

  /** The condition of a query that runs {@linkplain #inParts in parts}. */
  static final String PART = "copy.id BETWEEN ? AND ?";

  private static final int LARGEST_PART = 10_000;

  private static final String FORBIDDEN = "42501";

  private final String schema;
  private final String table;

  Copies(JobQueue queue) {
    this.schema = '"' + queue.schema().replace("\"", "\"\"") + '"';
    this.table = schema + ".job_imports";
  }

  /** Returns the schema of the queue, quoted. */
  String schema() {
    return schema;
  }

  /** Returns the name of the table, with its schema. */
  String table() {
    return table;
  }

  /**
   * Returns the statement that creates the table. {@code imported_by} is the transaction, or
   * subtransaction, that wrote the job; it equals the {@code xmin} of the job's row as long as
   * nothing has changed that row. For a schedule, {@code imported_at} is the time at which its
   * definition was written.
   */
  String definition() {
    return """
    CREATE TABLE IF NOT EXISTS %s (
      id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      source      text        NOT NULL,
      source_id   text        NOT NULL,
      name        text        NOT NULL,
      kind        text        NOT NULL,
      job_id      bigint,
      schedule    text,
      imported_by xid         NOT NULL DEFAULT pg_current_xact_id()::xid,
      imported_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      source_rows json        NOT NULL,
      UNIQUE (source, source_id)
    )\
    """
        .formatted(table);
  }

  /** Returns whether the table exists. */
  boolean exist(Connection connection) throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement("SELECT to_regclass(?) IS NOT NULL")) {
      query.setString(1, table);
      try (ResultSet row = query.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  /**
   * Creates the table if it does not exist. It belongs to the owner of the jobs, who must be able
   * to grant and revoke rights on all tables of the schema.
   *
   * @throws IllegalStateException if the user may not create it
   */
  void create(Connection connection) throws SQLException {
    if (exist(connection)) {
      return;
    }
    // Without the lock, two sessions that create the table at once can violate a key of the
    // catalog.
    try (PreparedStatement create =
        connection.prepareStatement(
            """
            DO $create$
            BEGIN
              PERFORM pg_advisory_xact_lock(hashtextextended('%1$s.job_imports', 0));
              %2$s;
              EXECUTE (SELECT format('ALTER TABLE %%s OWNER TO %%I', '%1$s.job_imports', pg_get_userbyid(relowner))
                         FROM pg_class WHERE oid = '%1$s.jobs'::regclass);
            END;
            $create$
            """
                .formatted(schema.replace("'", "''"), definition()))) {
      create.execute();
    } catch (SQLException refused) {
      if (!FORBIDDEN.equals(refused.getSQLState())) {
        throw refused;
      }
      throw new IllegalStateException(
          "The import keeps copies of what it moves in %s, which this user may not create. Let the owner of the other tables run: %s; GRANT SELECT, INSERT, DELETE ON %s TO (this user)"
              .formatted(table, definition(), table),
          refused);
    }
  }

  /** Returns the names of the rows that have been imported from a source. */
  Set<String> names(Connection connection, String source) throws SQLException {
    Set<String> names = new TreeSet<>();
    if (!exist(connection)) {
      return names;
    }
    inParts(
        connection,
        "SELECT DISTINCT copy.name FROM %s AS copy WHERE %s AND copy.source = ?"
            .formatted(table, PART),
        query -> query.setString(3, source),
        row -> names.add(row.getString(1)));
    return names;
  }

  /** Sets the parameters of a query from the third. */
  @FunctionalInterface
  interface Arguments {
    void set(PreparedStatement query) throws SQLException;
  }

  /** Receives a row. */
  @FunctionalInterface
  interface Rows {
    void accept(ResultSet row) throws SQLException;
  }

  /**
   * Runs a query on the copies, some thousands at a time, because one statement on all copies of a
   * large import can exceed the time limit of a session.
   *
   * @param sql the query, which has the condition {@link #PART} before its other parameters
   */
  void inParts(Connection connection, String sql, Arguments arguments, Rows rows)
      throws SQLException {
    long last = last(connection);
    try (PreparedStatement query = connection.prepareStatement(sql)) {
      arguments.set(query);
      for (long first = 0; first <= last; first += LARGEST_PART) {
        query.setLong(1, first);
        query.setLong(2, first + LARGEST_PART - 1);
        try (ResultSet row = query.executeQuery()) {
          while (row.next()) {
            rows.accept(row);
          }
        }
      }
    }
  }

  private long last(Connection connection) throws SQLException {
    try (PreparedStatement query =
            connection.prepareStatement("SELECT coalesce(max(id), 0) FROM " + table);
        ResultSet row = query.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  /**
   * Returns the condition that a schedule has not fired, and that no operator has changed it, since
   * the import of a copy. A worker may have written the row: if it has newer time zone data, it
   * calculates the next time again.
   */
  static String unchangedSchedule(String schedule, String copy) {
    return "(%1$s.updated_at = %2$s.imported_at AND %1$s.last_at IS NULL AND %1$s.last_job_id IS NULL)"
        .formatted(schedule, copy);
  }

  /**
   * Returns the condition that nothing has changed a job since the import of a copy. After 2^32
   * transactions, a transaction of a claim can have the id of the import, but the job then has an
   * attempt.
   */
  static String unchangedJob(String job, String copy) {
    return "(%1$s.xmin = %2$s.imported_by AND %1$s.attempts = 0)".formatted(job, copy);
  }

  /** Returns the id of a row, or its hash if it is too long for the table's key. */
  static String key(String id) {
    if (id.length() <= LONGEST_ID) {
      return id;
    }
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(id.getBytes(StandardCharsets.UTF_8));
      return id.substring(0, LONGEST_ID) + "#" + HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java platform has SHA-256.", impossible);
    }
  }
}
