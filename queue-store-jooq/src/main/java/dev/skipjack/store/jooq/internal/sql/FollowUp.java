package dev.skipjack.store.jooq.internal.sql;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * A query that runs once, in the round trip and the transaction of another statement and after it.
 * Belongs to one thread.
 */
public final class FollowUp {

  private final String sql;
  private final List<Object> parameters;
  private boolean hasResult;

  /**
   * @param sql a constant, in which every function, operator and type is qualified
   * @param parameters texts and numbers
   */
  public FollowUp(String sql, List<Object> parameters) {
    this.sql = sql;
    this.parameters = List.copyOf(parameters);
  }

  /** Returns whether it has run and returned a row. */
  public boolean hasResult() {
    return hasResult;
  }

  String sql() {
    return sql;
  }

  /**
   * @param before the number of parameters of the other statement
   */
  void bind(PreparedStatement statement, int before) throws SQLException {
    for (int i = 0; i < parameters.size(); i++) {
      statement.setObject(before + i + 1, parameters.get(i));
    }
  }

  /** Reads its result, which follows that of the other statement. */
  void read(PreparedStatement statement) throws SQLException {
    if (statement.getMoreResults()) {
      try (ResultSet result = statement.getResultSet()) {
        hasResult = result.next();
      }
    }
  }
}
