package dev.skipjack.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;

/**
 * The floor of {@link Enqueue}: a table with the columns, defaults and indexes of {@code jobs}, but
 * without its CHECKs, and with plain types instead of domains.
 */
final class PlainJobs {

  static final String SCHEMA = BenchmarkDatabase.SCHEMA + "_plain";

  /**
   * A query for the clauses that change each column with a domain to the domain's underlying type.
   */
  private static final String WITHOUT_DOMAINS =
      "SELECT string_agg(format('ALTER %I TYPE %s', attname, format_type(typbasetype, typtypmod))"
          + " || CASE WHEN attcollation <> 0 THEN ' COLLATE ' || attcollation::regcollation ELSE '' END, ', ')"
          + " FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid"
          + " WHERE attrelid = '@jobs'::regclass AND typtype = 'd'";

  private static final String STORAGE_PARAMETERS =
      "SELECT array_to_string(reloptions, ', ') FROM pg_class WHERE oid = '@jobs'::regclass";

  private static final String INSERT =
      qualified(
          "INSERT INTO @jobs (queue, kind, payload, payload_version, priority, max_attempts,"
              + " scheduled_at, tags, unique_key, unique_label, unique_until)"
              + " VALUES (?, ?, ?::jsonb, ?, ?, ?, clock_timestamp(), ?, ?, ?, ?)");

  private final BenchmarkDatabase database;

  private PlainJobs(BenchmarkDatabase database) {
    this.database = database;
  }

  /** Creates the table in a separate schema, after dropping an existing one. */
  static PlainJobs create(BenchmarkDatabase database) throws SQLException {
    String jobs = BenchmarkDatabase.qualified(BenchmarkDatabase.SCHEMA, "@jobs");
    database.execute(
        "DROP SCHEMA IF EXISTS " + SCHEMA + " CASCADE",
        "CREATE SCHEMA " + SCHEMA,
        qualified("CREATE TABLE @jobs (LIKE " + jobs)
            + " INCLUDING DEFAULTS INCLUDING IDENTITY INCLUDING INDEXES INCLUDING STORAGE)");
    String parameters =
        database.value(BenchmarkDatabase.qualified(BenchmarkDatabase.SCHEMA, STORAGE_PARAMETERS));
    database.execute(
        qualified("ALTER TABLE @jobs ") + database.value(qualified(WITHOUT_DOMAINS)),
        qualified("ALTER TABLE @jobs SET (") + parameters + ")");
    return new PlainJobs(database);
  }

  /** Deletes all rows, and leaves the table in the state in which every run starts. */
  void empty() throws SQLException {
    database.execute(
        qualified("TRUNCATE @jobs RESTART IDENTITY"), qualified("VACUUM (ANALYZE) @jobs"));
    database.checkpoint();
  }

  long count() throws SQLException {
    return Long.parseLong(database.value(qualified("SELECT count(*) FROM @jobs")));
  }

  /** Inserts a job with the values that the queue would insert. */
  static void insert(Connection connection, long n) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
      statement.setString(1, Noop.TYPE.queue());
      statement.setString(2, Noop.TYPE.kind());
      statement.setString(3, Noop.json(n));
      statement.setInt(4, 1);
      statement.setInt(5, 0);
      statement.setInt(6, 25);
      statement.setNull(7, Types.ARRAY);
      statement.setNull(8, Types.VARCHAR);
      statement.setNull(9, Types.VARCHAR);
      statement.setNull(10, Types.VARCHAR);
      statement.executeUpdate();
    }
  }

  private static String qualified(String sql) {
    return BenchmarkDatabase.qualified(SCHEMA, sql);
  }
}
