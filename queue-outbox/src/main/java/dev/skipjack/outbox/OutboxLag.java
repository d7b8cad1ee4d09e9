package dev.skipjack.outbox;

import java.time.Duration;

/**
 * The lag of the relays.
 *
 * @param unpublished the number of events that are not published and not dead; at most {@link
 *     #COUNTED}
 * @param oldest the longest wait of an event that a relay may publish now, since it was recorded or
 *     its retry was due; zero if there is none
 * @param blockedAggregates the number of aggregates whose events wait, because one of them failed
 *     or was postponed
 * @param dead the number of dead events, including skipped ones, at most {@link #COUNTED}
 */
public record OutboxLag(long unpublished, Duration oldest, long blockedAggregates, long dead) {

  /** The number up to which events are counted. */
  public static final long COUNTED = 10_000;
}
