package dev.skipjack.testkit;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Starts something once and remembers what came of it, a failure too: what a setting has broken for
 * one test class is broken for all, and to find out may take seconds each time. Safe for any number
 * of threads.
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
