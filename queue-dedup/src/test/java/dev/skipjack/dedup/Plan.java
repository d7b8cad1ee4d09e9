package dev.skipjack.dedup;

import dev.skipjack.sql.StatementText;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Determines PostgreSQL's plan for a statement, with the planner settings of the store. */
final class Plan {

  private Plan() {}

  /**
   * Returns the plan of {@code statement} for one row of nulls, and rolls back.
   *
   * @param mode {@code force_generic_plan} or {@code force_custom_plan}
   */
  static String of(Connection connection, StatementText statement, String mode)
      throws SQLException {
    connection.setAutoCommit(false);
    try (Statement sql = connection.createStatement()) {
      sql.execute("SET LOCAL enable_seqscan = off");
      sql.execute("SET LOCAL plan_cache_mode = " + mode);
      sql.execute("PREPARE planned AS " + numbered(statement.sql()));
      StringBuilder plan = new StringBuilder();
      // '{NULL}' is an array of one null. A statement for a single job has plain parameters, for
      // which '1' is valid as a text and as a number.
      String one = statement.parameters().contains("queue") ? "'1'" : "'{NULL}'";
      String values = String.join(", ", Collections.nCopies(statement.parameters().size(), one));
      try (ResultSet lines = sql.executeQuery("EXPLAIN EXECUTE planned (" + values + ")")) {
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
    int[] parameter = {0};
    return Pattern.compile("\\?")
        .matcher(sql)
        .replaceAll(found -> Matcher.quoteReplacement("$" + ++parameter[0]));
  }
}
