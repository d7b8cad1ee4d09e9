package dev.skipjack.worker;

import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.DueLane;
import dev.skipjack.api.spi.DueLanes;
import dev.skipjack.api.spi.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Keeps the lanes of the last listing, updated by the results of later claims. Times are values of
 * {@link System#nanoTime()}. Confined to one thread.
 */
final class KnownLanes {

  /** The state of a lane. */
  static final class Known {

    private final Lane lane;
    private long since;
    private boolean exhausted;
    private boolean hasReturnedJobs;
    private long returnedJobs; // when it last returned jobs

    private Known(Lane lane, long since) {
      this.lane = lane;
      this.since = since;
    }

    Lane lane() {
      return lane;
    }

    /**
     * Returns whether the lane returned fewer jobs than requested and is not expected to have more
     * for now.
     */
    boolean isExhausted() {
      return exhausted;
    }

    /**
     * Returns how long the oldest due job of the lane has waited, according to the latest reads.
     */
    long waited(long now) {
      return now - since;
    }

    private boolean hasReturnedJobs(long after) {
      return hasReturnedJobs && returnedJobs - after > 0;
    }

    private void continues(Known earlier) {
      hasReturnedJobs = earlier.hasReturnedJobs;
      returnedJobs = earlier.returnedJobs;
    }
  }

  private static final Comparator<Known> HIGHEST_FIRST =
      Comparator.comparingInt(known -> -known.lane.priority());

  private final Map<String, List<Known>> byQueue = new HashMap<>();
  private Map<Lane, Known> lanes = new HashMap<>();

  /**
   * Replaces the known lanes with the listed ones.
   *
   * @param keep selects the lanes that are not in the list but remain known, as exhausted lanes
   */
  void list(DueLanes due, Predicate<Lane> keep, long now) {
    Map<Lane, Known> before = lanes;
    lanes = new HashMap<>();
    byQueue.clear();
    for (DueLane listed : due.lanes()) {
      Known known = new Known(listed.lane(), now - nanos(listed.waited()));
      Known earlier = before.get(listed.lane());
      if (earlier != null) {
        known.continues(earlier);
      }
      if (earlier != null && earlier.exhausted) {
        // The oldest job is probably one that only other workers handle, so its wait must not give
        // this lane the reserve.
        known.since = later(known.since, earlier.since);
      }
      add(known);
    }
    for (Known earlier : before.values()) {
      if (!lanes.containsKey(earlier.lane) && keep.test(earlier.lane)) {
        earlier.exhausted = true;
        add(earlier);
      }
    }
    byQueue.values().forEach(queue -> queue.sort(HIGHEST_FIRST));
  }

  private static long nanos(Duration waited) {
    return waited.compareTo(Duration.ofDays(10_000)) < 0
        ? waited.toNanos()
        : Duration.ofDays(10_000).toNanos();
  }

  private static long later(long left, long right) {
    return left - right > 0 ? left : right;
  }

  private void add(Known known) {
    lanes.put(known.lane, known);
    byQueue.computeIfAbsent(known.lane.queue(), queue -> new ArrayList<>(4)).add(known);
  }

  /** Adds lanes that have just received a job. */
  void expect(List<Lane> heard, long now) {
    for (Lane lane : heard) {
      Known known = lanes.get(lane);
      if (known == null) {
        add(new Known(lane, now));
        of(lane.queue()).sort(HIGHEST_FIRST);
      } else {
        known.exhausted = false;
      }
    }
  }

  /**
   * Marks the lanes of these queues that returned jobs after the given time, so that more jobs are
   * expected in them.
   *
   * @return whether any lanes were marked. Returns false, without any effect, if a single claim
   *     cannot read all of these lanes: a claim from several queues reads only one lane of each
   *     queue.
   */
  boolean expectAgain(Set<String> queues, long after) {
    List<Known> found = new ArrayList<>();
    for (String queue : queues) {
      int before = found.size();
      for (Known known : of(queue)) {
        if (known.hasReturnedJobs(after)) {
          found.add(known);
        }
      }
      if (queues.size() > 1 && found.size() > before + 1) {
        return false;
      }
    }
    found.forEach(known -> known.exhausted = false);
    return !found.isEmpty();
  }

  /** Returns the lanes of a queue, highest priority first. */
  List<Known> of(String queue) {
    return byQueue.getOrDefault(queue, List.of());
  }

  /** Returns whether any of the known lanes of these queues may have more jobs. */
  boolean expectMore(Set<String> queues) {
    for (String queue : queues) {
      for (Known known : of(queue)) {
        if (!known.exhausted) {
          return true;
        }
      }
    }
    return false;
  }

  /** Returns whether exactly one of the known lanes of these queues may have more jobs. */
  boolean expectOne(Set<String> queues) {
    int expected = 0;
    for (String queue : queues) {
      for (Known known : of(queue)) {
        expected += known.exhausted ? 0 : 1;
      }
    }
    return expected == 1;
  }

  /** Updates the lanes from a claim that has just returned. */
  void claimed(ClaimAnswer answer, long now) {
    for (int i = 0; i < answer.visited(); i++) {
      Known known = lanes.get(answer.share(i).lane());
      if (known != null) {
        learn(known, answer, i, now);
      }
    }
  }

  private static void learn(Known known, ClaimAnswer answer, int lane, long now) {
    known.exhausted = answer.isShort(lane);
    ClaimedJob last = answer.last(lane);
    if (last != null) {
      known.hasReturnedJobs = true;
      known.returnedJobs = now;
    }
    if (known.exhausted) {
      known.since = now;
    } else if (last != null) {
      long waited = nanos(Duration.between(last.scheduledAt(), last.startedAt()));
      known.since = later(known.since, now - waited);
    }
  }
}
