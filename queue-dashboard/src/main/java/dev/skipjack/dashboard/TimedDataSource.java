package dev.skipjack.dashboard;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A data source whose statements are cancelled after a time. The driver cancels them, because
 * behind a pooler in transaction mode, a setting of the session would remain for other clients.
 *
 * @param pool the data source
 * @param seconds the time
 */
record TimedDataSource(DataSource pool, int seconds) implements DataSource {

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = pool.getConnection();
    return (Connection)
        Proxy.newProxyInstance(
            TimedDataSource.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              Object result;
              try {
                result = method.invoke(connection, arguments);
              } catch (InvocationTargetException failure) {
                throw failure.getTargetException();
              }
              if (result instanceof Statement statement) {
                statement.setQueryTimeout(seconds);
              }
              return result;
            });
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException("Connections have the login of the pool.");
  }

  @Override
  public @Nullable PrintWriter getLogWriter() throws SQLException {
    return pool.getLogWriter();
  }

  @Override
  public void setLogWriter(@Nullable PrintWriter writer) throws SQLException {
    pool.setLogWriter(writer);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return pool.getLoginTimeout();
  }

  @Override
  public void setLoginTimeout(int limit) throws SQLException {
    pool.setLoginTimeout(limit);
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return pool.getParentLogger();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    throw new SQLException("This data source wraps no %s.".formatted(type.getName()));
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return type.isInstance(this);
  }
}
