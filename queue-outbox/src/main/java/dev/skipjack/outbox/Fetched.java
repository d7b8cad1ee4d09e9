package dev.skipjack.outbox;

import dev.skipjack.outbox.FetchStatement.Pending;
import dev.skipjack.outbox.FetchStatement.Retried;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The events of leased shards.
 *
 * @param leases the leases, which all end with this batch
 * @param publishable the events to publish; those of an aggregate in their order
 * @param blocked the events that must wait because their aggregate is blocked
 * @param retried the blocked aggregates whose retry is due
 */
record Fetched(
    List<ShardLease> leases,
    List<RecordedEvent> publishable,
    List<RecordedEvent> blocked,
    Set<Aggregate> retried) {

  /**
   * Divides the events. An aggregate may have become due between the two queries, so its pending
   * events wait even if the first query did not find it blocked.
   */
  static Fetched of(List<ShardLease> leases, List<Pending> pending, List<Retried> retries) {
    Set<Aggregate> retried = new LinkedHashSet<>();
    List<RecordedEvent> publishable = new ArrayList<>();
    for (Retried retry : retries) {
      retried.add(retry.aggregate());
      RecordedEvent event = retry.event();
      if (event != null) {
        publishable.add(event);
      }
    }
    List<RecordedEvent> blocked = new ArrayList<>();
    for (Pending each : pending) {
      boolean isBlocked = each.isBlocked() || retried.contains(each.event().aggregate());
      (isBlocked ? blocked : publishable).add(each.event());
    }
    return new Fetched(leases, publishable, blocked, retried);
  }
}
