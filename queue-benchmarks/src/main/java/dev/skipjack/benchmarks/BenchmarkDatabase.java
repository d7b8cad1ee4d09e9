package dev.skipjack.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.QueueSettings;
import dev.skipjack.benchmarks.Recording.Sent;
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
 * A database with schemas that a benchmark may drop, make anew and empty. Everything in it is
 * durable.
 */
final class BenchmarkDatabase implements AutoCloseable {

  /** Of what is measured; those of what it is compared with begin with it. */
  static final String SCHEMA = "skipjack_bench";

  /** For what is compared with the queue. */
  private static final String FLOOR = SCHEMA + "_floor";

  /** Without the index that makes unique jobs unique. */
  private static final String WITHOUT_KEYS = SCHEMA + "_without_keys";

  /** As many as a system has that keeps history for long. */
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
      // A backend that is not of this machine has a number that means something else here.
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
   * The database of a URL, or an embedded one that ends with the program.
   *
   * @param partitions how many audit and archive have each
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

  /** Of the database's whole server. */
  ServerCpu cpu() {
    return cpu;
  }

  /** May hold a password. */
  String jdbcUrl() {
    return jdbcUrl;
  }

  /**
   * Makes a schema with the queue's tables and partitions. One that has the name is dropped before.
   */
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
    String left =
        value(
            "SELECT coalesce(string_agg(format('DROP SCHEMA %I CASCADE;', nspname), ' '), '')"
                + " FROM pg_namespace WHERE nspname = '"
                + SCHEMA
                + "' OR nspname LIKE '"
                + SCHEMA
                + "\\_%'");
    if (!left.isEmpty()) {
      execute(left);
    }
  }

  /** Closes what {@link #pool} and {@link #queue(int)} have opened. */
  void closePools() {
    pools.forEach(HikariDataSource::close);
    pools.clear();
  }

  /** Connections that stay open until {@link #closePools} or {@link #close}. */
  HikariDataSource pool(int size) {
    HikariDataSource more = new HikariDataSource();
    more.setJdbcUrl(jdbcUrl);
    more.setMaximumPoolSize(size);
    more.setConnectionTimeout(60_000);
    pools.add(more);
    return more;
  }

  /** A queue on connections of its own. */
  JobQueue queue(int connections) {
    return queue(pool(connections), SCHEMA);
  }

  /** A queue in a schema. */
  JobQueue queue(DataSource connections, String schema) {
    return JobQueue.builder(connections).schema(schema).build();
  }

  /**
   * Says whether ended jobs of the queues are archived, in the schema of what is measured. In
   * others they are: that is the default.
   */
  void archive(boolean kept, String... queues) {
    for (String name : queues) {
      queue(pool, SCHEMA)
          .admin()
          .configure(name, kept ? QueueSettings.defaults() : QueueSettings.defaults().noArchive());
    }
  }

  /** Where the write-ahead log ends. */
  double walBytes() throws SQLException {
    return Double.parseDouble(value("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn"));
  }

  /** As after a while of quiet: no dead rows, fresh statistics, nothing unwritten. */
  void settle() throws SQLException {
    settle(SCHEMA);
  }

  /** Like {@link #settle()}, of another schema. */
  void settle(String schema) throws SQLException {
    execute(
        qualified(schema, "VACUUM (INDEX_CLEANUP ON, ANALYZE) @jobs"),
        qualified(schema, "ANALYZE @job_executions"));
    try {
      execute("CHECKPOINT");
    } catch (SQLException notAllowed) {
      if (!"42501".equals(notAllowed.getSQLState())) {
        throw notAllowed;
      }
    }
  }

  /**
   * Writes due jobs as fast as the server can.
   *
   * @param queue an SQL expression over the number n of the job
   * @param priority as {@code queue}
   */
  void preload(long jobs, String queue, String kind, String priority) throws SQLException {
    preload(SCHEMA, jobs, queue, kind, priority);
  }

  /** Like {@link #preload(long, String, String, String)}, in another schema. */
  void preload(String schema, long jobs, String queue, String kind, String priority)
      throws SQLException {
    preload(schema, jobs, queue, kind, priority, "clock_timestamp()");
  }

  /**
   * Like {@link #preload(String, long, String, String, String)}, due at another time.
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

  /** A queue on the pool of one connection, seen through {@code lens}; it wakes nobody. */
  JobQueue queue(UnaryOperator<DataSource> lens) {
    return quiet(lens, SCHEMA);
  }

  /**
   * Like {@link #queue(UnaryOperator)}, in a schema that lacks the index of unique keys, and that
   * is emptied.
   */
  JobQueue queueWithoutUniqueIndex(UnaryOperator<DataSource> lens) throws SQLException {
    Migrations.migrate(pool, WITHOUT_KEYS);
    execute("DROP INDEX IF EXISTS " + WITHOUT_KEYS + ".jobs_unique_key_idx");
    empty(WITHOUT_KEYS);
    return quiet(lens, WITHOUT_KEYS);
  }

  private JobQueue quiet(UnaryOperator<DataSource> lens, String schema) {
    return JobQueue.builder(lens.apply(pool)).schema(schema).wakeUps(false).build();
  }

  /** A connection of no pool; the caller closes it. */
  Connection bareConnection() throws SQLException {
    return DriverManager.getConnection(jdbcUrl);
  }

  /** The statements as they would have been sent for the schema of what is compared. */
  List<Sent> forFloor(List<Sent> sent) {
    return sent.stream().map(one -> one.plain().in(SCHEMA, FLOOR)).toList();
  }

  /** Makes what {@link #forFloor} needs. */
  void createFloor() throws SQLException {
    create(FLOOR);
  }

  /** Forgets all jobs and draws ids from 1 again. */
  void empty() throws SQLException {
    empty(SCHEMA);
  }

  /** Like {@link #empty}, of what is compared too. */
  void emptyBoth() throws SQLException {
    empty(SCHEMA);
    empty(FLOOR);
  }

  /** Like {@link #empty()}, of another schema. */
  void empty(String schema) throws SQLException {
    execute(
        qualified(
            schema, "TRUNCATE @jobs, @job_executions, @jobs_archive, @job_keys RESTART IDENTITY"),
        qualified(schema, "ALTER SEQUENCE @job_execution_id_seq RESTART"),
        qualified(schema, "ANALYZE @jobs"));
  }

  /** How many rows are where and in which state. */
  String rows() throws SQLException {
    return rows(SCHEMA);
  }

  /** Like {@link #rows}, of what is compared. */
  String rowsOfFloor() throws SQLException {
    return rows(FLOOR);
  }

  private String rows(String schema) throws SQLException {
    return value(
        qualified(
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
            "max_wal_size",
            "checkpoint_timeout",
            "autovacuum")) {
      settings.put(name, value("SHOW " + name));
    }
    return settings;
  }

  /** Statements in the schema of what is measured: each @ stands for it. */
  void inSchema(String... statements) throws SQLException {
    for (String sql : statements) {
      execute(qualified(SCHEMA, sql));
    }
  }

  /** One number, of a query in which each @ stands for the schema of what is measured. */
  long number(String sql) throws SQLException {
    return Long.parseLong(value(qualified(SCHEMA, sql)));
  }

  void execute(String... statements) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** The first column of the first row; empty when there is none. */
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
