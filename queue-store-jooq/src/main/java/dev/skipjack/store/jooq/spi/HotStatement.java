package dev.skipjack.store.jooq.spi;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.VisitContext;
import org.jooq.VisitListener;

/**
 * A statement that the DSL wrote and that runs as constant text: rendering costs more than many of
 * these statements take to run, and PostgreSQL plans a text that changes anew each time.
 *
 * <p>Parameters have names; one name may stand in several places. Immutable and safe for any number
 * of threads.
 */
public final class HotStatement {

  private final String sql;
  private final List<String> parameters;
  private final boolean plannedEachTime;

  private HotStatement(String sql, List<String> parameters, boolean plannedEachTime) {
    this.sql = sql;
    this.parameters = parameters;
    this.plannedEachTime = plannedEachTime;
  }

  /**
   * Renders {@code query} as {@code dsl} is configured.
   *
   * @param query its only bind values are those made by {@link org.jooq.impl.DSL#param(String,
   *     Class)}
   */
  public static HotStatement render(DSLContext dsl, ResultQuery<?> query) {
    List<String> parameters = new ArrayList<>();
    VisitListener collector =
        new VisitListener() {
          @Override
          public void visitStart(VisitContext context) {
            if (context.renderContext() != null
                && context.queryPart() instanceof Param<?> param
                && !param.isInline()) {
              parameters.add(param.getParamName());
            }
          }
        };
    String sql = dsl.configuration().deriveAppending(collector).dsl().render(query);
    return new HotStatement(sql, List.copyOf(parameters), false);
  }

  /**
   * This, planned anew at each run. For statements in a caller's transaction that look rows up:
   * {@code enable_seqscan} is the caller's there, and a plan kept from when the table was empty
   * would read all of it.
   */
  public HotStatement plannedEachTime() {
    return new HotStatement(sql, parameters, true);
  }

  /** The text, with a question mark for each parameter. */
  public String sql() {
    return sql;
  }

  /** Names of the parameters in the order of their question marks. */
  public List<String> parameters() {
    return parameters;
  }

  /**
   * Runs it in whatever transaction {@code connection} is in.
   *
   * @return what {@code reader} made of each row
   */
  public <R> List<R> run(Connection connection, Arguments arguments, RowReader<R> reader)
      throws SQLException {
    return run(connection, "", arguments, reader);
  }

  /**
   * Runs it behind other statements that answer nothing, all in one flight.
   *
   * @param preamble statements without parameters, each ended by a semicolon; may be empty
   * @return what {@code reader} made of each row
   */
  public <R> List<R> run(
      Connection connection, String preamble, Arguments arguments, RowReader<R> reader)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(preamble + sql)) {
      if (plannedEachTime) {
        PostgresDriver.neverPrepare(statement);
      }
      for (int i = 0; i < parameters.size(); i++) {
        arguments.bind(statement, i + 1, parameters.get(i));
      }
      boolean hasRows = statement.execute();
      while (!hasRows) {
        if (statement.getUpdateCount() == -1) {
          throw new SQLException("The statement answered no rows: " + sql);
        }
        hasRows = statement.getMoreResults();
      }
      List<R> rows = new ArrayList<>();
      try (ResultSet result = statement.getResultSet()) {
        while (result.next()) {
          rows.add(reader.read(result));
        }
      }
      return rows;
    }
  }

  /** Turns the row a result stands on into a value. */
  @FunctionalInterface
  public interface RowReader<R> {
    /** The value of the current row. */
    R read(ResultSet row) throws SQLException;
  }
}
