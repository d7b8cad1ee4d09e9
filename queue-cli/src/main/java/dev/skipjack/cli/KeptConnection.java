package dev.skipjack.cli;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A data source that keeps one connection between calls. A command needs no pool, but connecting
 * again for each statement would cause noticeable delays. If the connection is in use or broken,
 * another is opened.
 *
 * <p>If the command only reads, its transactions are read-only, and the driver cancels statements
 * that take longer than {@link #READ_SECONDS} seconds. A session setting cannot be used for the
 * timeout, because behind a pooler in transaction mode it would outlive the command.
 */
final class KeptConnection implements DataSource, AutoCloseable {

  static final int READ_SECONDS = 5;

  private final PGSimpleDataSource direct = new PGSimpleDataSource();
  private final boolean reading;
  private @Nullable Connection idle;

  /**
   * Creates a data source for an address, without connecting.
   *
   * @param reading whether the command only reads
   * @throws IllegalArgumentException if the driver does not accept the URL
   */
  KeptConnection(DatabaseAddress address, boolean reading) {
    this.reading = reading;
    try {
      direct.setUrl(address.jdbcUrl());
    } catch (IllegalArgumentException malformed) {
      // The driver's message contains the URL and with it the password.
      throw new IllegalArgumentException(
          "The PostgreSQL driver cannot parse the JDBC URL of %s. Its form is jdbc:postgresql://HOST:PORT/DATABASE?user=..."
              .formatted(address.origin()));
    }
    if (direct.getApplicationName() == null) {
      direct.setApplicationName("skipjack");
    }
    direct.setReadOnly(reading);
  }

  @Override
  public synchronized Connection getConnection() throws SQLException {
    Connection connection = idle;
    idle = null;
    if (connection == null || connection.isClosed()) {
      connection = direct.getConnection();
    }
    return lend(connection);
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
                  case "equals" -> proxy == arguments[0];
                  case "hashCode" -> System.identityHashCode(proxy);
                  default -> limited(call(connection, method, arguments));
                });
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
    if (reading && result instanceof Statement statement) {
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
