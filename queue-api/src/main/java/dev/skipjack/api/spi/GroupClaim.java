package dev.skipjack.api.spi;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.GroupSearch.Place;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a claim from one lane of a fair or limited queue.
 *
 * @param worker the worker that claims the jobs
 * @param lane the lane
 * @param limit the limit that binds the queue, as {@link DueGroups} named it; null if none does
 * @param locksLimit whether to lock the limit
 * @param locksGroups whether to lock the groups
 * @param shares how many jobs to claim from which groups, in the order in which to serve them
 * @param kinds the kinds of jobs to claim
 * @param most the maximum number of jobs, from 1 to 1,000
 * @param lease how long the claim remains valid without renewal
 */
public record GroupClaim(
    WorkerId worker,
    Lane lane,
    @Nullable String limit,
    boolean locksLimit,
    boolean locksGroups,
    List<Share> shares,
    List<String> kinds,
    int most,
    Duration lease) {

  /**
   * The part of a claim that applies to one group.
   *
   * @param group the group; null for the jobs without a group
   * @param cap the maximum number of jobs, at least 1
   * @param weight how many jobs the group has in each round of turns, at least 1
   * @param from the place before which no due job is read, because the search found none there;
   *     null to read all. The index entries of jobs that have left the queue are before it
   * @param until the last place that is read, for jobs without a group; null for other jobs
   */
  public record Share(
      @Nullable String group, int cap, int weight, @Nullable Place from, @Nullable Place until) {}

  /**
   * Creates a request, with defensive copies of the lists.
   *
   * @param worker the worker
   * @param lane the lane
   * @param limit the limit
   * @param locksLimit whether to lock the limit
   * @param locksGroups whether to lock the groups
   * @param shares the shares of the groups
   * @param kinds the kinds that the worker handles
   * @param most the maximum number of jobs
   * @param lease how long the lease stays valid without renewal
   * @throws IllegalArgumentException if {@code most} or the lease is out of range, or a group has
   *     two shares. Both would see the same free permits
   */
  public GroupClaim {
    shares = List.copyOf(shares);
    kinds = List.copyOf(kinds);
    if (most < 1 || most > ClaimRequest.LARGEST) {
      throw new IllegalArgumentException(
          "Claim limit %d is not in 1..%d.".formatted(most, ClaimRequest.LARGEST));
    }
    ClaimRequest.requireLease(lease);
    Set<@Nullable String> groups = new HashSet<>();
    for (Share share : shares) {
      if (!groups.add(share.group())) {
        throw new IllegalArgumentException("Group '%s' has two shares.".formatted(share.group()));
      }
    }
  }

  /**
   * {@return this request, limited to at most {@code most} jobs}
   *
   * @param most the maximum number
   */
  public GroupClaim atMost(int most) {
    return new GroupClaim(
        worker,
        lane,
        limit,
        locksLimit,
        locksGroups,
        shares,
        kinds,
        Math.min(most, this.most),
        lease);
  }

  /**
   * {@return this request without the shares of other groups}
   *
   * @param shares the shares to keep
   */
  public GroupClaim withShares(List<Share> shares) {
    return new GroupClaim(worker, lane, limit, locksLimit, locksGroups, shares, kinds, most, lease);
  }
}
