package dev.skipjack.store.jooq.internal.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jooq.DSLContext;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.VisitContext;
import org.jooq.VisitListener;
import org.jspecify.annotations.Nullable;

/**
 * A statement that the DSL wrote and that runs as constant text: rendering costs more than many of
 * these statements take to run, and PostgreSQL plans a text that changes anew each time.
 *
 * <p>A plan that was cached while a table was empty is a sequential scan and stays cached when
 * 200,000 rows arrive; and left to itself PostgreSQL may plan a statement anew at each run, which
 * costs more than to run it. So every way of running one switches sequential scans off and generic
 * plans on for the statement, in the same flight (docs/adr/0007). Each also looks nowhere but in
 * {@code pg_catalog} for functions, operators and types: a better match elsewhere in a {@code
 * search_path} would run in the role of whoever runs the statement (docs/adr/0017).
 *
 * <p>Parameters have names; one name may stand in several places. Immutable and safe for any number
 * of threads.
 */
public final class StatementText {

  /** Remembers the caller's settings. */
  private static final String BORROW =
      "SELECT "
          + Settings.borrow("search_path", Settings.SEARCH_PATH)
          + ", "
          + Settings.borrow("enable_seqscan", "off")
          + ", "
          + Settings.borrow("plan_cache_mode", "force_generic_plan")
          + "; ";

  /** Not needed after an error: that takes the settings back with the rest of the transaction. */
  private static final String GIVE_BACK =
      "; SELECT "
          + Settings.giveBack("enable_seqscan")
          + ", "
          + Settings.giveBack("plan_cache_mode")
          + ", "
          + Settings.giveBack("search_path");

  private static final String COMMIT = "; COMMIT";

  private final Supplier<Rendered> rendering;
  private volatile @Nullable Rendered rendered;

  /**
   * The whole texts, joined once: the driver knows a text again sooner if it is the same object.
   */
  private volatile @Nullable String borrowing;

  private volatile @Nullable String next;
  private final Map<Preamble, String> first = new ConcurrentHashMap<>();
  private final Map<Preamble, String> whole = new ConcurrentHashMap<>();

  private StatementText(Supplier<Rendered> rendering) {
    this.rendering = rendering;
  }

  private record Rendered(String sql, List<String> parameters, ResultColumns columns) {}

  /**
   * The text of a query as {@code dsl} is configured. The query is made and rendered when it is
   * first needed: a process that has just started would otherwise spend seconds on statements that
   * it may never run.
   *
   * @param query its only bind values are those made by {@link org.jooq.impl.DSL#param(String,
   *     Class)}
   */
  public static StatementText of(DSLContext dsl, Supplier<? extends ResultQuery<?>> query) {
    return new StatementText(() -> rendered(dsl, query.get()));
  }

  /** As {@link #of}, of a query that is there. */
  public static StatementText render(DSLContext dsl, ResultQuery<?> query) {
    return of(dsl, () -> query);
  }

  private static Rendered rendered(DSLContext dsl, ResultQuery<?> query) {
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
    return new Rendered(sql, List.copyOf(parameters), new ResultColumns(query));
  }

  private Rendered rendered() {
    Rendered done = rendered;
    if (done == null) {
      synchronized (this) {
        done = rendered;
        if (done == null) {
          done = rendering.get();
          rendered = done;
        }
      }
    }
    return done;
  }

  /** The text, with a question mark for each parameter. */
  public String sql() {
    return rendered().sql();
  }

  /** Names of the parameters in the order of their question marks. */
  public List<String> parameters() {
    return rendered().parameters();
  }

  ResultColumns columns() {
    return rendered().columns();
  }

  /**
   * Runs it in whatever transaction {@code connection} is in, whose planner settings are as before
   * when it returns.
   *
   * @return what {@code reader} made of each row
   */
  public <R> List<R> run(Connection connection, Arguments arguments, RowReader<R> reader)
      throws SQLException {
    String text = borrowing;
    if (text == null) {
      text = BORROW + sql() + GIVE_BACK;
      borrowing = text;
    }
    return run(connection, text, 1, arguments, reader);
  }

  /** Runs it as the first statement of a transaction of our own, which becomes READ COMMITTED. */
  <R> List<R> runFirst(
      Connection connection, Preamble preamble, Arguments arguments, RowReader<R> reader)
      throws SQLException {
    String text = first.computeIfAbsent(preamble, own -> own.first() + sql() + Settings.AFTER);
    return run(connection, text, 1, arguments, reader);
  }

  /**
   * Runs it as a transaction of our own that is READ COMMITTED, from BEGIN to COMMIT in one flight.
   * After an error the session may be in that transaction still.
   *
   * @param connection in auto-commit mode, or the driver would begin a transaction itself
   */
  <R> List<R> runWhole(
      Connection connection, Preamble preamble, Arguments arguments, RowReader<R> reader)
      throws SQLException {
    String text = whole.computeIfAbsent(preamble, own -> own.whole() + sql() + COMMIT);
    return run(connection, text, 1, arguments, reader);
  }

  /**
   * Runs it in a transaction of our own that another statement has begun.
   *
   * @return what {@code reader} made of each row
   */
  <R> List<R> runNext(Connection connection, Arguments arguments, RowReader<R> reader)
      throws SQLException {
    String text = next;
    if (text == null) {
      text = Settings.NEXT + sql() + Settings.AFTER;
      next = text;
    }
    return run(connection, text, 1, arguments, reader);
  }

  /**
   * @param skipped how many results with rows come before the statement's own
   */
  private <R> List<R> run(
      Connection connection, String text, int skipped, Arguments arguments, RowReader<R> reader)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      List<String> parameters = parameters();
      for (int i = 0; i < parameters.size(); i++) {
        arguments.bind(statement, i + 1, parameters.get(i));
      }
      boolean hasRows = statement.execute();
      int left = skipped;
      while (!hasRows || left > 0) {
        if (hasRows) {
          left--;
        } else if (statement.getUpdateCount() == -1) {
          throw new SQLException("The statement answered no rows: " + sql());
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
