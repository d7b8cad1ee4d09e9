package dev.skipjack.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs statements on a caller's connection after the caller's transaction has ended. */
public final class EndedTransaction {

  private EndedTransaction() {}

  /** The statements to run. */
  @FunctionalInterface
  public interface Work {
    /**
     * Runs the statements.
     *
     * @param ownTransactions whether each statement is a transaction of its own
     * @throws SQLException if the database refuses the statement or cannot be reached
     */
    void run(boolean ownTransactions) throws SQLException;
  }

  /**
   * Reads the committed state in a read-only transaction of its own, which takes one round trip.
   *
   * @param <Q> the type of the request
   * @param <R> the type of the value read from a row
   * @param connection the connection; its auto-commit mode is restored afterwards
   * @param statement the query
   * @param request the values of its parameters
   * @return the value read from each row; empty, without reading, if another transaction has begun
   *     on the connection, because a query in it would see its uncommitted changes
   * @throws SQLException if the database refuses the statement or cannot be reached
   */
  public static <Q, R> Optional<List<R>> read(
      Connection connection, Statement<Q, R> statement, Q request) throws SQLException {
    List<R> rows = new ArrayList<>();
    boolean[] read = {false};
    after(
        connection,
        own -> {
          if (own) {
            rows.addAll(readOwn(connection, statement.bind(request)));
            read[0] = true;
          }
        });
    return read[0] ? Optional.of(rows) : Optional.empty();
  }

  private static <R> List<R> readOwn(Connection connection, BoundStatement<R> statement)
      throws SQLException {
    try {
      return statement.runWhole(connection, Preamble.READ_ONLY);
    } catch (SQLException failure) {
      try (java.sql.Statement rollback = connection.createStatement()) {
        rollback.execute("ROLLBACK");
      } catch (SQLException broken) {
        failure.addSuppressed(broken);
      }
      throw failure;
    }
  }

  /**
   * Runs each statement in a transaction of its own. If another transaction has begun on the
   * connection, the statements run in that transaction instead.
   *
   * @param connection the connection; its auto-commit mode is restored afterwards
   * @param work runs the statements
   * @throws SQLException if the database refuses the statement or cannot be reached
   */
  public static void after(Connection connection, Work work) throws SQLException {
    if (PostgresDriver.isInTransaction(connection)) {
      work.run(false);
      return;
    }
    boolean autoCommit = connection.getAutoCommit();
    connection.setAutoCommit(true);
    try {
      work.run(true);
    } finally {
      connection.setAutoCommit(autoCommit);
    }
  }
}
