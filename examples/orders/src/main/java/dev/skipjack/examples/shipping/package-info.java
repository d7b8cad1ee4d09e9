/**
 * Orders and shipments: two services with a database each, connected by the outbox, Kafka and the
 * inbox.
 *
 * <p>{@link dev.skipjack.examples.shipping.Shop} records an event in each transaction that changes
 * an order. A relay sends the events to Kafka. {@link dev.skipjack.examples.shipping.Shipping}
 * consumes them and uses the inbox, so that each has its effect once. {@link
 * dev.skipjack.examples.shipping.OrdersExample} runs all of this, with a relay that crashes.
 */
@NullMarked
package dev.skipjack.examples.shipping;

import org.jspecify.annotations.NullMarked;
