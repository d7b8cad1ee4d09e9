package dev.skipjack.skiplocked;

import java.sql.Connection;
import java.sql.Savepoint;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DataSourceConnectionProvider;

/** Checks that the caller's connection is usable for a claim, and rolls back failed claims. */
final class CallersTransaction {

  /**
   * The SQLSTATEs for a savepoint whose transaction has ended. 25P01: no transaction is open.
   * 3B001: another transaction is open.
   */
  private static final Set<String> NO_SAVEPOINT = Set.of("25P01", "3B001");

  private CallersTransaction() {}

  static void checkDialect(DSLContext db) {
    if (db.family() != SQLDialect.POSTGRES) {
      throw new IllegalArgumentException(
          "The DSLContext must have the dialect POSTGRES, not %s.".formatted(db.dialect()));
    }
  }

  static void requireOpen(DSLContext db) {
    if (!isOpen(db)) {
      throw new IllegalStateException(
          "Rows are locked until the transaction ends, but the connection is in auto-commit mode."
              + " Call this within a transaction.");
    }
  }

  /**
   * Checks, after a statement that locked or changed rows, that its transaction is still open. A
   * pool whose connections have auto-commit off rolls back work outside of a transaction when a
   * connection is returned. Only the server can report that no transaction is open.
   */
  static void requireKept(DSLContext db) {
    if (db.configuration().connectionProvider() instanceof DataSourceConnectionProvider
        && isOpen(db)
        && db.fetchValue("select pg_catalog.pg_current_xact_id_if_assigned()::text") == null) {
      throw notKept();
    }
  }

  private static IllegalStateException notKept() {
    return new IllegalStateException(
        "The connections of the pool have auto-commit off, and no transaction is open, so the pool"
            + " has rolled back what this call did. Call it within a transaction, or turn"
            + " auto-commit on in the pool.");
  }

  private static boolean isOpen(DSLContext db) {
    return !db.connectionResult(Connection::getAutoCommit);
  }

  /**
   * Runs {@code claim}, and rolls back everything that it did, including its row locks, if it fails
   * or {@code keep} rejects its result. Uses a savepoint if a transaction is open, and its own
   * transaction otherwise.
   */
  static <T> T atomically(DSLContext db, Function<DSLContext, T> claim, Predicate<T> keep) {
    return isOpen(db)
        ? withSavepoint(db, claim, keep)
        : db.transactionResult(opened -> withSavepoint(opened.dsl(), claim, keep));
  }

  private static <T> T withSavepoint(
      DSLContext db, Function<DSLContext, T> claim, Predicate<T> keep) {
    Savepoint savepoint = db.connectionResult(Connection::setSavepoint);
    T result;
    try {
      result = claim.apply(db);
    } catch (RuntimeException failure) {
      try {
        db.connection(connection -> connection.rollback(savepoint));
      } catch (RuntimeException second) {
        failure.addSuppressed(second);
      }
      throw failure;
    }
    try {
      db.connection(
          connection -> {
            if (!keep.test(result)) {
              connection.rollback(savepoint);
            }
            connection.releaseSavepoint(savepoint);
          });
    } catch (DataAccessException failure) {
      if (NO_SAVEPOINT.contains(failure.sqlState())) {
        IllegalStateException notKept = notKept();
        notKept.initCause(failure);
        throw notKept;
      }
      throw failure;
    }
    return result;
  }
}
