package dev.skipjack.store.jooq;

import dev.skipjack.store.jooq.spi.HotStatement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;

/** The plan that PostgreSQL makes for a prepared statement, as the store runs it. */
final class Plan {

  private Plan() {}

  /**
   * Plans {@code statement} and rolls back.
   *
   * @param mode {@code force_generic_plan} or {@code force_custom_plan}
   * @param literals an SQL literal for each question mark
   */
  static String of(
      Connection connection, HotStatement statement, String mode, List<String> literals)
      throws SQLException {
    return explain(connection, "", statement, mode, literals);
  }

  /** As {@link #of}, but runs it before the roll back, and counts rows and pages. */
  static String executed(
      Connection connection, HotStatement statement, String mode, List<String> literals)
      throws SQLException {
    return explain(connection, "(ANALYZE, BUFFERS) ", statement, mode, literals);
  }

  private static String explain(
      Connection connection,
      String options,
      HotStatement statement,
      String mode,
      List<String> literals)
      throws SQLException {
    connection.setAutoCommit(false);
    try (Statement sql = connection.createStatement()) {
      sql.execute("SET LOCAL enable_seqscan = off");
      sql.execute("SET LOCAL plan_cache_mode = " + mode);
      sql.execute("PREPARE planned AS " + numbered(statement.sql()));
      StringBuilder plan = new StringBuilder();
      try (ResultSet lines =
          sql.executeQuery(
              literals.stream()
                  .collect(
                      Collectors.joining(", ", "EXPLAIN " + options + "EXECUTE planned (", ")")))) {
        while (lines.next()) {
          plan.append(lines.getString(1)).append('\n');
        }
      }
      sql.execute("DEALLOCATE planned");
      return plan.toString();
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  private static String numbered(String sql) {
    StringBuilder numbered = new StringBuilder();
    int parameter = 0;
    for (int i = 0; i < sql.length(); i++) {
      char c = sql.charAt(i);
      if (c == '?') {
        numbered.append('$').append(++parameter);
      } else {
        numbered.append(c);
      }
    }
    return numbered.toString();
  }
}
