/**
 * An order service: orders are placed, charged by a job, and reminded of by another.
 *
 * <p>Its tables and the queue's lie in one database, in a schema each, each with a Flyway history
 * of its own. Start with {@link dev.skipjack.examples.orders.Orders}.
 */
@NullMarked
package dev.skipjack.examples.orders;

import org.jspecify.annotations.NullMarked;
