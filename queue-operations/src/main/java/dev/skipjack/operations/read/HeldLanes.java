package dev.skipjack.operations.read;

import dev.skipjack.api.operations.HeldLane;
import dev.skipjack.api.operations.HeldLane.Cause;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** Finds what limits and pauses of groups hold back, with a few statements in one snapshot. */
final class HeldLanes {

  private final OwnTransactions transactions;
  private final Statement<NoRequest, LimitedQueuesStatement.Queue> queues;
  private final Statement<NoRequest, HeldGroupsStatement.Group> groups;

  HeldLanes(OwnTransactions transactions, Lazy<DSLContext> dialect) {
    this.transactions = transactions.snapshot();
    this.queues = Statement.lazily(() -> LimitedQueuesStatement.of(dialect.get()));
    this.groups = Statement.lazily(() -> HeldGroupsStatement.of(dialect.get()));
  }

  /** Returns the held jobs, ordered by queue, then by cause, then by group. */
  List<HeldLane> find() {
    return transactions.inOne(
        session -> lanes(session.run(queues, NoRequest.NONE), session.run(groups, NoRequest.NONE)));
  }

  private static List<HeldLane> lanes(
      List<LimitedQueuesStatement.Queue> queues, List<HeldGroupsStatement.Group> groups) {
    List<HeldLane> lanes = new ArrayList<>();
    Map<String, @Nullable String> limits = new HashMap<>();
    for (LimitedQueuesStatement.Queue queue : queues) {
      limits.put(queue.queue(), queue.limit());
      queue
          .numbers()
          .maxRunning()
          .ifPresent(
              most -> {
                if (queue.running() >= most) {
                  lanes.add(ofQueue(queue, Cause.RUNNING, queue.running(), most));
                }
              });
      queue
          .numbers()
          .maxRunningPerGroup()
          .ifPresent(
              most -> {
                if (most == 0) {
                  lanes.add(ofQueue(queue, Cause.RUNNING_OF_GROUP, 0, most));
                }
              });
    }
    Set<List<@Nullable String>> seen = new HashSet<>();
    for (HeldGroupsStatement.Group group : groups) {
      List<@Nullable String> id = new ArrayList<>();
      id.add(group.queue());
      id.add(group.group());
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
    return lanes.stream()
        .filter(lane -> lane.due() > 0)
        .sorted(
            Comparator.comparing(HeldLane::queue)
                .thenComparing(HeldLane::cause)
                .thenComparing(lane -> lane.group() == null ? "" : lane.group()))
        .toList();
  }

  private static HeldLane ofQueue(
      LimitedQueuesStatement.Queue queue, Cause cause, int running, int most) {
    return new HeldLane(
        queue.queue(), null, cause, queue.limit(), running, most, null, queue.due());
  }
}
