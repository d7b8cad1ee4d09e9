package dev.skipjack.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * A query that runs after another statement, in the same round trip, in a caller's transaction. Its
 * result is ignored.
 *
 * @param sql a constant text, in which every function, operator and type is qualified
 * @param parameters the parameters, which are strings and numbers
 */
public record FollowUp(String sql, List<Object> parameters) {

  /**
   * @param before the number of parameters of the other statement
   */
  void bind(PreparedStatement statement, int before) throws SQLException {
    for (int i = 0; i < parameters.size(); i++) {
      statement.setObject(before + i + 1, parameters.get(i));
    }
  }
}
