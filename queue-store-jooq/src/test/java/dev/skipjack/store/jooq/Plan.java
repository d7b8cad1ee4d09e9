package dev.skipjack.store.jooq;

import static java.util.stream.Collectors.joining;

import dev.skipjack.sql.StatementText;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Returns the plans that PostgreSQL makes for prepared statements as the store runs them. */
public final class Plan {

  private Plan() {}

  private static final Pattern BUFFERS =
      Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

  /** The plan of a statement that ran, and the number of pages that it accessed. */
  public record Run(String plan, long pages) {}

  /**
   * Plans {@code statement} and rolls back.
   *
   * @param mode {@code force_generic_plan} or {@code force_custom_plan}
   * @param literals an SQL literal for each question mark
   */
  public static String of(
      Connection connection, StatementText statement, String mode, List<String> literals)
      throws SQLException {
    return explain("EXPLAIN", connection, statement, mode, literals, "off");
  }

  /**
   * Plans a statement that runs without settings, like {@link #of}, with sequential scans allowed.
   */
  public static String withoutSettings(
      Connection connection, StatementText statement, String mode, List<String> literals)
      throws SQLException {
    return explain("EXPLAIN", connection, statement, mode, literals, "on");
  }

  /** Like {@link #of}, but also runs the statement before the rollback. */
  public static Run ran(
      Connection connection, StatementText statement, String mode, List<String> literals)
      throws SQLException {
    String plan =
        explain("EXPLAIN (ANALYZE, BUFFERS)", connection, statement, mode, literals, "off");
    Matcher total = BUFFERS.matcher(plan);
    if (!total.find()) {
      throw new AssertionError("No buffers in " + plan);
    }
    return new Run(plan, number(total.group(1)) + number(total.group(2)));
  }

  private static long number(@Nullable String digits) {
    return digits == null ? 0 : Long.parseLong(digits);
  }

  private static String explain(
      String explain,
      Connection connection,
      StatementText statement,
      String mode,
      List<String> literals,
      String sequentialScans)
      throws SQLException {
    connection.setAutoCommit(false);
    try (Statement sql = connection.createStatement()) {
      sql.execute("SET LOCAL enable_seqscan = " + sequentialScans);
      sql.execute("SET LOCAL plan_cache_mode = " + mode);
      sql.execute("PREPARE planned AS " + numbered(statement.sql()));
      StringBuilder plan = new StringBuilder();
      try (ResultSet lines = sql.executeQuery(explain + " EXECUTE planned" + arguments(literals))) {
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

  /** Returns the list of arguments, which PostgreSQL does not allow to be empty. */
  private static String arguments(List<String> literals) {
    return literals.isEmpty() ? "" : literals.stream().collect(joining(", ", " (", ")"));
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
