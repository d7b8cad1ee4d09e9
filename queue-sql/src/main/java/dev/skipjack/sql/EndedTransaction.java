package dev.skipjack.sql;

import java.sql.Connection;
import java.sql.SQLException;

/** Runs statements on a caller's connection after the caller's transaction has ended. */
public final class EndedTransaction {

  private EndedTransaction() {}

  /** Runs statements. */
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
   * Runs each statement in a transaction of its own, which takes one round trip per statement. If
   * another transaction has begun on the connection, the statements run in that transaction
   * instead.
   *
   * @param connection the connection; its auto-commit mode is restored afterwards
   * @param work the work
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
