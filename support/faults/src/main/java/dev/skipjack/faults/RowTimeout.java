package dev.skipjack.faults;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;

/**
 * Aborts each statement that changes more rows of a table than allowed, with the error of a {@code
 * statement_timeout}. Unlike a timeout, this does not depend on the speed of the machine. Ends when
 * it is closed.
 */
public final class RowTimeout implements AutoCloseable {

  private final DataSource database;
  private final String schema;
  private final String table;

  private RowTimeout(DataSource database, String schema, String table) {
    this.database = database;
    this.schema = "\"" + schema.replace("\"", "\"\"") + "\".";
    this.table = this.schema + table;
  }

  /**
   * Begins to abort statements that insert, update or delete more than {@code rows} rows of the
   * table. A schema can have one at a time.
   *
   * @param rows the maximum number of rows that a statement may change
   * @param database connections of a user that may create functions and triggers
   * @param schema the schema of the table, without quotes
   * @param table the name of the table
   * @return the fault, which ends when it is closed
   * @throws SQLException if the function or a trigger cannot be created
   */
  public static RowTimeout over(int rows, DataSource database, String schema, String table)
      throws SQLException {
    RowTimeout timeout = new RowTimeout(database, schema, table);
    timeout.begin(rows);
    return timeout;
  }

  private void begin(int rows) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE SEQUENCE %srow_timeouts".formatted(schema));
      statement.execute(
          """
          CREATE FUNCTION %1$srow_timeout() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            IF (SELECT count(*) FROM changed) > %2$d THEN
              PERFORM nextval('%1$srow_timeouts');
              RAISE 'canceling statement due to statement timeout' USING ERRCODE = 'query_canceled';
            END IF;
            RETURN NULL;
          END $$
          """
              .formatted(schema, rows));
      for (String event : List.of("INSERT", "UPDATE", "DELETE")) {
        statement.execute(
            """
            CREATE TRIGGER row_timeout_of_%1$s AFTER %1$s ON %2$s
              REFERENCING %3$s TABLE AS changed
              FOR EACH STATEMENT EXECUTE FUNCTION %4$srow_timeout()
            """
                .formatted(event, table, event.equals("DELETE") ? "OLD" : "NEW", schema));
      }
    }
  }

  /**
   * {@return the number of statements that were aborted so far}
   *
   * @throws SQLException if the number cannot be read
   */
  public long aborted() throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM %srow_timeouts"
                    .formatted(schema))) {
      row.next();
      return row.getLong(1);
    }
  }

  @Override
  public void close() throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP FUNCTION %srow_timeout() CASCADE".formatted(schema));
      statement.execute("DROP SEQUENCE %srow_timeouts".formatted(schema));
    }
  }
}
