package dev.skipjack.testkit;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Starts something once and remembers the result, even a failure: a wrong setting affects all test
 * classes, and detecting it again may take seconds each time. Safe for any number of threads.
 */
final class FirstStart<T> {

  private final Supplier<T> start;
  private @Nullable T started;
  private @Nullable RuntimeException failure;

  FirstStart(Supplier<T> start) {
    this.start = start;
  }

  synchronized T get() {
    if (failure != null) {
      throw failure;
    }
    T current = started;
    if (current == null) {
      try {
        current = start.get();
      } catch (RuntimeException e) {
        failure = e;
        throw e;
      }
      started = current;
    }
    return current;
  }
}
