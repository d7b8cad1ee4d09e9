package dev.skipjack.benchmarks;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The statements that were sent through a pool, with their values, so that bare JDBC can send them
 * once more. Belongs to one thread.
 */
final class Recording {

  private final List<Sent> sent = new ArrayList<>();
  private final IdentityHashMap<Object, Bind> arrays = new IdentityHashMap<>();

  /**
   * A statement that was sent.
   *
   * @param binds in the order in which they were set
   * @param isWhole whether it begins its transaction and commits it, in one round trip
   */
  record Sent(String sql, List<Bind> binds, boolean isWhole) {

    /** What the store sends around a statement: how its transaction begins, with which settings. */
    private static final Pattern AROUND =
        Pattern.compile(
            "\\A(?:(?:BEGIN|SET TRANSACTION|SELECT pg_catalog.set_config)\\b[^;]*; )*(.*?)(?:; COMMIT|; SELECT pg_catalog.set_config[^;]*)?\\z",
            Pattern.DOTALL);

    static Sent of(String sql, List<Bind> binds) {
      return new Sent(sql, binds, sql.startsWith("BEGIN "));
    }

    /** As an application without the store would send it: the statement alone. */
    Sent plain() {
      return new Sent(AROUND.matcher(sql).replaceFirst("$1"), binds, isWhole);
    }

    /** The same in another schema. */
    Sent in(String from, String to) {
      return new Sent(sql.replace("\"" + from + "\"", "\"" + to + "\""), binds, isWhole);
    }
  }

  /** Sets one parameter, on whatever connection the statement belongs to. */
  @FunctionalInterface
  interface Bind {
    void on(PreparedStatement statement, int index) throws SQLException;
  }

  /** The statements so far, in the order in which they were prepared. */
  List<Sent> sent() {
    return List.copyOf(sent);
  }

  /** The pool, but what is sent on its connections is noted here. */
  DataSource noting(DataSource pool) {
    return proxy(
        DataSource.class,
        (method, args) ->
            invoke(pool, method, args) instanceof Connection connection
                ? noting(connection)
                : null);
  }

  private Connection noting(Connection connection) {
    return proxy(
        Connection.class,
        (method, args) -> {
          Object result = invoke(connection, method, args);
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
              ? noting(statement, connection, (String) args[0])
              : result;
        });
  }

  private PreparedStatement noting(PreparedStatement statement, Connection owner, String sql) {
    List<Bind> binds = new ArrayList<>();
    sent.add(Sent.of(sql, binds));
    Connection noting = noting(owner);
    return proxy(
        PreparedStatement.class,
        (method, args) -> {
          if (method.getName().equals("getConnection")) {
            return noting;
          }
          if (method.getName().startsWith("set")) {
            binds.add(bind(method, args[1]));
          }
          return invoke(statement, method, args);
        });
  }

  private Bind bind(Method setter, Object value) {
    return switch (setter.getName()) {
      case "setArray" -> Objects.requireNonNull(arrays.get(value), "array of another connection");
      case "setString" -> (statement, index) -> statement.setString(index, (String) value);
      case "setInt" -> (statement, index) -> statement.setInt(index, (Integer) value);
      case "setNull" -> (statement, index) -> statement.setNull(index, (Integer) value);
      case "setLong" -> (statement, index) -> statement.setLong(index, (Long) value);
      default -> throw new IllegalStateException("Not known how to repeat " + setter);
    };
  }

  @FunctionalInterface
  private interface Answer {
    @Nullable Object to(Method method, Object[] args) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Answer answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> answer.to(method, args == null ? new Object[0] : args)));
  }

  private static @Nullable Object invoke(Object target, Method method, Object[] args)
      throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException thrown) {
      throw Objects.requireNonNullElse(thrown.getCause(), thrown);
    }
  }
}
