package dev.skipjack.api.spi;

import dev.skipjack.api.spi.GroupSearch.Place;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The groups of a lane that have due jobs.
 *
 * @param groups the groups, from the one after {@link GroupSearch#after()} in the order of their
 *     names, without paused groups
 * @param limit the limit that binds the queue; null if none does
 * @param free how many more jobs the limit permits to start now; {@link Integer#MAX_VALUE} if it
 *     has neither a maximum nor a rate over all groups
 * @param locksLimit whether a claim must lock the limit, because it has a number over all groups
 * @param locksGroups whether a claim must lock each group, because the limit has a number for each
 * @param readTo the last name that was read, if there may be more names; otherwise null
 * @param ungroupedTo the last job that was read in the search for one without a group, if there may
 *     be more jobs; otherwise null
 * @param opensIn how long a rate permits no start of the limit, or of the first of its groups that
 *     is held; null if no rate holds jobs
 * @param first the place of the first due job that was read, of any group; null if there was none
 */
public record DueGroups(
    List<DueGroup> groups,
    @Nullable String limit,
    int free,
    boolean locksLimit,
    boolean locksGroups,
    @Nullable String readTo,
    @Nullable Place ungroupedTo,
    @Nullable Duration opensIn,
    @Nullable Place first) {

  /** No groups, because the queue is paused, or is neither fair nor limited. */
  public static final DueGroups NONE =
      new DueGroups(List.of(), null, 0, false, false, null, null, null, null);

  /**
   * Makes a defensive copy of the list.
   *
   * @param groups the groups
   * @param limit the limit
   * @param free how many more jobs the limit permits to start
   * @param locksLimit whether a claim must lock the limit
   * @param locksGroups whether a claim must lock each group
   * @param readTo the last name that was read
   * @param ungroupedTo the last job that was read
   * @param opensIn how long a rate permits no start
   * @param first the place of the first due job
   */
  public DueGroups {
    groups = List.copyOf(groups);
  }

  /**
   * A group with due jobs.
   *
   * @param group the name; null for the jobs without a group
   * @param due how many jobs are due, or a smaller number if there are many
   * @param weight the weight, from 1 to 100
   * @param free how many more jobs the limit permits to start now; {@link Integer#MAX_VALUE} if the
   *     group has neither a maximum nor a rate
   * @param from the place of its first due job; null if the search did not read the first ones
   * @param until the place of the last job found, if it has no group; otherwise null
   */
  public record DueGroup(
      @Nullable String group,
      int due,
      int weight,
      int free,
      @Nullable Place from,
      @Nullable Place until) {}
}
