package dev.skipjack.worker;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Claims jobs from the lanes that are known to hold some. A lane that answered short is forgotten
 * until the lanes are listed again, so a lane of jobs that only others can handle hides nothing.
 * Belongs to one thread.
 */
final class Claimer {

  /**
   * How long the list of lanes is trusted while they last: a new, higher one is seen after that.
   */
  private static final long LANES_TRUSTED = Duration.ofMillis(100).toNanos();

  private final JobStore store;
  private final WorkerId worker;
  private final List<String> kinds;
  private final Duration lease;
  private final Map<String, ServedQueue> queues;
  private final List<String> queueNames;
  private final LaneOrder order;
  private final Set<Lane> lanes = new LinkedHashSet<>();
  private long listedAt;

  Claimer(
      JobStore store,
      WorkerId worker,
      List<String> kinds,
      Duration lease,
      Map<String, ServedQueue> queues) {
    this.store = store;
    this.worker = worker;
    this.kinds = kinds;
    this.lease = lease;
    this.queues = queues;
    this.queueNames = List.copyOf(queues.keySet());
    this.order = new LaneOrder(queueNames);
  }

  /**
   * Claims what the first answering lanes hold; empty when no lane holds anything for us.
   *
   * @param room most jobs by queue, each at least 1
   * @param most jobs in all
   */
  List<Attempt> claim(Map<String, Integer> room, int most) {
    if (!expectsMore(room) || System.nanoTime() - listedAt > LANES_TRUSTED) {
      lanes.clear();
      store.dueLanes(queueNames).lanes().forEach(due -> lanes.add(due.lane()));
      listedAt = System.nanoTime();
    }
    for (List<LaneShare> shares = order.arrange(lanes, room);
        !shares.isEmpty();
        shares = order.arrange(lanes, room)) {
      List<Attempt> claimed = claim(shares, limit(shares, room, most));
      if (!claimed.isEmpty()) {
        return claimed;
      }
    }
    return List.of();
  }

  /** Whether a lane of these queues may hold more, as far as is known. */
  boolean expectsMore(Map<String, Integer> room) {
    return lanes.stream().anyMatch(lane -> room.containsKey(lane.queue()));
  }

  private static int limit(List<LaneShare> shares, Map<String, Integer> room, int most) {
    long wanted =
        shares.stream()
            .map(share -> share.lane().queue())
            .distinct()
            .mapToLong(queue -> room.getOrDefault(queue, 0))
            .sum();
    return (int) Math.min(Math.min(wanted, most), ClaimRequest.LARGEST);
  }

  private List<Attempt> claim(List<LaneShare> shares, int limit) {
    long sentAt = System.nanoTime();
    List<ClaimedJob> jobs = store.claim(new ClaimRequest(worker, shares, kinds, limit, lease));
    if (jobs.size() < limit) {
      forgetShort(shares, jobs);
    }
    List<Attempt> attempts = new ArrayList<>(jobs.size());
    for (ClaimedJob job : jobs) {
      ServedQueue queue = queues.get(job.queue());
      if (queue == null) {
        throw new IllegalStateException(
            "Claimed from queue '%s', which was not asked for.".formatted(job.queue()));
      }
      attempts.add(new Attempt(job, queue, lease, sentAt));
    }
    return attempts;
  }

  private void forgetShort(List<LaneShare> shares, List<ClaimedJob> jobs) {
    Map<Lane, Integer> taken = new HashMap<>();
    jobs.forEach(job -> taken.merge(job.lane(), 1, Integer::sum));
    for (LaneShare share : shares) {
      if (taken.getOrDefault(share.lane(), 0) < share.cap()) {
        lanes.remove(share.lane());
      }
    }
  }
}
