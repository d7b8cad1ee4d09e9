package dev.skipjack.dashboard;

import java.time.Instant;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The result of a query that may have failed. If it has, the last result is shown with its age.
 *
 * @param value the result; null if there is none
 * @param asOf when it was read; null if there is none
 * @param problem why there is no newer result; null if there is one
 */
record Panel<T>(@Nullable T value, @Nullable Instant asOf, @Nullable String problem) {

  /** Returns a panel with a value that is computed from this one's. */
  <R> Panel<R> map(Function<T, R> change) {
    return new Panel<>(value == null ? null : change.apply(value), asOf, problem);
  }

  /** Returns the value, or another one if there is none. */
  T or(T otherwise) {
    return value == null ? otherwise : value;
  }

  boolean isMissing() {
    return value == null;
  }
}
