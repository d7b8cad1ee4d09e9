package dev.skipjack.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement with the values of its parameters. Not thread-safe.
 *
 * @param reader turns each row into a value
 */
record BoundStatement<R>(StatementText text, Arguments arguments, Statement.RowReader<R> reader) {

  private static final String NO_DATA = "02000";

  /**
   * Runs the statement in the transaction that is open on {@code connection}, and restores the
   * settings that it changes.
   */
  List<R> run(Connection connection) throws SQLException {
    return text.isSelfContained()
        ? runAlone(connection, null)
        : run(connection, text.inCallersTransaction());
  }

  /**
   * Runs the statement without settings, in the open transaction or, in auto-commit mode, as its
   * own transaction.
   *
   * @param followUp a query to run in the same round trip, or null for none
   * @throws IllegalStateException if the statement needs settings
   */
  List<R> runAlone(Connection connection, @Nullable FollowUp followUp) throws SQLException {
    requireSelfContained();
    String sql = followUp == null ? text.sql() : text.followedBy(followUp.sql());
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement);
      if (followUp != null) {
        followUp.bind(statement, text.parameters().size());
      }
      statement.execute();
      try (ResultSet result = statement.getResultSet()) {
        return read(result);
      }
    }
  }

  /** Runs a statement without settings in a savepoint of the transaction that is open. */
  List<R> runInSavepoint(Connection connection) throws SQLException {
    requireSelfContained();
    try (PreparedStatement statement = connection.prepareStatement(text.inSavepoint())) {
      bind(statement);
      boolean isOfRows = statement.execute();
      while (!isOfRows && statement.getUpdateCount() != -1) {
        isOfRows = statement.getMoreResults();
      }
      try (ResultSet result = statement.getResultSet()) {
        return read(result);
      }
    }
  }

  private void requireSelfContained() {
    if (!text.isSelfContained()) {
      throw new IllegalStateException("The statement needs settings: " + text.sql());
    }
  }

  /**
   * Runs the statement as the first one of the queue's own transaction, with the settings and the
   * isolation level of {@code preamble}.
   */
  List<R> runFirst(Connection connection, Preamble preamble) throws SQLException {
    return run(connection, text.first(preamble));
  }

  /** Runs the statement in the queue's own transaction, which another statement has begun. */
  List<R> runNext(Connection connection) throws SQLException {
    return run(connection, text.next());
  }

  /**
   * Runs the statement as its own transaction, from BEGIN to COMMIT in one round trip. After an
   * error the session may still be in that transaction.
   *
   * @param connection a connection in auto-commit mode; otherwise the driver would begin a
   *     transaction itself
   */
  List<R> runWhole(Connection connection, Preamble preamble) throws SQLException {
    return run(connection, text.whole(preamble));
  }

  private List<R> run(Connection connection, String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement);
      skipSettings(statement, statement.execute());
      try (ResultSet result = statement.getResultSet()) {
        return read(result);
      }
    }
  }

  private void bind(PreparedStatement statement) throws SQLException {
    List<String> parameters = text.parameters();
    for (int i = 0; i < parameters.size(); i++) {
      arguments.bind(statement, i + 1, parameters.get(i));
    }
  }

  private List<R> read(ResultSet result) throws SQLException {
    List<R> rows = new ArrayList<>();
    Row row = new Row(result, text.columns());
    while (result.next()) {
      rows.add(reader.read(row));
    }
    return rows;
  }

  /** Skips to the second result with rows, because the first one contains the settings. */
  private void skipSettings(PreparedStatement statement, boolean isFirstWithRows)
      throws SQLException {
    boolean hasRows = isFirstWithRows;
    boolean skipped = false;
    while (!hasRows || !skipped) {
      if (hasRows) {
        skipped = true;
      } else if (statement.getUpdateCount() == -1) {
        throw new SQLException("The statement returned no rows: " + text.sql(), NO_DATA);
      }
      hasRows = statement.getMoreResults();
    }
  }
}
