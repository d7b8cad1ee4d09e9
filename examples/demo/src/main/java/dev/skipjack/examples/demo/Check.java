package dev.skipjack.examples.demo;

import org.jspecify.annotations.Nullable;

/**
 * One thing that must hold at the end, and whether it does.
 *
 * @param name the thing, as a sentence
 * @param violations how often it does not hold
 * @param example one place where it does not; null when it holds
 */
record Check(String name, long violations, @Nullable String example) {

  boolean holds() {
    return violations == 0;
  }
}
