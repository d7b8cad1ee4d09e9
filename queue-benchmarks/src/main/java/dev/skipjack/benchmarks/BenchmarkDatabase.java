package dev.skipjack.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.benchmarks.Recording.Sent;
import dev.skipjack.embedded.EmbeddedPostgres;
import dev.skipjack.migrations.Migrations;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A database with the queue's schema that a benchmark may empty. Everything in it is durable. */
final class BenchmarkDatabase implements AutoCloseable {

  private static final String SCHEMA = "skipjack_benchmark";

  /** As {@link #SCHEMA}, for what is compared with the queue. */
  private static final String FLOOR = "skipjack_benchmark_floor";

  /** As {@link #SCHEMA}, without the index that makes unique jobs unique. */
  private static final String SCHEMA_WITHOUT_KEYS = "skipjack_benchmark_without_keys";

  private final @Nullable EmbeddedPostgres server;
  private final String jdbcUrl;
  private final HikariDataSource pool;

  private BenchmarkDatabase(@Nullable EmbeddedPostgres server, String jdbcUrl) {
    this.server = server;
    this.jdbcUrl = jdbcUrl;
    this.pool = new HikariDataSource();
    pool.setJdbcUrl(jdbcUrl);
    pool.setMaximumPoolSize(1);
  }

  /** The database that the first argument names, or an embedded one that ends with the program. */
  static BenchmarkDatabase open(String... args) {
    BenchmarkDatabase database;
    if (args.length > 0) {
      database = new BenchmarkDatabase(null, args[0]);
    } else {
      EmbeddedPostgres server = EmbeddedPostgres.builder().purpose("benchmark").fresh(true).start();
      database = new BenchmarkDatabase(server, server.jdbcUrl("postgres"));
    }
    try {
      Migrations.migrate(database.pool, SCHEMA);
      Migrations.migrate(database.pool, FLOOR);
      return database;
    } catch (RuntimeException failure) {
      database.close();
      throw failure;
    }
  }

  /** A queue on the pool of one connection, seen through {@code lens}; it wakes nobody. */
  JobQueue queue(UnaryOperator<DataSource> lens) {
    return JobQueue.builder(lens.apply(pool)).schema(SCHEMA).wakeUps(false).build();
  }

  /**
   * A queue on the pool of one connection, in a schema that lacks the index of unique keys, and
   * that is emptied.
   */
  JobQueue queueWithoutUniqueIndex() throws SQLException {
    Migrations.migrate(pool, SCHEMA_WITHOUT_KEYS);
    execute(
        "DROP INDEX IF EXISTS " + SCHEMA_WITHOUT_KEYS + ".jobs_unique_key_idx",
        "TRUNCATE " + SCHEMA_WITHOUT_KEYS + ".jobs");
    return JobQueue.builder(pool).schema(SCHEMA_WITHOUT_KEYS).build();
  }

  /** A connection of no pool; the caller closes it. */
  Connection bareConnection() throws SQLException {
    return DriverManager.getConnection(jdbcUrl);
  }

  /** The statements as they would have been sent for the schema of what is compared. */
  List<Sent> forFloor(List<Sent> sent) {
    return sent.stream()
        .map(
            one ->
                new Sent(one.sql().replace("\"" + SCHEMA + "\"", "\"" + FLOOR + "\""), one.binds()))
        .toList();
  }

  /** Forgets all jobs, of both, and draws ids from 1 again. */
  void empty() throws SQLException {
    for (String schema : List.of(SCHEMA, FLOOR)) {
      execute(
          inSchema(
              schema, "TRUNCATE @jobs, @job_executions, @jobs_archive, @job_keys RESTART IDENTITY"),
          inSchema(schema, "ALTER SEQUENCE @job_execution_id_seq RESTART"),
          inSchema(schema, "ANALYZE @jobs"));
    }
  }

  /** How many rows are where and in which state. */
  String rows() throws SQLException {
    return rows(SCHEMA);
  }

  /** As {@link #rows}, of what is compared. */
  String rowsOfFloor() throws SQLException {
    return rows(FLOOR);
  }

  private String rows(String schema) throws SQLException {
    return value(
        inSchema(
            schema,
            "SELECT string_agg(t || ' ' || status || ' ' || n, ', ' ORDER BY t, status) FROM ("
                + "SELECT 'jobs' AS t, status, count(*) AS n FROM @jobs GROUP BY status"
                + " UNION ALL SELECT 'audit', status, count(*) FROM @job_executions GROUP BY status"
                + " UNION ALL SELECT 'archive', status, count(*) FROM @jobs_archive GROUP BY status) AS counted"));
  }

  /** What decides over a server's pace. */
  Map<String, String> settings() throws SQLException {
    Map<String, String> settings = new LinkedHashMap<>();
    for (String name :
        List.of(
            "server_version",
            "fsync",
            "synchronous_commit",
            "full_page_writes",
            "shared_buffers",
            "max_wal_size")) {
      settings.put(name, value("SHOW " + name));
    }
    return settings;
  }

  private void execute(String... statements) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private String value(String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.next() ? String.valueOf(row.getString(1)) : "";
    }
  }

  private static String inSchema(String schema, String sql) {
    return sql.replace("@", schema + ".");
  }

  @Override
  public void close() {
    pool.close();
    if (server != null) {
      server.close();
    }
  }
}
