package dev.skipjack.store.jooq.spi;

import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGStatement;
import org.postgresql.util.PSQLException;

/** What only PostgreSQL's own driver can be asked. */
final class PostgresDriver {

  private PostgresDriver() {}

  /**
   * Keeps the driver from preparing the statement on the server once it has run often: an unnamed
   * statement is planned at each run, with its values and the table's size of the moment.
   *
   * @param statement may be wrapped by a pool
   */
  static void neverPrepare(Statement statement) throws SQLException {
    if (statement.isWrapperFor(PGStatement.class)) {
      statement.unwrap(PGStatement.class).setPrepareThreshold(0);
    }
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
    return String.valueOf(failure.getMessage());
  }
}
