/**
 * Publishes the events of an outbox to Kafka.
 *
 * <p>{@link dev.skipjack.outbox.kafka.KafkaPublisher} sends an event after the previous one of its
 * aggregate was acknowledged, and the events of different aggregates in parallel. The key of a
 * record is the id of the aggregate, so the events of an aggregate are in one partition, in their
 * order.
 */
@NullMarked
package dev.skipjack.outbox.kafka;

import org.jspecify.annotations.NullMarked;
