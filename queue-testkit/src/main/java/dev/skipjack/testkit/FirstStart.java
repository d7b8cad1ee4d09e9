package dev.skipjack.testkit;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Starts a resource once and remembers the result. A failure is remembered too, because a wrong
 * setting affects all test classes, and detecting it may take several seconds. Instances are
 * thread-safe.
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
