package dev.skipjack.store.jooq;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A data source that can run an action between two statements of a transaction, or change the text
 * of statements. So a test decides what other sessions do at that moment, and tests mutants of a
 * transaction without a hook in the code under test. Used by one thread.
 */
final class SteppedDataSource {

  final DataSource dataSource;

  /** An action on the connection of the transaction. */
  @FunctionalInterface
  interface Action {
    void run(Connection connection) throws SQLException;
  }

  private UnaryOperator<String> rewriting = UnaryOperator.identity();
  private Predicate<String> at = sql -> false;
  private @Nullable Action beforeStatement;
  private @Nullable Runnable beforeCommit;

  SteppedDataSource(DataSource target) {
    this.dataSource =
        JdbcProxy.of(
            DataSource.class,
            (method, args) -> {
              Object result = method.invoke(target, args);
              return result instanceof Connection connection ? proxy(connection) : result;
            });
  }

  /** Runs an action once, before the next statement whose text matches. */
  void before(Predicate<String> statement, Runnable action) {
    onConnectionBefore(statement, connection -> action.run());
  }

  /** Like {@link #before}, for an action that uses the connection of the transaction. */
  void onConnectionBefore(Predicate<String> statement, Action action) {
    at = statement;
    beforeStatement = action;
  }

  /** Runs an action once, before the next commit. */
  void beforeCommit(Runnable action) {
    beforeCommit = action;
  }

  /** Changes the text of all later statements. */
  void rewrite(UnaryOperator<String> change) {
    rewriting = change;
  }

  /** Returns whether all actions have run. */
  boolean isDone() {
    return beforeStatement == null && beforeCommit == null;
  }

  private Connection proxy(Connection connection) {
    return JdbcProxy.of(
        Connection.class,
        (method, args) -> {
          if (method.getName().equals("prepareStatement")) {
            args[0] = prepare(connection, (String) args[0]);
          } else if (method.getName().equals("commit")) {
            Runnable action = beforeCommit;
            beforeCommit = null;
            if (action != null) {
              action.run();
            }
          }
          return method.invoke(connection, args);
        });
  }

  private String prepare(Connection connection, String sql) throws SQLException {
    if (at.test(sql)) {
      at = each -> false;
      Action action = beforeStatement;
      beforeStatement = null;
      if (action != null) {
        action.run(connection);
      }
    }
    return rewriting.apply(sql);
  }
}
