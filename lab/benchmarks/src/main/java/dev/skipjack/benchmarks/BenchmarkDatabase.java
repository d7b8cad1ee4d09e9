package dev.skipjack.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.embedded.EmbeddedPostgres;
import dev.skipjack.migrations.Migrations;
import dev.skipjack.store.jooq.JobQueue;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A database with schemas that a benchmark may drop, recreate and empty. Connections keep the
 * server's settings, so every commit waits for the disk unless the server is configured otherwise.
 */
public final class BenchmarkDatabase implements AutoCloseable {

  /** The schema that is measured. The names of all other schemas start with this one. */
  public static final String SCHEMA = "skipjack_bench";

  /**
   * The number of partitions of the audit, and of the archive, in a system that keeps a long
   * history.
   */
  static final int PARTITIONS = 40;

  private final @Nullable EmbeddedPostgres server;
  private final String jdbcUrl;
  private final int partitions;
  private final HikariDataSource pool;
  private final List<HikariDataSource> pools = new ArrayList<>();
  private final ServerCpu cpu;

  private BenchmarkDatabase(@Nullable EmbeddedPostgres server, String jdbcUrl, int partitions)
      throws SQLException {
    this.server = server;
    this.jdbcUrl = jdbcUrl;
    this.partitions = partitions;
    this.pool = new HikariDataSource();
    pool.setJdbcUrl(jdbcUrl);
    pool.setMaximumPoolSize(1);
    try {
      dropSchemas();
      create(SCHEMA);
      // The pid of a backend on another machine is some other process here.
      boolean local =
          value(
                  "SELECT coalesce(inet_server_addr() <<= inet '127.0.0.0/8'"
                      + " OR inet_server_addr() = inet '::1', true)")
              .equals("t");
      this.cpu =
          ServerCpu.ofBackend(Path.of("/proc"), local ? number("SELECT pg_backend_pid()") : 0);
    } catch (SQLException | RuntimeException failure) {
      close();
      throw failure;
    }
  }

  /**
   * Opens the database at {@code url}, or starts an embedded server that {@link #close} stops.
   *
   * @param partitions number of partitions of the audit, and of the archive
   */
  static BenchmarkDatabase open(Optional<String> url, int partitions) throws SQLException {
    if (url.isPresent()) {
      return new BenchmarkDatabase(null, url.get(), partitions);
    }
    EmbeddedPostgres server =
        EmbeddedPostgres.builder()
            .purpose("bench")
            .fresh(true)
            .setting("shared_buffers", "1GB")
            .setting("max_wal_size", "4GB")
            .setting("max_connections", "300")
            .start();
    return new BenchmarkDatabase(server, server.jdbcUrl("postgres"), partitions);
  }

  /** Returns the CPU meter for the whole server. */
  ServerCpu cpu() {
    return cpu;
  }

  /** Returns the URL, which may contain a password. */
  public String jdbcUrl() {
    return jdbcUrl;
  }

  /** Creates a schema with the queue's tables and partitions, after dropping an existing one. */
  void create(String schema) throws SQLException {
    execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
    Migrations.migrate(pool, schema);
    execute(
        qualified(
            schema,
            "SELECT @create_partition('job_executions', now() + n * interval '7 days'),"
                + " @create_partition('jobs_archive', now() + n * interval '1 day')"
                + " FROM generate_series(0, "
                + (partitions - 1)
                + ") AS n"));
  }

  private void dropSchemas() throws SQLException {
    String drops =
        value(
            "SELECT coalesce(string_agg(format('DROP SCHEMA %I CASCADE;', nspname), ' '), '')"
                + " FROM pg_namespace WHERE nspname = '"
                + SCHEMA
                + "' OR nspname LIKE '"
                + SCHEMA
                + "\\_%'");
    if (!drops.isEmpty()) {
      execute(drops);
    }
  }

  /** Closes the pools that {@link #pool} and {@link #queue(int)} opened. */
  void closePools() {
    pools.forEach(HikariDataSource::close);
    pools.clear();
  }

  /** Opens a pool that {@link #closePools} or {@link #close} closes. */
  public HikariDataSource pool(int size) {
    HikariDataSource created = new HikariDataSource();
    created.setJdbcUrl(jdbcUrl);
    created.setMaximumPoolSize(size);
    created.setConnectionTimeout(60_000);
    pools.add(created);
    return created;
  }

  /**
   * Opens a pool as {@link #pool(int)} does, on which unqualified names refer to the given schema.
   */
  public HikariDataSource pool(int size, String schema) {
    HikariDataSource created = pool(size);
    created.setSchema(schema);
    return created;
  }

  /** Returns a queue with a new pool. */
  JobQueue queue(int connections) {
    return queue(pool(connections), SCHEMA);
  }

  /** Returns a queue in {@code schema}, on a pool or a wrapper of one. */
  public JobQueue queue(DataSource connections, String schema) {
    return JobQueue.builder(connections).schema(schema).sameForAllThreads(true).build();
  }

  /**
   * Sets whether the given queues archive ended jobs in the measured schema. In all other schemas,
   * ended jobs are archived by default.
   */
  public void archive(boolean kept, String... queues) {
    for (String name : queues) {
      queue(pool, SCHEMA)
          .admin()
          .configure(name, kept ? QueueSettings.defaults() : QueueSettings.defaults().noArchive());
    }
  }

  /** Returns the position of the end of the write-ahead log, in bytes. */
  double walBytes() throws SQLException {
    return Double.parseDouble(value("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn"));
  }

  /** Vacuums, analyzes and writes a checkpoint, so that every run starts from the same state. */
  public void settle() throws SQLException {
    settle(SCHEMA);
  }

  /** Prepares another schema, as {@link #settle()} does. */
  void settle(String schema) throws SQLException {
    execute(
        qualified(schema, "VACUUM (INDEX_CLEANUP ON, ANALYZE) @jobs"),
        qualified(schema, "ANALYZE @job_executions"));
    checkpoint();
  }

  /**
   * Writes a checkpoint if the user is allowed to, so that no run pays for the writes of the
   * previous one.
   */
  public void checkpoint() throws SQLException {
    try {
      execute("CHECKPOINT");
    } catch (SQLException notAllowed) {
      if (!"42501".equals(notAllowed.getSQLState())) {
        throw notAllowed;
      }
    }
  }

  /**
   * Inserts due jobs with a single statement.
   *
   * @param queue an SQL expression, which may use the job's number {@code n}
   * @param priority as {@code queue}
   */
  void preload(long jobs, String queue, String kind, String priority) throws SQLException {
    preload(SCHEMA, jobs, queue, kind, priority);
  }

  /**
   * Inserts due jobs into another schema, as {@link #preload(long, String, String, String)} does.
   */
  void preload(String schema, long jobs, String queue, String kind, String priority)
      throws SQLException {
    preload(schema, jobs, queue, kind, priority, "clock_timestamp()");
  }

  /**
   * Like {@link #preload(String, long, String, String, String)}, with a due time.
   *
   * @param scheduledAt as {@code queue}
   */
  void preload(
      String schema, long jobs, String queue, String kind, String priority, String scheduledAt)
      throws SQLException {
    execute(
        qualified(
            schema,
            "INSERT INTO @jobs (queue, kind, priority, scheduled_at, payload) SELECT "
                + queue
                + ", '"
                + kind
                + "', "
                + priority
                + ", "
                + scheduledAt
                + ", jsonb_build_object('n', n, 'text', repeat('x', 80)) FROM generate_series(1, "
                + jobs
                + ") AS n"));
  }

  /** Returns a queue without wake-ups, on the one-connection pool wrapped by {@code wrapper}. */
  JobQueue queue(UnaryOperator<DataSource> wrapper) {
    return JobQueue.builder(wrapper.apply(pool)).schema(SCHEMA).wakeUps(false).build();
  }

  /** Opens a connection outside all pools; the caller closes it. */
  Connection bareConnection() throws SQLException {
    return DriverManager.getConnection(jdbcUrl);
  }

  /** Deletes all jobs and history, and restarts ids at 1. */
  public void empty() throws SQLException {
    empty(SCHEMA);
  }

  /** Empties another schema, as {@link #empty()} does. */
  void empty(String schema) throws SQLException {
    // Nearly all partitions are empty, and truncating all of them takes longer than a short run.
    String partitions =
        value(
            qualified(
                schema,
                "SELECT coalesce(string_agg(', ' || leaf.relid::text, ''), '')"
                    + " FROM unnest(ARRAY['@job_executions', '@jobs_archive']::regclass[]) AS parent,"
                    + " pg_partition_tree(parent) AS leaf"
                    + " WHERE leaf.isleaf AND pg_relation_size(leaf.relid) > 0"));
    execute(
        qualified(schema, "TRUNCATE @jobs, @job_keys") + partitions + " RESTART IDENTITY",
        qualified(schema, "ALTER SEQUENCE @job_execution_id_seq RESTART"),
        qualified(schema, "ANALYZE @jobs"));
  }

  /** Returns the server's version and the settings that affect its speed. */
  Map<String, String> settings() throws SQLException {
    Map<String, String> settings = new LinkedHashMap<>();
    for (String name :
        List.of(
            "server_version",
            "fsync",
            "synchronous_commit",
            "full_page_writes",
            "shared_buffers",
            "max_wal_size",
            "checkpoint_timeout",
            "autovacuum")) {
      settings.put(name, value("SHOW " + name));
    }
    return settings;
  }

  /** Runs statements in which each {@code @} stands for the measured schema. */
  void inSchema(String... statements) throws SQLException {
    for (String sql : statements) {
      execute(qualified(SCHEMA, sql));
    }
  }

  /** Returns a number from a query in which each {@code @} stands for the measured schema. */
  public long number(String sql) throws SQLException {
    return Long.parseLong(value(qualified(SCHEMA, sql)));
  }

  public void execute(String... statements) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** Returns the first column of the first row; empty if there is no row. */
  String value(String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.next() ? String.valueOf(row.getString(1)) : "";
    }
  }

  static String qualified(String schema, String sql) {
    return sql.replace("@", schema + ".");
  }

  @Override
  public void close() {
    closePools();
    pool.close();
    if (server != null) {
      server.close();
    }
  }
}
