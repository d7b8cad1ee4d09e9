package dev.skipjack.store.jooq.spi;

import dev.skipjack.store.jooq.spi.HotStatement.RowReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Runs statements in one open transaction. Belongs to one thread, and to that transaction. */
public final class Session {

  private final Connection connection;
  private final boolean own;
  private final boolean readOnly;
  private boolean begun;

  private Session(Connection connection, boolean own, boolean readOnly) {
    this.connection = connection;
    this.own = own;
    this.readOnly = readOnly;
  }

  /** In a transaction of our own that has not begun. */
  static Session own(Connection connection, boolean readOnly) {
    return new Session(connection, true, readOnly);
  }

  /** In a caller's transaction, whose settings stay as they are. */
  public static Session in(Connection transaction) {
    return new Session(transaction, false, false);
  }

  /**
   * Runs one statement.
   *
   * @return what {@code reader} made of each row
   */
  public <R> List<R> run(HotStatement statement, Arguments arguments, RowReader<R> reader)
      throws SQLException {
    return own
        ? runOwn(statement, arguments, reader)
        : statement.run(connection, arguments, reader);
  }

  /** Runs one statement that looks up nothing in a table that may be large. */
  public <R> List<R> runWithoutLookUp(
      HotStatement statement, Arguments arguments, RowReader<R> reader) throws SQLException {
    return own
        ? runOwn(statement, arguments, reader)
        : statement.runAsItIs(connection, arguments, reader);
  }

  private <R> List<R> runOwn(HotStatement statement, Arguments arguments, RowReader<R> reader)
      throws SQLException {
    if (begun) {
      return statement.runAsItIs(connection, arguments, reader);
    }
    begun = true;
    return statement.runFirst(connection, readOnly, arguments, reader);
  }
}
