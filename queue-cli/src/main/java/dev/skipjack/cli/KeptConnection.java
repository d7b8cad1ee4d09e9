package dev.skipjack.cli;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A data source that keeps one connection between calls. A command needs no pool, but connecting
 * again for each statement would cause noticeable delays. If the connection is in use or closed,
 * another is opened.
 *
 * <p>If the command only reads, its transactions are read-only, and the driver cancels statements
 * that take longer than {@link #READ_SECONDS} seconds. A session setting cannot be used for the
 * timeout, because behind a pooler in transaction mode it would outlive the command. For the same
 * reason, commands that write set their limit on waiting for locks in each transaction.
 */
final class KeptConnection implements DataSource, AutoCloseable {

  static final int READ_SECONDS = 5;

  /** The time for which a command that writes waits for a lock. */
  static final int LOCK_SECONDS = 10;

  private static final String CONNECT_SECONDS = "10";
  private static final String LOGIN_SECONDS = "20";
  private static final String RESPONSE_SECONDS_OF_READS = "15";
  private static final String RESPONSE_SECONDS_OF_WRITES = "60";

  private final PGSimpleDataSource direct = new PGSimpleDataSource();
  private final DatabaseAction.Access access;
  private boolean limitsLocks;
  private @Nullable Connection idle;

  /**
   * Creates a data source for an address, without connecting.
   *
   * @param access what the command does
   * @throws IllegalArgumentException if the driver does not accept the URL
   */
  KeptConnection(DatabaseAddress address, DatabaseAction.Access access) {
    this.access = access;
    try {
      direct.setUrl(limited(address, access).jdbcUrl());
    } catch (IllegalArgumentException malformed) {
      // The driver's message contains the URL and with it the password.
      throw new IllegalArgumentException(
          "The PostgreSQL driver cannot parse the JDBC URL of %s. Its form is jdbc:postgresql://HOST:PORT/DATABASE?user=..."
              .formatted(address.origin()));
    }
    if (direct.getApplicationName() == null) {
      direct.setApplicationName("skipjack");
    }
    direct.setReadOnly(access == DatabaseAction.Access.READ);
  }

  /** Returns the address with the timeouts of the driver that the user has not set. */
  private static DatabaseAddress limited(DatabaseAddress address, DatabaseAction.Access access) {
    DatabaseAddress limited =
        address
            .withDefault("connectTimeout", CONNECT_SECONDS)
            .withDefault("loginTimeout", LOGIN_SECONDS)
            .withDefault("tcpKeepAlive", "true");
    return switch (access) {
      case READ -> limited.withDefault("socketTimeout", RESPONSE_SECONDS_OF_READS);
      case WRITE -> limited.withDefault("socketTimeout", RESPONSE_SECONDS_OF_WRITES);
      case MIGRATE -> limited;
    };
  }

  @Override
  public synchronized Connection getConnection() throws SQLException {
    Connection connection = idle;
    idle = null;
    if (connection == null || connection.isClosed()) {
      connection = connect();
    }
    return lend(connection);
  }

  private Connection connect() throws SQLException {
    Connection connection;
    try {
      connection = direct.getConnection();
    } catch (SQLException failed) {
      throw isTimeout(failed) ? noResponse(failed) : failed;
    }
    limitsLocks = access == DatabaseAction.Access.WRITE && waitsWithoutLimit(connection);
    return connection;
  }

  /**
   * Returns whether a timeout ended the attempt to connect. The exception for a slow login has no
   * cause, so its message is read.
   */
  private static boolean isTimeout(SQLException failed) {
    return failed.getCause() instanceof SocketTimeoutException
        || String.valueOf(failed.getMessage()).contains("timed out");
  }

  private SQLException noResponse(SQLException failed) {
    SQLException explained =
        new SQLException(
            "The server at %s:%d accepted no connection and login in time (connectTimeout %d s, loginTimeout %d s). Check the address, the firewall and the server, or set longer timeouts in the URL."
                .formatted(
                    direct.getServerNames()[0],
                    direct.getPortNumbers()[0],
                    direct.getConnectTimeout(),
                    direct.getLoginTimeout()),
            failed.getSQLState());
    explained.addSuppressed(failed); // not as the cause, whose message would be printed too
    return explained;
  }

  /** Returns whether no setting of the URL, the role or the database limits waiting for locks. */
  private static boolean waitsWithoutLimit(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet limit = statement.executeQuery("SHOW lock_timeout")) {
      return limit.next() && limit.getString(1).equals("0");
    }
  }

  private Connection lend(Connection connection) {
    boolean[] returned = {false};
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "close" -> {
                    if (!returned[0]) {
                      returned[0] = true;
                      giveBack(connection);
                    }
                    yield null;
                  }
                  case "setAutoCommit" -> {
                    connection.setAutoCommit((boolean) arguments[0]);
                    if (limitsLocks && !connection.getAutoCommit()) {
                      limitLocks(connection);
                    }
                    yield null;
                  }
                  case "equals" -> proxy == arguments[0];
                  case "hashCode" -> System.identityHashCode(proxy);
                  default -> limited(call(connection, method, arguments));
                });
  }

  private static void limitLocks(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET LOCAL lock_timeout = '%ds'".formatted(LOCK_SECONDS));
    }
  }

  private static @Nullable Object call(
      Connection connection, Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(connection, arguments);
    } catch (InvocationTargetException failure) {
      throw failure.getTargetException();
    }
  }

  private @Nullable Object limited(@Nullable Object result) throws SQLException {
    if (access == DatabaseAction.Access.READ && result instanceof Statement statement) {
      statement.setQueryTimeout(READ_SECONDS);
    }
    return result;
  }

  private synchronized void giveBack(Connection connection) throws SQLException {
    if (idle == null && !connection.isClosed()) {
      idle = connection;
    } else {
      connection.close();
    }
  }

  @Override
  public synchronized void close() throws SQLException {
    if (idle != null) {
      idle.close();
      idle = null;
    }
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return direct.getConnection(user, password);
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(@Nullable PrintWriter writer) {
    throw new UnsupportedOperationException("This data source writes no log.");
  }

  @Override
  public int getLoginTimeout() {
    return direct.getLoginTimeout();
  }

  @Override
  public void setLoginTimeout(int seconds) {
    direct.setLoginTimeout(seconds);
  }

  @Override
  public Logger getParentLogger() {
    return direct.getParentLogger();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    if (!type.isInstance(this)) {
      throw new SQLException("This data source wraps no %s.".formatted(type.getName()));
    }
    return type.cast(this);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return type.isInstance(this);
  }
}
