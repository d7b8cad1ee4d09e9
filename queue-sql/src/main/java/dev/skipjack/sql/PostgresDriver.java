package dev.skipjack.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.util.PSQLException;

/** Provides functions that only PostgreSQL's own driver has. */
final class PostgresDriver {

  private static final String ACTIVE_TRANSACTION = "25001";

  private PostgresDriver() {}

  /**
   * Returns whether a transaction is open, or has failed, on {@code connection}. Each response of
   * the server contains this state. If a connection cannot be unwrapped to the driver's, this
   * method requests a change that JDBC forbids inside a transaction. The driver rejects it without
   * a round trip.
   */
  static boolean isInTransaction(Connection connection) throws SQLException {
    if (connection.isWrapperFor(BaseConnection.class)) {
      return connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
    }
    if (connection.getAutoCommit()) {
      return false; // each statement commits by itself
    }
    try {
      connection.setReadOnly(connection.isReadOnly());
      return false;
    } catch (SQLException refused) {
      if (ACTIVE_TRANSACTION.equals(refused.getSQLState())) {
        return true;
      }
      throw refused;
    }
  }

  /**
   * Returns the id of the server process that the driver was connected to, or empty if the
   * connection cannot be unwrapped to the driver's. Through a pooler, another process may run the
   * statements.
   */
  static OptionalInt serverProcess(Connection connection) throws SQLException {
    return connection.isWrapperFor(BaseConnection.class)
        ? OptionalInt.of(connection.unwrap(BaseConnection.class).getBackendPID())
        : OptionalInt.empty();
  }

  /**
   * Returns whether two borrowed connections use the same session, as far as that can be
   * determined.
   */
  static boolean isSame(Connection one, Connection other) throws SQLException {
    return one == other
        || (one.isWrapperFor(BaseConnection.class)
            && other.isWrapperFor(BaseConnection.class)
            && one.unwrap(BaseConnection.class) == other.unwrap(BaseConnection.class));
  }

  /** Returns whether {@code failure} is an exception of the driver, or has one as a cause. */
  static boolean isBehind(SQLException failure) {
    return answered(failure) != null;
  }

  /**
   * Returns the server's message without the detail, which may contain payloads. The exception
   * itself still contains the detail.
   */
  static String primaryMessage(SQLException failure) {
    if (failure instanceof PSQLException answered && answered.getServerErrorMessage() != null) {
      String message = answered.getServerErrorMessage().getMessage();
      return message == null ? failure.getClass().getName() : message;
    }
    PSQLException behind = answered(failure);
    return behind == null || behind == failure
        ? String.valueOf(failure.getMessage())
        : "%s Last failure: %s".formatted(sentence(failure), primaryMessage(behind));
  }

  /** Returns the message, ending with a full stop. */
  static String sentence(SQLException failure) {
    String message = String.valueOf(failure.getMessage()).strip();
    return message.endsWith(".") || message.endsWith("!") ? message : message + ".";
  }

  private static @Nullable PSQLException answered(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof PSQLException answered) {
        return answered;
      }
    }
    return null;
  }

  /** Returns the constraint that was violated, or empty if the server named none. */
  static Optional<String> constraintOf(SQLException failure) {
    return failure instanceof PSQLException answered && answered.getServerErrorMessage() != null
        ? Optional.ofNullable(answered.getServerErrorMessage().getConstraint())
        : Optional.empty();
  }
}
