/**
 * The demo: a service that receives webhooks. {@link dev.skipjack.demo.Demo} runs it; the {@code
 * skipjack demo} command is its command line.
 *
 * <p>A {@link dev.skipjack.demo.DeliverySource} yields deliveries, some of which are sent twice, as
 * by real senders. A {@code DeliverySender} stores each delivery and enqueues its job in the same
 * transaction. The {@code WebhookHandler} counts the delivery and completes the job in one
 * transaction. A {@code Fate} makes some jobs fail. At the end the {@code Verification} reads the
 * whole database and checks that every delivery had exactly its expected effect.
 *
 * <p>As in a real application, the demo's own tables are in a separate schema and have separate
 * migrations.
 */
@NullMarked
package dev.skipjack.demo;

import org.jspecify.annotations.NullMarked;
