package dev.skipjack.spring;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outbox, as the actuator endpoint shows it. Does not refer to the classes of {@code
 * queue-outbox}, which are optional.
 *
 * @param unpublished the number of events that are not published and not dead, at most 10,000
 * @param oldestSeconds the longest time that an event has waited although a relay may publish it
 * @param blockedAggregates the number of aggregates whose events wait, because one of them failed
 *     or was postponed
 * @param dead the number of dead events, including skipped ones, at most 10,000
 * @param relays the relays that took the latest lease of a shard
 * @param blocked the aggregates that have been blocked longest
 * @param deadEvents the events that became dead first
 */
record OutboxReport(
    long unpublished,
    double oldestSeconds,
    long blockedAggregates,
    long dead,
    List<RelayRow> relays,
    List<BlockedRow> blocked,
    List<DeadRow> deadEvents) {

  /** Reads the outbox. */
  @FunctionalInterface
  interface Source {
    /**
     * Returns the report.
     *
     * @param limit the maximum length of each list
     */
    OutboxReport report(int limit);
  }

  record RelayRow(String name, Instant lastLeasedAt, int leasedShards) {}

  record BlockedRow(String aggregate, Instant blockedAt, @Nullable Instant retryAt) {}

  record DeadRow(
      String id, String aggregate, String type, Instant diedAt, int failures, String reason) {}
}
