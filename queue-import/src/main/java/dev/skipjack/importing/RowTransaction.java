package dev.skipjack.importing;

import dev.skipjack.api.PayloadException;
import dev.skipjack.api.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Moves rows in one transaction, and distinguishes errors of these rows from errors of the
 * database.
 */
final class RowTransaction {

  static final String CHANGED = "changed during the import: run it again";

  private static final String INVALID_DATA = "22";
  private static final String VIOLATED_CONSTRAINT = "23";

  /** A deadlock or a serialization failure. */
  private static final String CONFLICT = "40";

  private static final String LOCK_TIMEOUT = "55P03";

  private RowTransaction() {}

  /**
   * The result of moving rows together.
   *
   * @param moved the positions of the rows that were moved; null if none was
   * @param refusal why none was moved
   */
  record Result(@Nullable BitSet moved, String refusal) {}

  /** Moves rows, and returns why none can be moved, or an empty string. */
  @FunctionalInterface
  interface Move {
    String rows(BitSet moved) throws SQLException;
  }

  /**
   * Moves rows and commits, or rolls back if they are refused.
   *
   * @param lock the statement that takes the lock of the source; empty if it has none
   */
  static Result run(Connection connection, String lock, Move move) throws SQLException {
    connection.setAutoCommit(false);
    try {
      if (!lock.isEmpty()) {
        try (PreparedStatement statement = connection.prepareStatement(lock)) {
          statement.execute();
        }
      }
      BitSet moved = new BitSet();
      String refusal = refusal(connection, move, moved);
      if (!refusal.isEmpty()) {
        connection.rollback();
      }
      connection.setAutoCommit(true);
      return new Result(refusal.isEmpty() ? moved : null, refusal);
    } catch (Throwable failed) {
      // After an error of the application's codec too, the deleted rows must not be committed.
      rollBack(connection, failed);
      throw failed;
    }
  }

  /** Moves rows and commits, or returns why none can be moved. */
  private static String refusal(Connection connection, Move move, BitSet moved)
      throws SQLException {
    try {
      String refusal = move.rows(moved);
      if (refusal.isEmpty()) {
        connection.commit();
      }
      return refusal;
    } catch (SQLException failed) {
      if (!concernsRows(failed)) {
        throw failed;
      }
      return reason(failed);
    } catch (StoreException failed) {
      if (failed.getCause() instanceof SQLException cause && concernsRows(cause)) {
        return reason(cause);
      }
      throw failed;
    } catch (IllegalArgumentException | PayloadException refused) {
      // The schedule exists already, or cannot have this payload.
      return String.valueOf(refused.getMessage());
    }
  }

  private static void rollBack(Connection connection, Throwable failed) {
    try {
      connection.rollback();
      connection.setAutoCommit(true);
    } catch (SQLException alsoFailed) {
      failed.addSuppressed(alsoFailed);
    }
  }

  private static boolean concernsRows(SQLException refused) {
    String state = state(refused);
    return state.startsWith(INVALID_DATA)
        || state.startsWith(VIOLATED_CONSTRAINT)
        || state.startsWith(CONFLICT)
        || state.equals(LOCK_TIMEOUT);
  }

  private static String reason(SQLException refused) {
    if (state(refused).equals(LOCK_TIMEOUT)) {
      return "locked by another transaction: run it again";
    }
    return state(refused).startsWith(CONFLICT)
        ? CHANGED
        : String.valueOf(refused.getMessage()).lines().findFirst().orElse("refused");
  }

  private static String state(SQLException refused) {
    return Objects.requireNonNullElse(refused.getSQLState(), "");
  }
}
