package dev.skipjack.importing;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/** Runs other code in the database before each statement and commit that it passes on. */
final class InterferingDataSource {

  /** The code that runs before a statement or a commit. */
  @FunctionalInterface
  interface Interference {

    /**
     * Interferes.
     *
     * @param number the number of the statement or commit, from 1
     * @param session the session that will run it
     * @param target opens other sessions of the database
     */
    void before(int number, Connection session, DataSource target) throws SQLException;
  }

  private final DataSource target;
  private final Interference interference;
  private int sent;

  private InterferingDataSource(DataSource target, Interference interference) {
    this.target = target;
    this.interference = interference;
  }

  static DataSource of(DataSource target, Interference interference) {
    return new InterferingDataSource(target, interference).proxy(DataSource.class, target, null);
  }

  /**
   * Returns a data source whose session is killed before the given statement or commit. Reads,
   * which run outside transactions, are not counted.
   */
  static DataSource killed(int victim, DataSource target) {
    AtomicInteger changes = new AtomicInteger();
    return of(
        target,
        (number, session, others) -> {
          if (!session.getAutoCommit() && changes.incrementAndGet() == victim) {
            int pid = session.unwrap(PGConnection.class).getBackendPID();
            // Waits until the session has ended, up to this many milliseconds.
            execute(others, "SELECT pg_terminate_backend(%d, 30000)".formatted(pid));
          }
        });
  }

  /**
   * Returns a data source that runs SQL once, after the rows were read and before the first
   * statement that moves some.
   */
  static DataSource changing(DataSource target, String... sql) {
    AtomicBoolean changed = new AtomicBoolean();
    return of(
        target,
        (number, session, others) -> {
          if (!session.getAutoCommit() && changed.compareAndSet(false, true)) {
            execute(others, sql);
          }
        });
  }

  private static void execute(DataSource dataSource, String... sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String one : sql) {
        statement.execute(one);
      }
    }
  }

  private <T> T proxy(Class<T> type, Object real, @Nullable Connection session) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> call(real, session, method, arguments)));
  }

  private @Nullable Object call(
      Object real, @Nullable Connection session, Method method, Object @Nullable [] arguments)
      throws Throwable {
    boolean isSent = method.getName().startsWith("execute") || method.getName().equals("commit");
    if (isSent && session != null) {
      sent++;
      interference.before(sent, session, target);
    }
    Object result;
    try {
      result = method.invoke(real, arguments);
    } catch (InvocationTargetException failed) {
      throw failed.getTargetException();
    }
    return result instanceof Connection opened
        ? proxy(Connection.class, opened, opened)
        : result instanceof PreparedStatement statement
            ? proxy(PreparedStatement.class, statement, session)
            : result;
  }
}
