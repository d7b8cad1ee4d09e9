package dev.skipjack.worker;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimedGroups;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.DueGroups;
import dev.skipjack.api.spi.DueGroups.DueGroup;
import dev.skipjack.api.spi.GroupClaim;
import dev.skipjack.api.spi.GroupClaim.Share;
import dev.skipjack.api.spi.GroupSearch;
import dev.skipjack.api.spi.GroupSearch.Place;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Claims from the lanes of fair and limited queues, whose groups have turns ({@link GroupTurns}).
 *
 * <p>If several searches in a row find no job to claim, the lane rests for twenty times their
 * duration: its searches then do not read further than the first and the newest due jobs.
 *
 * <p>A lane whose due jobs are all held by a limit is searched again when an attempt of a limited
 * queue of this worker has ended, when its rate opens, or at the next poll, because attempts of
 * other workers end too. A lane whose lock another claim held is searched again after a few
 * milliseconds.
 *
 * <p>Times are values of {@link System#nanoTime()}. Used by one thread at a time, except for {@link
 * #permitFreed}.
 */
final class GroupClaims {

  /** The maximum number of searches in one claim, each of which reads {@link GroupTurns#NAMES}. */
  static final int SEARCHES = 8;

  /** The maximum number of groups in a claim, because each may need a lock. */
  private static final int MOST_GROUPS = 64;

  private static final long BUSY = Duration.ofMillis(1).toNanos();
  private static final long LONGEST_BUSY = Duration.ofMillis(20).toNanos();
  private static final long SHORTEST_WAIT = Duration.ofMillis(1).toNanos();

  /** The maximum number of held jobs that are counted in a group. */
  private static final int MOST_COUNTED = 1_000;

  /** A time that is not reached before a permit is freed or the lanes are listed again. */
  private static final long UNTIL_FREED = Duration.ofDays(1).toNanos();

  static final Result NONE = new Result(List.of(), false, 0, false);

  private final JobStore store;
  private final WorkerId worker;
  private final List<String> kinds;
  private final Duration lease;
  private final RandomGenerator random;
  private final LongSupplier clock;
  private final Map<Lane, GroupTurns> turns = new HashMap<>();

  /** When to search a lane again that had no jobs to claim. */
  private final Map<Lane, Long> askAgainAt = new HashMap<>();

  private final Map<Lane, Integer> busyInARow = new HashMap<>();
  private boolean hasHeld;

  /** Whether the end of an attempt may make a claim possible. */
  private volatile boolean wantsPermit = true;

  private volatile boolean permitFreed;

  GroupClaims(
      JobStore store,
      WorkerId worker,
      List<String> kinds,
      Duration lease,
      RandomGenerator random,
      LongSupplier clock) {
    this.store = store;
    this.worker = worker;
    this.kinds = kinds;
    this.lease = lease;
    this.random = random;
    this.clock = clock;
  }

  /**
   * The result of a claim from one lane.
   *
   * @param jobs the claimed jobs
   * @param hasMore whether the lane may have more jobs to claim now
   * @param sentAt the nanoTime before the claim was sent, and after the search; 0 without jobs
   * @param isLimited whether the jobs were claimed under a limit
   */
  record Result(List<ClaimedJob> jobs, boolean hasMore, long sentAt, boolean isLimited) {}

  /**
   * Due jobs that a limit holds.
   *
   * @param group the group that is held; null if the limit holds all groups, or the jobs have none
   * @param jobs how many were found, up to about {@link #MOST_COUNTED} of a group
   */
  record Held(String queue, String limit, @Nullable String group, int jobs) {}

  /**
   * Records that the outcome of an attempt of a limited queue was written.
   *
   * @return whether to claim again
   */
  boolean permitFreed() {
    if (wantsPermit) {
      permitFreed = true;
      return true;
    }
    return false;
  }

  /** Returns the lanes that had no jobs to claim and must be searched again now. */
  List<Lane> askAgain(long now) {
    List<Lane> lanes = new ArrayList<>();
    boolean freed = permitFreed;
    if (freed) {
      permitFreed = false;
    }
    askAgainAt
        .entrySet()
        .removeIf(
            entry -> {
              boolean again = freed || now - entry.getValue() >= 0;
              if (again) {
                lanes.add(entry.getKey());
              }
              return again;
            });
    return lanes;
  }

  /** Returns how long to wait at most until lanes must be searched again. */
  long pause(long now) {
    long pause = Long.MAX_VALUE;
    for (long at : askAgainAt.values()) {
      pause = Math.min(pause, Math.max(at - now, 0));
    }
    return pause;
  }

  /** Forgets the lanes of queues that are neither fair nor limited any more. */
  void keep(Set<String> queues) {
    turns.keySet().removeIf(lane -> !queues.contains(lane.queue()));
    askAgainAt.keySet().removeIf(lane -> !queues.contains(lane.queue()));
    busyInARow.keySet().removeIf(lane -> !queues.contains(lane.queue()));
  }

  /**
   * Claims up to {@code room} jobs of a lane.
   *
   * @param slots how many of them may come from a limited queue, because a handler can begin with
   *     them at once
   */
  Result claim(Lane lane, int room, int slots) {
    return claim(lane, room, slots, store::claimGroups);
  }

  /**
   * Claims one job without its payload, after a claim of it has failed. The turns are still where
   * they were then.
   */
  Result claimWithoutPayload(Lane lane) {
    return claim(lane, 1, 1, store::claimGroupsWithoutPayload);
  }

  private Result claim(
      Lane lane, int room, int slots, Function<GroupClaim, ClaimedGroups> claiming) {
    wantsPermit = true; // before the running jobs are counted, or their ends could be missed
    hasHeld = false;
    Result result = search(lane, room, slots, claiming);
    wantsPermit = hasHeld || !askAgainAt.isEmpty();
    return result;
  }

  private Result search(
      Lane lane, int room, int slots, Function<GroupClaim, ClaimedGroups> claiming) {
    GroupTurns turn = turns.computeIfAbsent(lane, created -> begun(created, room));
    askAgainAt.remove(lane);
    long first = clock.getAsLong();
    if (turn.restLeft(first) > 0) {
      askAgainIn(lane, turn.restLeft(first));
    }
    for (int i = 0; i < SEARCHES; i++) {
      long began = clock.getAsLong();
      DueGroups found = store.dueGroups(turn.search(room, began));
      if (found.opensIn() != null) {
        askAgainIn(lane, nanos(found.opensIn()));
      }
      if (found.free() == 0) {
        held(lane);
        return NONE;
      }
      // A queue that was only fair at the last listing may have a limit now.
      int possible = Math.min(found.limit() == null ? room : Math.min(room, slots), found.free());
      if (possible == 0) {
        return NONE; // the next listing finds the lane again
      }
      boolean isLimited = found.limit() != null;
      long now = clock.getAsLong();
      List<Share> shares = turn.choose(found, possible, MOST_GROUPS, now, now - began);
      if (found.groups().stream().anyMatch(group -> group.free() == 0)) {
        held(lane);
      }
      if (!shares.isEmpty()) {
        long sentAt = System.nanoTime();
        ClaimedGroups claimed;
        try {
          claimed = claiming.apply(request(lane, found, shares, possible));
        } catch (RuntimeException | Error failure) {
          turn.undo();
          throw failure;
        }
        int dealt = shares.stream().mapToInt(Share::cap).sum();
        if (claimed.jobs().size() < dealt && found.limit() != null) {
          held(lane); // a permit may have been taken since the search
        }
        if (claimed.isBusy() || claimed.opensIn() != null) {
          askAgainIn(lane, waitAfter(lane, claimed));
        }
        if (!claimed.jobs().isEmpty() && !claimed.isBusy()) {
          busyInARow.remove(lane);
          return new Result(claimed.jobs(), dealt >= room || turn.hasMore(), sentAt, isLimited);
        }
        if (claimed.isBusy() || claimed.opensIn() != null) {
          return new Result(claimed.jobs(), false, sentAt, isLimited);
        }
        busyInARow.remove(lane);
      }
      if (!turn.hasMore()) {
        return NONE;
      }
    }
    long last = clock.getAsLong();
    turn.rest(last, last - first, LONGEST_BUSY);
    askAgainIn(lane, turn.restLeft(last));
    return NONE;
  }

  /** Returns turns that begin at a random group, so that workers do not all serve the same ones. */
  private GroupTurns begun(Lane lane, int room) {
    GroupTurns turn = new GroupTurns(lane);
    turn.beginAt(store.dueGroups(turn.search(room, clock.getAsLong())), random.nextInt());
    return turn;
  }

  private GroupClaim request(Lane lane, DueGroups found, List<Share> shares, int most) {
    return new GroupClaim(
        worker,
        lane,
        found.limit(),
        found.locksLimit(),
        found.locksGroups(),
        shares,
        kinds,
        most,
        lease);
  }

  /** Searches for the due jobs that limits hold in the lanes that must be asked again. */
  List<Held> held() {
    List<Held> held = new ArrayList<>();
    for (Lane lane : askAgainAt.keySet()) {
      DueGroups found =
          store.dueGroups(
              new GroupSearch(
                  lane, MOST_COUNTED, MOST_COUNTED, GroupTurns.NAMES, "", Place.FIRST, null));
      String limit = found.limit();
      if (limit == null) {
        continue;
      }
      if (found.free() == 0) {
        int due = found.groups().stream().mapToInt(DueGroup::due).sum();
        held.add(new Held(lane.queue(), limit, null, due));
        continue;
      }
      for (DueGroup group : found.groups()) {
        if (group.free() == 0) {
          held.add(new Held(lane.queue(), limit, group.group(), group.due()));
        }
      }
    }
    return held;
  }

  /** Records that a limit holds jobs of the lane. */
  private void held(Lane lane) {
    hasHeld = true;
    askAgainAt.putIfAbsent(lane, clock.getAsLong() + UNTIL_FREED);
  }

  /** Plans the next search of a lane after a duration, unless an earlier one is planned already. */
  private void askAgainIn(Lane lane, long nanos) {
    askAgainAt.merge(
        lane,
        clock.getAsLong() + nanos,
        (planned, wanted) -> wanted - planned < 0 ? wanted : planned);
  }

  /**
   * Returns how long to wait for a rate. A row that was written while the clock was wrong may be
   * centuries ahead.
   */
  private static long nanos(Duration opensIn) {
    return opensIn.toDays() > 0 ? UNTIL_FREED : Math.max(opensIn.toNanos(), SHORTEST_WAIT);
  }

  private long waitAfter(Lane lane, ClaimedGroups claimed) {
    Duration opensIn = claimed.opensIn();
    if (opensIn != null) {
      return nanos(opensIn);
    }
    long wait = Math.min(BUSY * busyInARow.merge(lane, 1, Integer::sum), LONGEST_BUSY);
    return wait / 2 + random.nextLong(wait);
  }
}
