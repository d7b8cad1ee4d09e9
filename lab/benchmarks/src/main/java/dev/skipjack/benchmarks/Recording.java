package dev.skipjack.benchmarks;

import java.lang.reflect.Method;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * Records the statements that are sent through a pool, with their values, so that bare JDBC can
 * repeat them. For use by a single thread.
 */
final class Recording {

  private final List<Sent> sent = new ArrayList<>();
  private final IdentityHashMap<Object, Bind> arrays = new IdentityHashMap<>();

  /**
   * A statement that was sent.
   *
   * @param binds the values, in the order in which they were set
   * @param isTransaction whether the statement was sent in auto-commit mode and therefore committed
   *     in its own round trip; in that case, its SQL may itself begin and commit the transaction
   */
  record Sent(String sql, List<Bind> binds, boolean isTransaction) {}

  /** Sets a recorded value as a parameter of a statement on any connection. */
  @FunctionalInterface
  interface Bind {
    void on(PreparedStatement statement, int index) throws SQLException;
  }

  /** Returns the statements recorded so far, in the order in which they were prepared. */
  List<Sent> sent() {
    return List.copyOf(sent);
  }

  /** Wraps a pool so that everything sent on its connections is recorded. */
  DataSource wrap(DataSource pool) {
    return Proxies.of(
        DataSource.class,
        (method, args) ->
            method.invoke(pool, args) instanceof Connection connection ? wrap(connection) : null);
  }

  private Connection wrap(Connection connection) {
    return Proxies.of(
        Connection.class,
        (method, args) -> {
          Object result = method.invoke(connection, args);
          if (result instanceof Array array) {
            String type = (String) args[0];
            Object[] values = (Object[]) args[1];
            arrays.put(
                array,
                (statement, index) ->
                    statement.setArray(
                        index, statement.getConnection().createArrayOf(type, values)));
          }
          return result instanceof PreparedStatement statement
              ? wrap(statement, connection, (String) args[0])
              : result;
        });
  }

  private PreparedStatement wrap(PreparedStatement statement, Connection owner, String sql)
      throws SQLException {
    List<Bind> binds = new ArrayList<>();
    sent.add(new Sent(sql, binds, owner.getAutoCommit()));
    Connection wrapped = wrap(owner);
    return Proxies.of(
        PreparedStatement.class,
        (method, args) -> {
          if (method.getName().equals("getConnection")) {
            return wrapped;
          }
          if (method.getName().startsWith("set")) {
            binds.add(bind(method, args[1]));
          }
          return method.invoke(statement, args);
        });
  }

  private Bind bind(Method setter, Object value) {
    return switch (setter.getName()) {
      case "setArray" -> Objects.requireNonNull(arrays.get(value), "array of another connection");
      case "setString" -> (statement, index) -> statement.setString(index, (String) value);
      case "setInt" -> (statement, index) -> statement.setInt(index, (Integer) value);
      case "setNull" -> (statement, index) -> statement.setNull(index, (Integer) value);
      case "setLong" -> (statement, index) -> statement.setLong(index, (Long) value);
      default -> throw new IllegalStateException("Cannot repeat a call of " + setter);
    };
  }
}
