package dev.skipjack.api.spi;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a search for the groups of a lane that have due jobs. Each part of the search
 * is bounded, whatever the number of groups and the number of their jobs.
 *
 * @param lane the lane of a fair or limited queue
 * @param jobs how many of the first due jobs to read. If there are fewer due jobs, the search finds
 *     all groups
 * @param depth how many due jobs to count at most in a group that is not among those
 * @param names how many names of groups to read beyond those, in the order of their bytes
 * @param after the name after which to read; empty to begin with the first. After the last name,
 *     the search continues with the first
 * @param ungroupedAfter the job after which to search for a due job without a group, if there is
 *     none among the first; null to search only among the first
 * @param from the place before which no due job is read; null to read all. An earlier search found
 *     none there, except perhaps dead index entries. A job that appears there later is found only
 *     by a search that reads all
 */
public record GroupSearch(
    Lane lane,
    int jobs,
    int depth,
    int names,
    String after,
    @Nullable Place ungroupedAfter,
    @Nullable Place from) {

  /**
   * A position in the order of due times.
   *
   * @param scheduledAt the due time of a job
   * @param id its id
   */
  public record Place(Instant scheduledAt, long id) {

    /** The position before all jobs. */
    public static final Place FIRST = new Place(Instant.MIN, 0);
  }

  /**
   * Creates a search.
   *
   * @param lane the lane
   * @param jobs how many of the first due jobs to read
   * @param depth how many due jobs to count in each other group
   * @param names how many names to read
   * @param after the name after which to read
   * @param ungroupedAfter the job after which to search for one without a group
   * @param from the place before which no due job is read
   * @throws IllegalArgumentException if {@code jobs} or {@code depth} is less than 1, or {@code
   *     names} is negative
   */
  public GroupSearch {
    if (jobs < 1 || depth < 1 || names < 0) {
      throw new IllegalArgumentException(
          "A search for groups has jobs %d, depth %d and names %d; use at least 1, 1 and 0."
              .formatted(jobs, depth, names));
    }
  }
}
