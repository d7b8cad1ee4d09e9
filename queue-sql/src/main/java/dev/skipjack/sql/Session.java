package dev.skipjack.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Runs statements in one open transaction. Not thread-safe, and not usable after that transaction.
 */
public final class Session {

  private final Connection connection;
  private final @Nullable Preamble preamble;
  private boolean begun;

  private Session(Connection connection, @Nullable Preamble preamble) {
    this.connection = connection;
    this.preamble = preamble;
  }

  /** Creates a session for one of the queue's own transactions, which has not begun yet. */
  static Session own(Connection connection, Preamble preamble) {
    return new Session(connection, preamble);
  }

  /**
   * Creates a session in a caller's transaction, whose settings are not changed.
   *
   * @param transaction the caller's transaction, on a connection without auto-commit
   * @return the session
   * @throws IllegalArgumentException as for {@link #requireTransaction}
   * @throws SQLException if the database refuses the statement or cannot be reached
   */
  public static Session in(Connection transaction) throws SQLException {
    requireTransaction(transaction);
    return new Session(transaction, null);
  }

  /**
   * Rejects a connection in auto-commit mode, because each statement would be committed separately
   * instead of together with the caller's rows.
   *
   * @param connection the connection
   * @throws IllegalArgumentException if the connection is in auto-commit mode
   * @throws SQLException if the database refuses the statement or cannot be reached
   */
  public static void requireTransaction(Connection connection) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new IllegalArgumentException(
          "The connection is in auto-commit mode, so no transaction is open. Call setAutoCommit(false) first, or let the queue use a transaction of its own.");
    }
  }

  /**
   * Runs one statement.
   *
   * @param <Q> the type of the request
   * @param <R> the type of the value read from a row
   * @param statement the statement
   * @param request the values of its parameters
   * @return the value read from each row
   * @throws SQLException if the database refuses the statement or cannot be reached
   */
  public <Q, R> List<R> run(Statement<Q, R> statement, Q request) throws SQLException {
    return run(statement.bind(request));
  }

  /**
   * Runs one {@linkplain Statement#selfContained self-contained} statement in a caller's
   * transaction.
   *
   * @param <Q> the type of the request
   * @param <R> the type of the value read from a row
   * @param statement the statement
   * @param request the values of its parameters
   * @param followUp a query to run in the same round trip, or null for none
   * @return the value read from each row
   * @throws SQLException if the database refuses the statement or cannot be reached
   */
  public <Q, R> List<R> run(Statement<Q, R> statement, Q request, @Nullable FollowUp followUp)
      throws SQLException {
    return statement.bind(request).runAlone(connection, followUp);
  }

  /**
   * Runs one {@linkplain Statement#selfContained self-contained} statement in a savepoint of a
   * caller's transaction, in one round trip. If the server rejects the statement, the transaction
   * is as it was before.
   *
   * @param <Q> the type of the request
   * @param <R> the type of the value read from a row
   * @param statement the statement
   * @param request the values of its parameters
   * @return the value read from each row
   * @throws SQLException if the database refuses the statement or cannot be reached
   */
  public <Q, R> List<R> runInSavepoint(Statement<Q, R> statement, Q request) throws SQLException {
    BoundStatement<R> bound = statement.bind(request);
    try {
      return bound.runInSavepoint(connection);
    } catch (SQLException rejected) {
      try (java.sql.Statement rollback = connection.createStatement()) {
        rollback.execute(StatementText.ROLL_BACK_TO_SAVEPOINT);
      } catch (SQLException broken) {
        rejected.addSuppressed(broken); // for example because there is no connection any more
      }
      throw rejected;
    }
  }

  /**
   * {@return the id of the server process, which the driver received when it connected, or empty if
   * the driver is not PostgreSQL's own}
   *
   * @throws SQLException if the database refuses the statement or cannot be reached
   */
  public OptionalInt serverProcess() throws SQLException {
    return PostgresDriver.serverProcess(connection);
  }

  <R> List<R> run(BoundStatement<R> statement) throws SQLException {
    if (preamble == null) {
      return statement.run(connection);
    }
    if (begun) {
      return statement.runNext(connection);
    }
    begun = true;
    return statement.runFirst(connection, preamble);
  }
}
