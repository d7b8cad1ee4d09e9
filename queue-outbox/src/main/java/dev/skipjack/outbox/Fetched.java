package dev.skipjack.outbox;

import dev.skipjack.outbox.FetchStatement.Pending;
import dev.skipjack.outbox.FetchStatement.Retried;
import dev.skipjack.outbox.FetchStatement.Unreadable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The events of leased shards.
 *
 * @param leases the leases of the shards, in the order of the shards
 * @param publishable the events to publish; those of one aggregate are in their order
 * @param blocked the events that must wait because their aggregate is blocked
 * @param retried the blocked aggregates whose retry is due
 * @param unreadable the events that are dead because they are too large to read; none of their
 *     aggregates has a publishable event
 * @param hasMore whether more events are probably waiting in these shards
 */
record Fetched(
    List<ShardLease> leases,
    List<RecordedEvent> publishable,
    List<RecordedEvent> blocked,
    Set<Aggregate> retried,
    List<Unreadable> unreadable,
    boolean hasMore) {

  /**
   * Divides the events. If the second query finds an aggregate whose retry is due, its pending
   * events wait, even if the first query did not find it blocked.
   */
  static Fetched of(
      List<ShardLease> leases, List<Pending> pending, List<Retried> retries, boolean hasMore) {
    Set<Aggregate> retried = new LinkedHashSet<>();
    Sorter sorter = new Sorter();
    for (Retried retry : retries) {
      retried.add(retry.aggregate());
      RecordedEvent event = retry.event();
      if (event != null) {
        sorter.add(event, retry.problem());
      }
    }
    List<RecordedEvent> blocked = new ArrayList<>();
    for (Pending each : pending) {
      if (each.isBlocked() || retried.contains(each.event().aggregate())) {
        blocked.add(each.event());
      } else {
        sorter.add(each.event(), each.problem());
      }
    }
    return new Fetched(leases, sorter.publishable, blocked, retried, sorter.unreadable, hasMore);
  }

  /**
   * Stops an aggregate before an event that cannot be read. If that event is the first of its
   * aggregate, it becomes dead. Otherwise it is left for another batch, as all later events are.
   */
  private static final class Sorter {

    private final List<RecordedEvent> publishable = new ArrayList<>();
    private final List<Unreadable> unreadable = new ArrayList<>();
    private final Set<Aggregate> begun = new HashSet<>();
    private final Set<Aggregate> ended = new HashSet<>();

    void add(RecordedEvent event, @Nullable String problem) {
      Aggregate aggregate = event.aggregate();
      if (ended.contains(aggregate)) {
        return;
      }
      if (problem == null) {
        begun.add(aggregate);
        publishable.add(event);
        return;
      }
      ended.add(aggregate);
      if (!begun.contains(aggregate)) {
        unreadable.add(new Unreadable(event, problem));
      }
    }
  }
}
