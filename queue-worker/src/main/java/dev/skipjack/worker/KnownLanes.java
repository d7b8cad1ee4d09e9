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
 * The lanes that were listed, and what claims told of them since. Times are of {@link
 * System#nanoTime()}. Belongs to one thread.
 */
final class KnownLanes {

  /** A lane, and what is believed of it. */
  static final class Known {

    private final Lane lane;
    private long since;
    private boolean exhausted;

    private Known(Lane lane, long since) {
      this.lane = lane;
      this.since = since;
    }

    Lane lane() {
      return lane;
    }

    /** It gave less than it was asked for, so nothing more is expected of it for now. */
    boolean isExhausted() {
      return exhausted;
    }

    /** How long its oldest due job has waited, as far as is known. */
    long waited(long now) {
      return now - since;
    }
  }

  private static final Comparator<Known> HIGHEST_FIRST =
      Comparator.comparingInt(known -> -known.lane.priority());

  private final Map<String, List<Known>> byQueue = new HashMap<>();
  private Map<Lane, Known> lanes = new HashMap<>();

  /**
   * Replaces what is known by what was listed.
   *
   * @param keep which lanes to keep all the same, as exhausted
   */
  void list(DueLanes due, Predicate<Lane> keep, long now) {
    Map<Lane, Known> before = lanes;
    lanes = new HashMap<>();
    byQueue.clear();
    for (DueLane listed : due.lanes()) {
      Known known = new Known(listed.lane(), now - nanos(listed.waited()));
      Known earlier = before.get(listed.lane());
      if (earlier != null && earlier.exhausted) {
        // Had it something for us, it would not be exhausted: its oldest job is of a kind that
        // others
        // handle, or came later. Without this it would take the reserve of lanes that do.
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

  /** Learns of lanes that have got a job just now. */
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

  /** The lanes of a queue, highest priority first. */
  List<Known> of(String queue) {
    return byQueue.getOrDefault(queue, List.of());
  }

  /** Whether a lane of these queues may hold more, as far as is known. */
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

  /** Learns from a claim that has just been answered. */
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
    if (known.exhausted) {
      known.since = now;
    } else if (last != null) {
      long waited = nanos(Duration.between(last.scheduledAt(), last.startedAt()));
      known.since = later(known.since, now - waited);
    }
  }
}
