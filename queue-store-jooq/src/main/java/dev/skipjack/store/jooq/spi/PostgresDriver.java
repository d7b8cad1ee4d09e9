package dev.skipjack.store.jooq.spi;

import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGStatement;

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
}
