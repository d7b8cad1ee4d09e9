package dev.skipjack.benchmarks;

import dev.skipjack.benchmarks.Recording.Sent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * The floor of {@link StatementOverhead}: sends the store's statements, with the same values and
 * the same number of round trips, on a single connection outside all pools. It omits the store's
 * settings, and reads every column of every row.
 */
final class BareJdbc {

  private final Connection connection;

  BareJdbc(Connection connection) {
    this.connection = connection;
  }

  /** Sends each statement in its own transaction, and returns the number of non-null values. */
  long send(List<Sent> statements) throws SQLException {
    long columns = 0;
    for (Sent sent : statements) {
      connection.setAutoCommit(sent.isTransaction());
      try (PreparedStatement statement = connection.prepareStatement(sent.sql())) {
        for (int i = 0; i < sent.binds().size(); i++) {
          sent.binds().get(i).on(statement, i + 1);
        }
        boolean hasRows = statement.execute();
        while (hasRows || statement.getUpdateCount() != -1) {
          if (hasRows) {
            columns += read(statement.getResultSet());
          }
          hasRows = statement.getMoreResults();
        }
      }
      if (!sent.isTransaction()) {
        connection.commit();
      }
    }
    return columns;
  }

  private static long read(ResultSet rows) throws SQLException {
    long columns = 0;
    int width = rows.getMetaData().getColumnCount();
    while (rows.next()) {
      for (int column = 1; column <= width; column++) {
        if (rows.getString(column) != null) {
          columns++;
        }
      }
    }
    return columns;
  }
}
