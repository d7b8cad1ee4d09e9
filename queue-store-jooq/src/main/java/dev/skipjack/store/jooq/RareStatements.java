package dev.skipjack.store.jooq;

import static org.jooq.impl.DSL.val;

import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.LimitLock;
import dev.skipjack.sql.OwnTransactions;
import java.sql.SQLException;
import java.util.function.Function;
import org.jooq.DSLContext;
import org.jooq.exception.DataAccessException;

/** Runs statements that are rendered at each call, because they rarely run. */
final class RareStatements {

  private final OwnTransactions transactions;
  private final Lazy<DSLContext> dialect;

  /**
   * @param dialect renders statements for the queue's schema, without a connection
   */
  RareStatements(OwnTransactions transactions, Lazy<DSLContext> dialect) {
    this.transactions = transactions;
    this.dialect = dialect;
  }

  /**
   * Runs statements that change a limit in one transaction. Waits for the claims that have begun,
   * so that later claims count what these start.
   */
  <R> R runLocked(String limit, Function<DSLContext, R> statements) {
    return run(
        dsl -> {
          lock(dsl, limit);
          return statements.apply(dsl);
        });
  }

  /** Takes the lock of a limit until the transaction ends. */
  static void lock(DSLContext dsl, String limit) {
    dsl.select(LimitLock.taken(val(limit))).execute();
  }

  /** Runs statements in one transaction. */
  <R> R run(Function<DSLContext, R> statements) {
    return transactions.onConnection(
        connection -> {
          try {
            return statements.apply(dialect.get().configuration().derive(connection).dsl());
          } catch (DataAccessException failure) {
            SQLException cause = failure.getCause(SQLException.class);
            if (cause == null) {
              throw failure;
            }
            throw cause;
          }
        });
  }
}
