package dev.skipjack.faults;

import dev.skipjack.faults.FaultyDataSource.CommitFate;
import dev.skipjack.faults.FaultyDataSource.Step;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A connection that injects the faults of a plan into its statements and commits. */
final class FaultyConnection implements InvocationHandler {

  private static final String BROKEN = "08006";
  private static final Pattern COMMIT =
      Pattern.compile(";\\s*COMMIT\\s*$", Pattern.CASE_INSENSITIVE);

  private final Connection target;
  private final FaultPlan plan;
  private final BooleanSupplier away;
  private volatile boolean broken;

  private FaultyConnection(Connection target, FaultPlan plan, BooleanSupplier away) {
    this.target = target;
    this.plan = plan;
    this.away = away;
  }

  /**
   * @param away returns true while the database is unavailable
   */
  static Connection wrap(Connection target, FaultPlan plan, BooleanSupplier away) {
    return proxy(Connection.class, new FaultyConnection(target, plan, away));
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @Override
  public @Nullable Object invoke(Object self, Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    if (method.getDeclaringClass() == Object.class) {
      return asObject(self, method, args, target);
    }
    switch (method.getName()) {
      case "close" -> {
        close();
        return null;
      }
      case "isClosed" -> {
        return broken || target.isClosed();
      }
      case "isValid" -> {
        // Reflection creates its own Boolean instances.
        return !broken && !away.getAsBoolean() && Boolean.TRUE.equals(call(target, method, args));
      }
      case "abort" -> {
        return call(target, method, args);
      }
      case "commit" -> {
        reach();
        return commit(() -> call(target, method, args));
      }
      default -> {
        requireUnbroken();
        Object result = call(target, method, args);
        return result instanceof Statement statement
            ? wrap((Connection) self, statement, args == null ? null : args[0])
            : result;
      }
    }
  }

  /** Returns whether an SQL string ends with {@code ; COMMIT}, or writes in auto-commit mode. */
  private boolean commits(@Nullable Object sql) throws SQLException {
    return sql instanceof String text
        && (COMMIT.matcher(text).find()
            || (SqlEffect.of(text) == SqlEffect.WRITE && target.getAutoCommit()));
  }

  /**
   * @param prepared the SQL of a prepared statement; ignored if it is not a string
   */
  private Statement wrap(Connection self, Statement statement, @Nullable Object prepared) {
    InvocationHandler handler =
        (proxy, method, args) -> {
          if (method.getDeclaringClass() == Object.class) {
            return asObject(proxy, method, args, statement);
          }
          if (method.getName().equals("getConnection")) {
            return self;
          }
          if (method.getName().startsWith("execute")) {
            reach();
            plan.before(Step.STATEMENT);
            if (commits(args == null || args.length == 0 ? prepared : args[0])) {
              return commit(() -> call(statement, method, args));
            }
          }
          return call(statement, method, args);
        };
    if (statement instanceof CallableStatement) {
      return proxy(CallableStatement.class, handler);
    }
    return statement instanceof PreparedStatement
        ? proxy(PreparedStatement.class, handler)
        : proxy(Statement.class, handler);
  }

  /** Implements the methods of {@link Object}, which work even if the connection is broken. */
  private static Object asObject(
      Object self, Method method, @Nullable Object @Nullable [] args, Object target) {
    return switch (method.getName()) {
      case "equals" -> args != null && args[0] == self;
      case "hashCode" -> System.identityHashCode(self);
      default -> "faulty " + target;
    };
  }

  private @Nullable Object commit(Call commit) throws Throwable {
    plan.before(Step.COMMIT);
    CommitFate fate = plan.fateOfCommit();
    if (fate == CommitFate.CUT_BEFORE) {
      throw breakDown("The connection broke before the COMMIT.");
    }
    Object result = commit.run();
    if (fate == CommitFate.CUT_AFTER) {
      throw breakDown("The connection broke after the COMMIT.");
    }
    return result;
  }

  @FunctionalInterface
  private interface Call {
    @Nullable Object run() throws Throwable;
  }

  private void reach() throws SQLException {
    requireUnbroken();
    if (away.getAsBoolean()) {
      throw breakDown("The database is unavailable.");
    }
  }

  private void requireUnbroken() throws SQLException {
    if (broken) {
      throw new SQLException("The connection is broken.", BROKEN);
    }
  }

  /**
   * Breaks the connection and ends the session, so the server rolls back its uncommitted changes.
   */
  private SQLException breakDown(String why) {
    broken = true;
    SQLException failure = new SQLException(why, BROKEN);
    try {
      target.rollback();
    } catch (SQLException unneeded) {
      failure.addSuppressed(unneeded);
    }
    try {
      target.abort(Runnable::run);
    } catch (SQLException unneeded) {
      failure.addSuppressed(unneeded);
    }
    return failure;
  }

  /**
   * Closes the connection. Ignores exceptions if it is broken, because the caller has already
   * received one.
   */
  private void close() throws SQLException {
    try {
      target.close();
    } catch (SQLException failure) {
      if (!broken) {
        throw failure;
      }
    }
  }

  private static @Nullable Object call(
      Object target, Method method, @Nullable Object @Nullable [] args) throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException thrown) {
      throw thrown.getTargetException();
    }
  }
}
