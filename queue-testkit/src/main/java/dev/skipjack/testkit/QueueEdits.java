package dev.skipjack.testkit;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.spi.SchemaName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Changes the queue's tables for a test, without using the store. */
final class QueueEdits {

  /**
   * Lists the tables and partitions of the schema that contain data, except those to keep. Most
   * partitions are never written to, and emptying all of them would take longer than most tests.
   */
  private static final String TABLES =
      """
      SELECT string_agg(format('%I.%I', nspname, relname), ', ')
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
       WHERE nspname = {name} AND relkind = 'r' AND relname <> ALL ({kept})
         AND pg_relation_size(pg_class.oid) > 0
      """;

  /** The tables that have rows before the first test. */
  private static final List<String> NEVER_EMPTIED =
      List.of("skipjack_schema_history", "outbox_shards");

  /** The tables that a worker of the application writes when it starts. */
  private static final List<String> OF_WORKERS = List.of("job_schedules", "job_workers");

  private static final String HAS_JOBS =
      "SELECT (EXISTS (SELECT FROM {schema}.jobs) OR EXISTS (SELECT FROM"
          + " {schema}.jobs_archive))::int";

  /** Migrations insert the shards, so only their leases are reset. */
  private static final String RELEASE_SHARDS =
      "UPDATE {schema}.outbox_shards SET lease_expires_at = NULL WHERE lease_expires_at IS NOT"
          + " NULL";

  private static final String MOVE_JOBS =
      """
      UPDATE {schema}.jobs
         SET scheduled_at = scheduled_at - ? * interval '1 microsecond',
             created_at   = created_at   - ? * interval '1 microsecond'
       WHERE status IN ('pending', 'waiting')
      """;

  private static final String MOVE_KEYS =
      "UPDATE {schema}.job_keys SET expires_at = expires_at - ? * interval '1 microsecond'";

  /** The sleeps of a job with durable steps end at the time that they recorded. */
  private static final String MOVE_SLEEPS =
      """
      UPDATE {schema}.job_steps
         SET result = to_jsonb((result #>> '{}')::timestamptz - ? * interval '1 microsecond')
       WHERE type = 'sleep'
      """;

  private static final String MOVE_WAITS =
      """
      UPDATE {schema}.job_waits
         SET since   = since   - ? * interval '1 microsecond',
             ends_at = ends_at - ? * interval '1 microsecond'
      """;

  private static final String MOVE_SIGNALS =
      "UPDATE {schema}.job_signals SET expires_at = expires_at - ? * interval '1 microsecond'";

  private static final String MOVE_PAUSES =
      """
      UPDATE {schema}.job_queues
         SET paused_at    = paused_at    - ? * interval '1 microsecond',
             paused_until = paused_until - ? * interval '1 microsecond'
       WHERE paused_until IS NOT NULL
      """;

  private static final String NEXT_DUE =
      """
      SELECT ceil(extract(epoch FROM min(scheduled_at) - clock_timestamp()) * 1000000)::bigint
        FROM {schema}.jobs
       WHERE status = 'pending' AND scheduled_at > clock_timestamp()
      """;

  private static final String QUEUES_OF_DUE_JOBS =
      """
      SELECT DISTINCT queue
        FROM {schema}.jobs
       WHERE status = 'pending' AND scheduled_at <= clock_timestamp() AND kind = ANY (?) AND queue <> ALL (?)
       ORDER BY queue
      """;

  private static final String END_LEASE =
      """
      UPDATE {schema}.jobs
         SET lease_expires_at = clock_timestamp() - interval '1 second'
       WHERE id = ? AND current_execution_id = ?
      """;

  private static final String EXECUTION =
      "SELECT current_execution_id FROM {schema}.jobs WHERE id = ? AND status = 'running'";

  private static final String CUT =
      """
      SELECT count(pg_terminate_backend(pid))
        FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
      """;

  private static final String LOCK_TIMEOUT = "55P03";

  /** The time for which edits wait for locks. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private final DataSource dataSource;
  private final String schema;
  private final Supplier<Optional<Connection>> transaction;

  /**
   * Creates an instance that uses the caller's transaction while {@code transaction} returns its
   * connection, and otherwise transactions of its own.
   */
  QueueEdits(DataSource dataSource, String schema, Supplier<Optional<Connection>> transaction) {
    this.dataSource = dataSource;
    this.schema = SchemaName.require(schema);
    this.transaction = transaction;
  }

  /**
   * Empties the queue's tables.
   *
   * @param patience how long to wait for each lock
   */
  void truncate(Duration patience) {
    truncate(patience, NEVER_EMPTIED);
  }

  /** Empties the queue's tables, except those that a worker writes when it starts. */
  void truncateExceptWorkers() {
    truncate(PATIENCE, Stream.concat(NEVER_EMPTIED.stream(), OF_WORKERS.stream()).toList());
  }

  private void truncate(Duration patience, List<String> kept) {
    String list =
        kept.stream().map(QueueEdits::literal).collect(Collectors.joining(", ", "ARRAY[", "]"));
    inTransaction(
        patience,
        connection -> {
          update(connection, RELEASE_SHARDS);
          String tables = text(connection, TABLES.replace("{kept}", list));
          return tables != null && execute(connection, "TRUNCATE " + tables + " CASCADE");
        });
  }

  /** Returns whether there is a job, live or archived. */
  boolean hasJobs() {
    return inTransaction(connection -> number(connection, HAS_JOBS)).orElse(0) > 0;
  }

  /** Moves the stored times into the past, as described for {@link QueueDatabase#timeTravel}. */
  void travel(Duration time) {
    long micros = time.getSeconds() * 1_000_000L + time.getNano() / 1_000L;
    inTransaction(
        connection -> {
          update(connection, MOVE_JOBS, micros, micros);
          update(connection, MOVE_PAUSES, micros, micros);
          update(connection, MOVE_SLEEPS, micros);
          update(connection, MOVE_WAITS, micros, micros);
          update(connection, MOVE_SIGNALS, micros);
          return update(connection, MOVE_KEYS, micros);
        });
  }

  /**
   * Returns the time until the next pending job becomes due, or empty if no pending job is due in
   * the future.
   */
  Optional<Duration> untilNextDue() {
    OptionalLong micros = inTransaction(connection -> number(connection, NEXT_DUE));
    return micros.isEmpty()
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(Math.multiplyExact(micros.getAsLong(), 1_000L)));
  }

  /** Returns the queues, except the given ones, that have due jobs of the given kinds. */
  List<String> queuesOfDueJobs(Collection<String> kinds, Collection<String> except) {
    return inTransaction(
        connection -> {
          try (PreparedStatement statement = prepare(connection, QUEUES_OF_DUE_JOBS)) {
            statement.setArray(1, connection.createArrayOf("text", kinds.toArray()));
            statement.setArray(2, connection.createArrayOf("text", except.toArray()));
            List<String> queues = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
              while (rows.next()) {
                queues.add(rows.getString(1));
              }
            }
            return queues;
          }
        });
  }

  /** Returns the execution that is running a job, or empty if the job is not running. */
  Optional<ExecutionId> executionOf(JobId job) {
    OptionalLong id = inTransaction(connection -> number(connection, EXECUTION, job.value()));
    return id.isEmpty() ? Optional.empty() : Optional.of(new ExecutionId(id.getAsLong()));
  }

  /** Sets the end of a lease to one second ago. This has no effect if the execution has ended. */
  void endLease(JobId job, ExecutionId execution) {
    inTransaction(connection -> update(connection, END_LEASE, job.value(), execution.value()));
  }

  /** Ends all other sessions of the database. */
  void cutConnections() {
    inTransaction(connection -> number(connection, CUT));
  }

  private interface Work<R> {
    R in(Connection connection) throws SQLException;
  }

  private <R> R inTransaction(Work<R> work) {
    return inTransaction(PATIENCE, work);
  }

  /** Runs work in a transaction, whose end releases its locks and resets its settings. */
  private <R> R inTransaction(Duration patience, Work<R> work) {
    try {
      Optional<Connection> open = transaction.get();
      return open.isPresent() ? work.in(open.get()) : inOwnTransaction(patience, work);
    } catch (SQLException e) {
      throw new IllegalStateException(
          LOCK_TIMEOUT.equals(e.getSQLState())
              ? "Another session has locked the rows for %s; is a transaction of a test still open?"
                  .formatted(Texts.of(patience))
              : "The test database refused: " + e.getMessage(),
          e);
    }
  }

  private <R> R inOwnTransaction(Duration patience, Work<R> work) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(false);
      execute(connection, "SET LOCAL lock_timeout = " + patience.toMillis());
      R result = work.in(connection);
      connection.commit();
      connection.setAutoCommit(autoCommit);
      return result;
    }
  }

  private static boolean execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.execute(sql);
    }
  }

  /** Returns the only column of the only row. */
  private @Nullable String text(Connection connection, String sql) throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getString(1);
    }
  }

  private int update(Connection connection, String sql, long... arguments) throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, arguments)) {
      return statement.executeUpdate();
    }
  }

  /**
   * Returns the first column of the first row, or empty if there is no row or the value is null.
   */
  private OptionalLong number(Connection connection, String sql, long... arguments)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, arguments);
        ResultSet row = statement.executeQuery()) {
      if (!row.next()) {
        return OptionalLong.empty();
      }
      long value = row.getLong(1);
      return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(value);
    }
  }

  private PreparedStatement prepare(Connection connection, String sql, long... arguments)
      throws SQLException {
    PreparedStatement statement =
        connection.prepareStatement(
            sql.replace("{name}", literal(schema)).replace("{schema}", JobRows.quoted(schema)));
    for (int i = 0; i < arguments.length; i++) {
      statement.setLong(i + 1, arguments[i]);
    }
    return statement;
  }

  private static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
