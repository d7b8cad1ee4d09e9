/**
 * An order service. One job charges an order, and another reminds the customer of it.
 *
 * <p>The tables of the service and of the queue are in one database, in separate schemas with
 * separate Flyway histories. Start with {@link dev.skipjack.examples.orders.Orders}.
 */
@NullMarked
package dev.skipjack.examples.orders;

import org.jspecify.annotations.NullMarked;
