package dev.skipjack.benchmarks;

import dev.skipjack.benchmarks.Recording.Sent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * The floor: one connection that is never given back, the same statements and values in the same
 * number of round trips and with none of the store's settings, every column of every row read.
 */
final class BareJdbc {

  private final Connection connection;

  BareJdbc(Connection connection) {
    this.connection = connection;
  }

  /** Sends the statements, each in a transaction of its own; answers the columns read. */
  long send(List<Sent> statements) throws SQLException {
    long columns = 0;
    for (Sent sent : statements) {
      connection.setAutoCommit(sent.isWhole());
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
      if (!sent.isWhole()) {
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
