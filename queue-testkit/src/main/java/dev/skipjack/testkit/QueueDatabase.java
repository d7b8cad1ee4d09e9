package dev.skipjack.testkit;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A database of its own for a test, with the queue's tables in it, on the server of this JVM.
 *
 * <p>The server is, in this order: the one of the system property {@code skipjack.test.url} or else
 * of the environment variable {@code SKIPJACK_TEST_URL} (its role must be allowed to create
 * databases); a container, if Testcontainers is on the class path and Docker answers; an embedded
 * server. It is started at the first call of {@link #create()} and serves until the JVM ends. It is
 * tuned to forget: a crash of the machine may cost all of it.
 *
 * <p>The time zone of the sessions from the pools here is deliberately not UTC. Safe for any number
 * of threads.
 *
 * @see QueueTest
 */
public final class QueueDatabase implements AutoCloseable {

  private static final int POOL_SIZE = 10;

  /**
   * The tables and partitions of the schema that were written to, but for Flyway's own. Most
   * partitions never are, and to empty them all would take longer than most tests.
   */
  private static final String TABLES =
      """
      SELECT string_agg(format('%I.%I', nspname, relname), ', ')
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
       WHERE nspname = '{schema}' AND relkind = 'r' AND relname <> 'skipjack_schema_history'
         AND pg_relation_size(pg_class.oid) > 0
      """
          .replace("{schema}", TestServer.SCHEMA);

  private final TestServer server;
  private final String name;
  private final List<HikariDataSource> pools = new ArrayList<>();
  private final HikariDataSource main;
  private boolean closed;

  private QueueDatabase(TestServer server) {
    this.server = server;
    this.name = server.createDatabase();
    try {
      this.main = newDataSource(POOL_SIZE);
    } catch (RuntimeException e) {
      server.dropDatabase(name);
      throw e;
    }
  }

  /**
   * A new database with empty tables.
   *
   * @throws IllegalStateException if the server refuses; the cause says why
   */
  public static QueueDatabase create() {
    return on(TestServer.running());
  }

  static QueueDatabase on(TestServer server) {
    return new QueueDatabase(server);
  }

  /** A pool of ten connections in auto-commit mode. It is closed with the database. */
  public DataSource dataSource() {
    return main;
  }

  /**
   * Another pool, in auto-commit mode, for what must not share the first one.
   *
   * @param poolSize most connections it opens; none is kept when idle for long
   * @return may be closed early; otherwise closed with the database
   */
  public HikariDataSource newDataSource(int poolSize) {
    synchronized (pools) {
      if (closed) {
        throw new IllegalStateException("Database " + name + " is closed");
      }
      HikariDataSource pool =
          Pools.open(server.jdbcUrl(name), name + "-" + (pools.size() + 1), poolSize);
      pools.add(pool);
      return pool;
    }
  }

  /**
   * The URL with user and password as parameters, for another process or pool: keep it out of logs.
   */
  public String jdbcUrl() {
    return server.jdbcUrl(name);
  }

  /** The schema that the queue's tables are in. */
  public String schema() {
    return TestServer.SCHEMA;
  }

  /** A connection from {@link #dataSource()}; the caller closes it. */
  public Connection connection() throws SQLException {
    return main.getConnection();
  }

  /**
   * Empties the queue's tables; ids are not counted from one again.
   *
   * @throws IllegalStateException if somebody else keeps a lock on a table for ten seconds, as an
   *     open transaction does
   */
  public void truncate() {
    try (Connection connection = connection();
        Statement statement = connection.createStatement()) {
      String tables = tables(statement);
      if (tables != null) {
        statement.execute("SET lock_timeout = '10s'");
        statement.execute("TRUNCATE " + tables + " CASCADE");
        statement.execute("RESET lock_timeout");
      }
    } catch (SQLException e) {
      throw new IllegalStateException(
          "The tables of %s cannot be emptied; is a transaction of the last test still open?"
              .formatted(name),
          e);
    }
  }

  private static @Nullable String tables(Statement statement) throws SQLException {
    try (ResultSet result = statement.executeQuery(TABLES)) {
      return result.next() ? result.getString(1) : null;
    }
  }

  /**
   * Closes the pools and drops the database, whoever is still connected to it. Closing twice does
   * nothing.
   *
   * @throws AssertionError if connections of the pools had not been given back
   */
  @Override
  public void close() {
    int leaked = 0;
    synchronized (pools) {
      if (closed) {
        return;
      }
      closed = true;
      for (HikariDataSource pool : pools) {
        if (!pool.isClosed()) {
          leaked += pool.getHikariPoolMXBean().getActiveConnections();
          pool.close();
        }
      }
    }
    server.dropDatabase(name);
    if (leaked > 0) {
      throw new AssertionError(
          "%d connection(s) of %s were not given back to their pool; close each connection that is taken."
              .formatted(leaked, name));
    }
  }
}
