package dev.skipjack.store.jooq.spi;

import java.sql.SQLException;
import org.postgresql.util.PSQLException;

/** What only PostgreSQL's own driver can be asked. */
final class PostgresDriver {

  private PostgresDriver() {}

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
