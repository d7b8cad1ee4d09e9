package dev.skipjack.store.jooq.spi;

import dev.skipjack.store.jooq.spi.HotStatement.RowReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Runs statements in one open transaction. Belongs to one thread, and to that transaction. */
public final class Session {

  private final Connection connection;
  private String preamble;

  Session(Connection connection, String preamble) {
    this.connection = connection;
    this.preamble = preamble;
  }

  /** In a caller's transaction, as it is. */
  public static Session in(Connection transaction) {
    return new Session(transaction, "");
  }

  /**
   * Runs one statement.
   *
   * @return what {@code reader} made of each row
   */
  public <R> List<R> run(HotStatement statement, Arguments arguments, RowReader<R> reader)
      throws SQLException {
    String first = preamble;
    preamble = "";
    return statement.run(connection, first, arguments, reader);
  }
}
