package dev.skipjack.examples.demo;

import java.util.Optional;

/** Deliveries one after another. Not safe for several threads unless an implementation says so. */
interface DeliverySource extends AutoCloseable {

  /**
   * The next delivery; empty after the last.
   *
   * @throws BadInputException if the input is wrong here; nothing can be read after that
   */
  Optional<Arrival> next();

  /** Whether it can be opened a second time and then holds the same. */
  default boolean isRepeatable() {
    return true;
  }

  @Override
  default void close() {}
}
