package dev.skipjack.examples.demo;

import java.util.Optional;

/**
 * A sequence of deliveries. Not safe for several threads unless an implementation states otherwise.
 */
interface DeliverySource extends AutoCloseable {

  /**
   * Returns the next delivery; empty after the last.
   *
   * @throws BadInputException if the input is wrong here; nothing can be read after that
   */
  Optional<Arrival> next();

  /** Whether it can be opened again and then contains the same deliveries. */
  default boolean isRepeatable() {
    return true;
  }

  @Override
  default void close() {}
}
