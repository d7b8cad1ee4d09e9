package dev.skipjack.worker;

import dev.skipjack.api.spi.DueGroups;
import dev.skipjack.api.spi.DueGroups.DueGroup;
import dev.skipjack.api.spi.GroupClaim.Share;
import dev.skipjack.api.spi.GroupSearch;
import dev.skipjack.api.spi.GroupSearch.Place;
import dev.skipjack.api.spi.Lane;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Serves the groups of one lane in turn, in the order of their names. In each round, a group gets
 * as many jobs as its weight. If a group cannot use its turn, because it has fewer due jobs or its
 * limit is used up, the other groups get the rest in the same claim.
 *
 * <p>A turn that does not fit into a claim continues in the next one. So the shares of a worker are
 * exact over a round, however small its claims are. Groups are found by a {@link GroupSearch},
 * which reads a bounded number of names; the next search continues where the turns have ended. If a
 * search reads only names of groups without jobs to claim, the next one waits for twenty times its
 * duration, so that many such groups do not slow down the others.
 *
 * <p>If a search is slow, for example because an open transaction keeps dead index entries, the
 * next ones begin at the first due job that it found, and read no names. A search that reads all
 * follows after twenty times its duration, or at once if one that does not finds no job. Until
 * then, a job that is due earlier waits, and so does a group whose jobs are neither among the first
 * nor the newest due jobs.
 *
 * <p>Times are values of {@link System#nanoTime()}. Confined to one thread.
 */
final class GroupTurns {

  /** The maximum number of names that one search reads. */
  static final int NAMES = 64;

  /** The number of due jobs that a search reads for each job that is wanted. */
  private static final int JOBS_BY_ROOM = 4;

  private static final int MOST_JOBS = 1_000;
  private static final int WAIT_BY_DURATION = 20;

  /** The shortest duration of a slow search, in nanoseconds. */
  private static final long SLOW = Duration.ofMillis(50).toNanos();

  private final Lane lane;

  /** The group that had the last full turn. The next turn is that of the group after it. */
  private String after = "";

  /** The group whose turn has not ended. */
  private @Nullable String unfinished;

  private int left; // the rest of that turn

  /** Where the turns were before the last choice. */
  private Turn beforeChoice = new Turn("", null, 0);

  private Place ungroupedAfter = Place.FIRST;
  private long nextNamesAt;
  private boolean waitsForNames;
  private long restsUntil;

  /** Where searches begin until {@link #readsAllAt}; null if they read all. */
  private @Nullable Place low;

  private long readsAllAt;
  private boolean rests;
  private boolean hasMore;

  GroupTurns(Lane lane) {
    this.lane = lane;
  }

  private record Turn(String after, @Nullable String unfinished, int left) {}

  /** Takes back the turns of the last choice, because its claim failed. */
  void undo() {
    after = beforeChoice.after();
    unfinished = beforeChoice.unfinished();
    left = beforeChoice.left();
  }

  /** Returns the search for groups that have {@code room} jobs. */
  GroupSearch search(int room, long now) {
    rests = rests && now - restsUntil < 0;
    if (low != null && now - readsAllAt >= 0) {
      low = null;
    }
    boolean skipsNames = rests || low != null || (waitsForNames && now - nextNamesAt < 0);
    int names = skipsNames ? 0 : NAMES;
    int jobs = Math.min(JOBS_BY_ROOM * room, MOST_JOBS);
    return new GroupSearch(lane, jobs, room, names, after, rests ? null : ungroupedAfter, low);
  }

  /**
   * Makes searches read only the first and the newest due jobs for a while, because several
   * searches have found no job to claim.
   *
   * @param nanos the duration of those searches
   * @param atLeast the minimum duration of the rest
   */
  void rest(long now, long nanos, long atLeast) {
    rests = true;
    restsUntil = now + Math.max(WAIT_BY_DURATION * nanos, atLeast);
  }

  /** Returns how long searches rest; 0 if they do not. */
  long restLeft(long now) {
    return rests ? Math.max(restsUntil - now, 0) : 0;
  }

  /**
   * Returns whether the last search did not read all groups, so that another one may find more of
   * them at once.
   */
  boolean hasMore() {
    return hasMore;
  }

  /**
   * Begins at a group that was found, so that workers which start together do not all serve the
   * same groups.
   *
   * @param chosen a random number
   */
  void beginAt(DueGroups found, int chosen) {
    if (!found.groups().isEmpty()) {
      after = name(found.groups().get(Math.floorMod(chosen, found.groups().size())));
    }
  }

  /**
   * Returns the shares of a claim, in the order in which the groups have their turns.
   *
   * @param found the result of the last search
   * @param nanos the duration of the search
   * @param room the maximum number of jobs in total
   * @param most the maximum number of shares
   */
  List<Share> choose(DueGroups found, int room, int most, long now, long nanos) {
    List<DueGroup> groups = new ArrayList<>(found.groups().size());
    for (DueGroup group : found.groups()) {
      if (group.free() > 0 && groups.size() < most) {
        groups.add(group);
      }
    }
    beforeChoice = new Turn(after, unfinished, left);
    int window = window(groups, found.readTo());
    noteSearch(found, window, now, nanos);
    int[] caps = new int[groups.size()];
    int end = deal(groups, room, caps);
    String readTo = found.readTo();
    if (readTo != null && (end < 0 || end >= window)) {
      after = readTo; // all groups whose names were read have had a turn
      unfinished = null;
    }
    List<Share> shares = new ArrayList<>(caps.length);
    for (int i = 0; i < caps.length; i++) {
      DueGroup group = groups.get(i);
      if (caps[i] > 0) {
        shares.add(new Share(group.group(), caps[i], group.weight(), group.from(), group.until()));
      }
    }
    return shares;
  }

  /** Returns how many of the groups are among the names that the search read. */
  private int window(List<DueGroup> groups, @Nullable String readTo) {
    if (readTo == null) {
      return groups.size();
    }
    int window = 0;
    while (window < groups.size() && isUpTo(name(groups.get(window)), readTo)) {
      window++;
    }
    return window;
  }

  /** Returns whether a name comes no later than {@code readTo}, counted from the last turn. */
  private boolean isUpTo(String name, String readTo) {
    boolean again = compare(name, after) <= 0;
    boolean readAgain = compare(readTo, after) <= 0;
    return again == readAgain ? compare(name, readTo) <= 0 : readAgain;
  }

  private void noteSearch(DueGroups found, int window, long now, long nanos) {
    hasMore = found.readTo() != null || found.ungroupedTo() != null;
    noteFirst(found, now, nanos);
    if (found.readTo() != null) {
      waitsForNames = window == 0;
      nextNamesAt = now + WAIT_BY_DURATION * nanos;
    }
    boolean isUngroupedFound = found.groups().stream().anyMatch(group -> group.group() == null);
    if (!isUngroupedFound && !rests) {
      ungroupedAfter = found.ungroupedTo() == null ? Place.FIRST : found.ungroupedTo();
    }
  }

  private void noteFirst(DueGroups found, long now, long nanos) {
    boolean readAll = low == null;
    if (readAll && nanos >= SLOW) {
      readsAllAt = now + WAIT_BY_DURATION * nanos;
    }
    hasMore |= !readAll && found.first() == null;
    low = !readAll || nanos >= SLOW ? found.first() : null;
  }

  /**
   * Distributes the room in rounds.
   *
   * @return the number of turns that ended or began in the first round before the room was used up,
   *     or -1 if that took more than one round or room is left
   */
  private int deal(List<DueGroup> groups, int room, int[] caps) {
    int rest = room;
    String before = after;
    String continued = unfinished;
    int continuedLeft = left;
    unfinished = null;
    for (boolean first = true; ; first = false) {
      boolean dealt = false;
      for (int i = 0; i < caps.length; i++) {
        DueGroup group = groups.get(i);
        String name = name(group);
        boolean continues = first && i == 0 && name.equals(continued);
        int turn = continues ? continuedLeft : group.weight();
        int possible = Math.min(turn, Math.min(group.due(), group.free()) - caps[i]);
        int given = Math.min(possible, rest);
        caps[i] += given;
        rest -= given;
        dealt |= given > 0;
        if (rest == 0) {
          endAt(name, before, given < possible ? turn - given : 0);
          return first ? i : -1;
        }
        before = name;
      }
      if (!dealt) {
        after = before;
        return -1;
      }
    }
  }

  /** Records where the turns have ended. */
  private void endAt(String group, String before, int rest) {
    after = rest > 0 ? before : group;
    unfinished = rest > 0 ? group : null;
    left = rest;
  }

  /** Returns the name by which a group has its turn. Jobs without a group have the first one. */
  private static String name(DueGroup group) {
    String name = group.group();
    return name == null ? "" : name;
  }

  /** Compares names in the order of the database, which is that of their bytes in UTF-8. */
  private static int compare(String left, String right) {
    return Arrays.compareUnsigned(
        left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
  }
}
