package dev.skipjack.demo;

import java.util.Optional;

/**
 * A sequence of deliveries. Not safe for several threads unless an implementation states otherwise.
 */
interface DeliverySource extends AutoCloseable {

  /**
   * Returns the next delivery, or empty after the last one.
   *
   * @throws BadInputException if the input is invalid at this position; nothing can be read after
   *     that
   */
  Optional<Arrival> next();

  /** Returns whether the source can be opened again with the same deliveries. */
  default boolean isRepeatable() {
    return true;
  }

  @Override
  default void close() {}
}
