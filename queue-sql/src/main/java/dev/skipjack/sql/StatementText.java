package dev.skipjack.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jooq.DSLContext;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.VisitContext;
import org.jooq.VisitListener;
import org.jspecify.annotations.Nullable;

/**
 * The constant text of a statement that was rendered by the DSL. It is kept because rendering takes
 * longer than running many of these statements, and because PostgreSQL plans every new text again.
 *
 * <p>A plan that was cached while a table was empty is a sequential scan, and stays cached when
 * 200,000 rows arrive. By default, PostgreSQL may also plan a statement each time it runs, which
 * costs more than running it. Unless a statement is {@linkplain Statement#selfContained
 * self-contained}, each way of running it therefore disables sequential scans and requires generic
 * plans for it, in the same round trip (docs/adr/0007). It also restricts the search for functions,
 * operators and types to {@code pg_catalog}. A better match elsewhere in a {@code search_path}
 * would run with the privileges of the current role (docs/adr/0017).
 *
 * <p>Parameters have names, and a name may occur several times. Immutable and safe for any number
 * of threads.
 */
public final class StatementText {

  /** Saves the caller's settings. */
  private static final String BORROW =
      "SELECT "
          + Settings.borrow("search_path", Settings.SEARCH_PATH)
          + ", "
          + Settings.borrow("enable_seqscan", "off")
          + ", "
          + Settings.borrow("plan_cache_mode", "force_generic_plan")
          + "; ";

  /**
   * Restores the caller's settings. It is not needed after an error, which rolls the settings back
   * with the rest of the transaction.
   */
  private static final String GIVE_BACK =
      "; SELECT "
          + Settings.giveBack("enable_seqscan")
          + ", "
          + Settings.giveBack("plan_cache_mode")
          + ", "
          + Settings.giveBack("search_path");

  private static final String COMMIT = "; COMMIT";

  private static final String SAVEPOINT = "SAVEPOINT skipjack";

  private static final String RELEASE = "; RELEASE SAVEPOINT skipjack";

  /** Restores the transaction after {@link #inSavepoint} was rejected. */
  static final String ROLL_BACK_TO_SAVEPOINT = "ROLLBACK TO " + SAVEPOINT + RELEASE;

  private final String sql;
  private final List<String> parameters;
  private final ResultColumns columns;
  private final boolean selfContained;

  /**
   * The text combined with the settings. They are combined only once, because the driver recognizes
   * a text faster if it is the same object.
   */
  private volatile @Nullable String borrowing;

  private volatile @Nullable String next;
  private volatile @Nullable String guarded;
  private final Map<String, String> followed = new ConcurrentHashMap<>();
  private final Map<Preamble, String> first = new ConcurrentHashMap<>();
  private final Map<Preamble, String> whole = new ConcurrentHashMap<>();

  /**
   * Renders a query with the configuration of {@code dsl}.
   *
   * @param query the query, whose only bind values were created by {@link
   *     org.jooq.impl.DSL#param(String, Class)}
   * @param selfContained whether the text is {@linkplain Statement#selfContained self-contained}
   */
  StatementText(DSLContext dsl, ResultQuery<?> query, boolean selfContained) {
    this.selfContained = selfContained;
    List<String> names = new ArrayList<>();
    VisitListener collector =
        new VisitListener() {
          @Override
          public void visitStart(VisitContext context) {
            if (context.renderContext() != null
                && context.queryPart() instanceof Param<?> param
                && !param.isInline()) {
              names.add(param.getParamName());
            }
          }
        };
    this.sql = dsl.configuration().deriveAppending(collector).dsl().render(query);
    this.parameters = List.copyOf(names);
    this.columns = new ResultColumns(query);
  }

  /** {@return the text, with a question mark for each parameter} */
  public String sql() {
    return sql;
  }

  /** {@return the names of the parameters in the order of their question marks} */
  public List<String> parameters() {
    return parameters;
  }

  boolean isSelfContained() {
    return selfContained;
  }

  ResultColumns columns() {
    return columns;
  }

  /** Returns the text to run in a caller's transaction, whose settings it restores. */
  String inCallersTransaction() {
    String text = borrowing;
    if (text == null) {
      text = BORROW + sql + GIVE_BACK;
      borrowing = text;
    }
    return text;
  }

  /** Returns the text to run in a savepoint of a caller's transaction. */
  String inSavepoint() {
    String text = guarded;
    if (text == null) {
      text = SAVEPOINT + "; " + sql + RELEASE;
      guarded = text;
    }
    return text;
  }

  /** Returns the text to run together with a constant text that follows it. */
  String followedBy(String next) {
    return followed.computeIfAbsent(next, text -> sql + "; " + text);
  }

  /** Returns the text to run as the first statement of the queue's own transaction. */
  String first(Preamble preamble) {
    return first.computeIfAbsent(preamble, own -> own.first() + sql + Settings.AFTER);
  }

  /** Returns the text to run as a later statement of the queue's own transaction. */
  String next() {
    String text = next;
    if (text == null) {
      text = Settings.NEXT + sql + Settings.AFTER;
      next = text;
    }
    return text;
  }

  /** Returns the text to run as its own transaction, from BEGIN to COMMIT. */
  String whole(Preamble preamble) {
    return whole.computeIfAbsent(preamble, own -> own.whole() + sql + COMMIT);
  }
}
