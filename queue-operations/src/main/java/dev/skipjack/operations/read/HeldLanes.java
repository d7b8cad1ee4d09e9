package dev.skipjack.operations.read;

import dev.skipjack.api.operations.HeldLane;
import dev.skipjack.api.operations.HeldLane.Cause;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.Rate;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Finds the due jobs that limits and pauses of groups hold, with a few statements in one snapshot.
 */
final class HeldLanes {

  private final OwnTransactions transactions;
  private final Statement<NoRequest, LimitedQueuesStatement.Queue> queues;
  private final Statement<NoRequest, HeldGroupsStatement.Group> groups;
  private final Statement<NoRequest, RatedGroupsStatement.Group> ratedGroups;

  HeldLanes(OwnTransactions transactions, Lazy<DSLContext> dialect) {
    this.transactions = transactions.snapshot();
    this.queues = Statement.lazily(() -> LimitedQueuesStatement.of(dialect.get()));
    this.groups = Statement.lazily(() -> HeldGroupsStatement.of(dialect.get()));
    this.ratedGroups = Statement.lazily(() -> RatedGroupsStatement.of(dialect.get()));
  }

  /** Returns the held jobs, ordered by queue, then by cause, then by group. */
  List<HeldLane> find() {
    return transactions.inOne(
        session -> {
          List<HeldLane> lanes = new ArrayList<>();
          Map<String, @Nullable String> limits = new HashMap<>();
          for (LimitedQueuesStatement.Queue queue : session.run(queues, NoRequest.NONE)) {
            limits.put(queue.queue(), queue.limit());
            addQueue(lanes, queue);
          }
          addGroups(lanes, session.run(groups, NoRequest.NONE), limits);
          session.run(ratedGroups, NoRequest.NONE).forEach(group -> addRated(lanes, group));
          return lanes.stream()
              .filter(lane -> lane.due() > 0)
              .sorted(
                  Comparator.comparing(HeldLane::queue)
                      .thenComparing(HeldLane::cause)
                      .thenComparing(lane -> Objects.requireNonNullElse(lane.group(), "")))
              .toList();
        });
  }

  private static void addQueue(List<HeldLane> lanes, LimitedQueuesStatement.Queue queue) {
    Limit numbers = queue.numbers();
    Instant opensAt = queue.opensAt();
    if (numbers.maxRunning().isPresent() && queue.running() >= numbers.maxRunning().getAsInt()) {
      lanes.add(
          ofQueue(queue, Cause.RUNNING, queue.running(), numbers.maxRunning().getAsInt(), null));
    }
    if (opensAt != null) {
      Integer most =
          numbers.rate().filter(rate -> !rate.isPerGroup()).map(Rate::count).orElse(null);
      lanes.add(ofQueue(queue, Cause.RATE, queue.running(), most, opensAt));
    }
    if (numbers.maxRunningPerGroup().isPresent() && numbers.maxRunningPerGroup().getAsInt() == 0) {
      lanes.add(ofQueue(queue, Cause.RUNNING_OF_GROUP, 0, 0, null));
    }
  }

  private static HeldLane ofQueue(
      LimitedQueuesStatement.Queue queue,
      Cause cause,
      int running,
      @Nullable Integer most,
      @Nullable Instant opensAt) {
    return new HeldLane(
        queue.queue(), null, cause, queue.limit(), running, most, opensAt, queue.due());
  }

  /** Adds groups. If a group is listed twice, its first entry is added. */
  private static void addGroups(
      List<HeldLane> lanes,
      List<HeldGroupsStatement.Group> groups,
      Map<String, @Nullable String> limits) {
    Set<List<String>> seen = new HashSet<>();
    for (HeldGroupsStatement.Group group : groups) {
      // No group has an empty name, so it can represent the jobs without a group.
      List<String> id = List.of(group.queue(), Objects.requireNonNullElse(group.group(), ""));
      if (limits.containsKey(group.queue()) && seen.add(id)) {
        lanes.add(
            new HeldLane(
                group.queue(),
                group.group(),
                group.most() == null ? Cause.GROUP_PAUSED : Cause.RUNNING_OF_GROUP,
                limits.get(group.queue()),
                group.running(),
                group.most(),
                null,
                group.due()));
      }
    }
  }

  private static void addRated(List<HeldLane> lanes, RatedGroupsStatement.Group group) {
    if (group.opensAt() != null) {
      lanes.add(
          new HeldLane(
              group.queue(),
              group.group(),
              Cause.RATE_OF_GROUP,
              group.limit(),
              group.running(),
              group.most(),
              group.opensAt(),
              group.due()));
    }
  }
}
