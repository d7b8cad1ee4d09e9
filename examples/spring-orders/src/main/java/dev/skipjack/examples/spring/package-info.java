/**
 * A shop with Spring Boot: orders are entities, a request enqueues a job in its transaction, and
 * handlers charge the card, send the confirmation and write a daily report.
 *
 * <p>{@link dev.skipjack.examples.spring.OrderService} enqueues, and {@link
 * dev.skipjack.examples.spring.Payments} handles. Everything else is the same without Skipjack.
 */
@NullMarked
package dev.skipjack.examples.spring;

import org.jspecify.annotations.NullMarked;
