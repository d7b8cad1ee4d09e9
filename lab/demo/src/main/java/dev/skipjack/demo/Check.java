package dev.skipjack.demo;

import org.jspecify.annotations.Nullable;

/**
 * A condition that must hold at the end, and its result.
 *
 * @param name a sentence that states the condition
 * @param violations the number of violations
 * @param example one of the violations; null if there is none
 */
record Check(String name, long violations, @Nullable String example) {

  boolean holds() {
    return violations == 0;
  }
}
