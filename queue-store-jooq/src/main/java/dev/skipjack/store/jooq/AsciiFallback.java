package dev.skipjack.store.jooq;

import dev.skipjack.api.StoreException;
import dev.skipjack.sql.Statement;
import java.util.List;
import java.util.function.Function;

/**
 * Replaces strings that a database with an encoding other than UTF-8 cannot store. A character in
 * an error message or in a worker's name must not prevent an outcome from being written or a job
 * from being claimed.
 */
final class AsciiFallback {

  /** The SQLSTATE of an untranslatable character. */
  private static final String UNTRANSLATABLE = "22P05";

  private AsciiFallback() {}

  /**
   * Runs {@code statement} with {@code run}. If the database cannot store one of the characters,
   * runs it again with ASCII strings.
   */
  static <Q, R> List<R> run(Statement<Q, R> statement, Function<Statement<Q, R>, List<R>> run) {
    try {
      return run.apply(statement);
    } catch (StoreException refused) {
      if (refused.sqlState().filter(UNTRANSLATABLE::equals).isEmpty()) {
        throw refused;
      }
      return run.apply(statement.ascii());
    }
  }
}
