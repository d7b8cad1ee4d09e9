package dev.skipjack.store.jooq;

import dev.skipjack.api.StoreException;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import java.util.function.Function;

/**
 * Keeps what can be kept of texts in a database that is not UTF-8. Why an attempt failed, or what a
 * worker is called, must not keep an outcome from being written or a job from being claimed.
 */
final class AsciiFallback {

  /** Untranslatable character. */
  private static final String UNTRANSLATABLE = "22P05";

  private AsciiFallback() {}

  /** Runs {@code statement} with the arguments, and once more with ASCII texts if it must be. */
  static <R> R run(Arguments arguments, Function<Arguments, R> statement) {
    try {
      return statement.apply(arguments);
    } catch (StoreException refused) {
      if (refused.sqlState().filter(UNTRANSLATABLE::equals).isEmpty()) {
        throw refused;
      }
      return statement.apply(arguments.ascii());
    }
  }
}
