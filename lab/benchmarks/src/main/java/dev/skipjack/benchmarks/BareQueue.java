package dev.skipjack.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.Field;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.QueryExecutorBase;

/**
 * The floor of {@link Latency} and {@link Steady}: the simplest loop that runs jobs on PostgreSQL
 * with the same durability as Skipjack. Each job is a row; the statement that inserts it also sends
 * the wake-up. A single thread listens, claims, runs and completes, all on one connection, and
 * every commit waits for the disk. It has no leases, retries, history, priorities or second queue.
 */
final class BareQueue implements AutoCloseable {

  static final String SCHEMA = BenchmarkDatabase.SCHEMA + "_bare";

  private static final int BATCH = 100;
  private static final int WAIT_MILLIS = 100;
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String ENQUEUE =
      qualified(
          "WITH job AS (INSERT INTO @jobs (payload) VALUES (?::jsonb))"
              + " SELECT pg_notify('skipjack_bench_bare', '')");

  private static final String CLAIM =
      qualified(
          "UPDATE @jobs SET status = 'running' WHERE id = ANY (ARRAY(SELECT id FROM @jobs"
              + " WHERE status = 'pending' ORDER BY id LIMIT "
              + BATCH
              + " FOR UPDATE SKIP LOCKED)) RETURNING id, payload");

  private static final String COMPLETE = qualified("DELETE FROM @jobs WHERE id = ANY (?)");

  private final BenchmarkDatabase database;
  private final LongConsumer handler;
  private final CompletionLatch completed;
  private final Thread thread;
  private volatile boolean closed;

  private BareQueue(BenchmarkDatabase database, LongConsumer handler, CompletionLatch completed) {
    this.database = database;
    this.handler = handler;
    this.completed = completed;
    this.thread = new Thread(this::run, "bench-bare-queue");
    thread.setDaemon(true);
  }

  /** Creates the table in a separate schema, after dropping an existing one. */
  static void create(BenchmarkDatabase database) throws SQLException {
    database.execute(
        "DROP SCHEMA IF EXISTS " + SCHEMA + " CASCADE",
        "CREATE SCHEMA " + SCHEMA,
        qualified(
            "CREATE TABLE @jobs (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
                + " status text NOT NULL DEFAULT 'pending', payload jsonb NOT NULL)"),
        qualified("CREATE INDEX ON @jobs (id) WHERE status = 'pending'"));
  }

  /**
   * Empties the table and starts the thread.
   *
   * @param handler receives the number of each job, after the commit of its claim
   * @param completed counts the jobs whose completion is committed
   */
  static BareQueue start(
      BenchmarkDatabase database, LongConsumer handler, CompletionLatch completed)
      throws SQLException {
    database.execute(qualified("TRUNCATE @jobs"), qualified("VACUUM (ANALYZE) @jobs"));
    database.checkpoint();
    BareQueue queue = new BareQueue(database, handler, completed);
    queue.thread.start();
    return queue;
  }

  /**
   * Enqueues and commits a job in one round trip.
   *
   * @param connection a connection in auto-commit mode
   */
  static void enqueue(Connection connection, long n) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(ENQUEUE)) {
      statement.setString(1, Noop.json(n));
      statement.execute();
    }
  }

  private void run() {
    try (Connection connection = database.bareConnection();
        Statement listen = connection.createStatement()) {
      PGConnection session = connection.unwrap(PGConnection.class);
      skipPeek(connection);
      listen.execute("LISTEN skipjack_bench_bare");
      while (!closed) {
        if (!claimRunComplete(connection)) {
          session.getNotifications(WAIT_MILLIS);
        }
      }
    } catch (SQLException | JsonProcessingException | ReflectiveOperationException failed) {
      throw new IllegalStateException("The bare loop failed.", failed);
    }
  }

  /**
   * Disables a wait in the driver, as Skipjack does: otherwise the driver would wait 1 ms for more
   * notifications before it returns one.
   */
  private static void skipPeek(Connection connection)
      throws SQLException, ReflectiveOperationException {
    Field field = QueryExecutorBase.class.getDeclaredField("pgStream");
    field.setAccessible(true);
    Object stream = field.get(connection.unwrap(BaseConnection.class).getQueryExecutor());
    Field nextPeek = stream.getClass().getDeclaredField("nextStreamAvailableCheckTime");
    nextPeek.setAccessible(true);
    nextPeek.setLong(stream, Long.MAX_VALUE);
  }

  /** Returns whether there were jobs. */
  private boolean claimRunComplete(Connection connection)
      throws SQLException, JsonProcessingException {
    List<Long> ids = new ArrayList<>();
    List<String> payloads = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(CLAIM);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        ids.add(rows.getLong(1));
        payloads.add(rows.getString(2));
      }
    }
    for (String payload : payloads) {
      handler.accept(JSON.readValue(payload, Noop.class).n());
    }
    if (ids.isEmpty()) {
      return false;
    }
    try (PreparedStatement statement = connection.prepareStatement(COMPLETE)) {
      Array jobs = connection.createArrayOf("int8", ids.toArray());
      statement.setArray(1, jobs);
      statement.executeUpdate();
    }
    completed.count(ids.size());
    return true;
  }

  private static String qualified(String sql) {
    return BenchmarkDatabase.qualified(SCHEMA, sql);
  }

  /** Stops the thread and waits until it ends. */
  @Override
  public void close() {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
