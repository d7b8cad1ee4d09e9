package dev.skipjack.store.jooq.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.util.PSQLException;

/** What only PostgreSQL's own driver can be asked. */
final class PostgresDriver {

  private static final String ACTIVE_TRANSACTION = "25001";

  private PostgresDriver() {}

  /**
   * Whether a transaction is open, or has failed, on {@code connection}. The driver knows it from
   * the server's last message. A connection that does not unwrap to the driver's is asked for
   * something that JDBC forbids inside a transaction; the driver refuses it without a round trip.
   */
  static boolean isInTransaction(Connection connection) throws SQLException {
    if (connection.isWrapperFor(BaseConnection.class)) {
      return connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
    }
    if (connection.getAutoCommit()) {
      return false; // every statement has committed by itself
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

  /** Whether two borrowed connections are one session, as far as they show it. */
  static boolean isSame(Connection one, Connection other) throws SQLException {
    return one == other
        || (one.isWrapperFor(BaseConnection.class)
            && other.isWrapperFor(BaseConnection.class)
            && one.unwrap(BaseConnection.class) == other.unwrap(BaseConnection.class));
  }

  /** Whether the driver is among the causes of {@code failure}: else the pool says it by itself. */
  static boolean isBehind(SQLException failure) {
    return answered(failure) != null;
  }

  /**
   * What the server said, without the detail, which quotes rows and with them payloads. The
   * exception itself still holds it.
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

  /** The message, ended by a full stop. */
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

  /** The constraint that was violated; empty when the server named none. */
  static Optional<String> constraintOf(SQLException failure) {
    return failure instanceof PSQLException answered && answered.getServerErrorMessage() != null
        ? Optional.ofNullable(answered.getServerErrorMessage().getConstraint())
        : Optional.empty();
  }
}
