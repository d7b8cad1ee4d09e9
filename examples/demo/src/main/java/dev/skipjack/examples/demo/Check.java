package dev.skipjack.examples.demo;

import org.jspecify.annotations.Nullable;

/**
 * A condition that must hold at the end, and its result.
 *
 * @param name the condition, as a sentence
 * @param violations how often it is violated
 * @param example one violation; null if there is none
 */
record Check(String name, long violations, @Nullable String example) {

  boolean holds() {
    return violations == 0;
  }
}
