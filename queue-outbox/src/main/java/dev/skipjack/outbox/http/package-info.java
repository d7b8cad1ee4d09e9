/**
 * Publishes the events of an outbox to HTTP endpoints: one POST request for each event, signed as
 * the Standard Webhooks specification describes.
 *
 * <p>{@link dev.skipjack.outbox.http.HttpPublisher} sends the events of an aggregate one after
 * another, and those of different aggregates in parallel. {@link
 * dev.skipjack.outbox.http.HttpEndpoint} is a destination with its secrets.
 */
@NullMarked
package dev.skipjack.outbox.http;

import org.jspecify.annotations.NullMarked;
