/**
 * The demo: a service that receives webhooks. {@link dev.skipjack.demo.Demo} runs it; the {@code
 * skipjack demo} command is its command line.
 *
 * <p>A {@code Sender} stores each {@code Delivery} and enqueues its job in the same transaction;
 * some are sent twice, as real senders do. The {@code WebhookHandler} records the delivery's effect
 * and completes the job in one transaction. A {@code Fate} makes some jobs fail. At the end the
 * {@code Verification} reads the whole database and checks that every delivery had exactly its
 * expected effect.
 */
@NullMarked
package dev.skipjack.demo;

import org.jspecify.annotations.NullMarked;
