package dev.skipjack.outbox;

import java.util.List;
import java.util.UUID;

/**
 * Records events in the caller's transaction. They are published after it has committed, and never
 * if it is rolled back.
 *
 * <p>Events of an aggregate are published in the order in which they were recorded. If two
 * transactions record events of the same aggregate concurrently, that order is meaningful only if
 * one of them waits for the other, for example because both update the aggregate's row first.
 *
 * <p>Arguments are checked before any SQL is sent, so the transaction remains usable after an event
 * has been rejected.
 */
public interface EventRecorder {

  /**
   * Records an event.
   *
   * @param event the event
   * @return the id of the event
   * @throws dev.skipjack.api.PayloadException if the codec cannot encode the payload
   * @throws IllegalArgumentException if the payload is larger than {@link Event#LARGEST_PAYLOAD}
   */
  default UUID record(Event event) {
    return recordAll(List.of(event)).get(0);
  }

  /**
   * Records several events in the given order.
   *
   * @param events the events
   * @return the ids of the events, in the given order
   * @throws dev.skipjack.api.PayloadException if the codec cannot encode a payload; in that case,
   *     no event is recorded
   * @throws IllegalArgumentException if a payload is larger than {@link Event#LARGEST_PAYLOAD}; in
   *     that case, no event is recorded
   */
  List<UUID> recordAll(List<Event> events);
}
