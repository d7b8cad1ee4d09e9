package dev.skipjack.importing;

import dev.skipjack.store.jooq.JobQueue;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The table {@code job_imports} in the schema of the queue. It has a copy of each row that an
 * import has deleted from a source, written in the same transaction. The first import creates the
 * table, so that queues that import nothing do without it.
 *
 * <p>The copies are {@code json} and not {@code jsonb}, which would change the text of numbers and
 * documents.
 */
final class Copies {

  /** Longer ids are hashed, because an index entry has at most a third of a page. */
  private static final int LONGEST_ID = 200;

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
   * Returns the statement that creates the table. {@code imported_by} is the transaction, or the
   * part of one, that wrote the job or the schedule; the row of one that nothing has changed still
   * says so.
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
    )"""
        .formatted(table);
  }

  /** Returns whether there is a table, and so there may be copies. */
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
   * Creates the table if it does not exist.
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
            "DO $create$ BEGIN PERFORM pg_advisory_xact_lock(hashtextextended('%s', 0)); %s; END; $create$"
                .formatted(table.replace("'", "''"), definition()))) {
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
  List<String> names(Connection connection, String source) throws SQLException {
    List<String> names = new ArrayList<>();
    if (exist(connection)) {
      try (PreparedStatement query =
          connection.prepareStatement("SELECT DISTINCT name FROM " + table + " WHERE source = ?")) {
        query.setString(1, source);
        try (ResultSet row = query.executeQuery()) {
          while (row.next()) {
            names.add(row.getString(1));
          }
        }
      }
    }
    return names;
  }

  /** Returns the condition that nothing has changed a row since the import of a copy. */
  static String unchanged(String row, String copy) {
    return "%s.xmin = %s.imported_by".formatted(row, copy);
  }

  /** Returns the id of a row in a form that the table's key can have. */
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
