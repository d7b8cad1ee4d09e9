package dev.skipjack.store.jooq;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedGroups;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.DueGroups;
import dev.skipjack.api.spi.GroupClaim;
import dev.skipjack.api.spi.GroupSearch;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Claims from fair and limited queues as a worker does, but takes as many jobs of each group as it
 * can. Used by one thread.
 */
public final class LimitClaims {

  private static final int NAMES = 64;

  private final JobStore store;
  private final WorkerId worker;
  private String cursor = "";
  private GroupSearch.Place ungrouped = GroupSearch.Place.FIRST;

  public LimitClaims(JobStore store, String worker) {
    this.store = store;
    this.worker = WorkerId.boot(worker);
  }

  public JobStore store() {
    return store;
  }

  /** Claims up to {@code room} jobs of a queue with priority 0. */
  public List<ClaimedJob> claim(String queue, int room, Duration lease) {
    GroupClaim request = request(new Lane(queue, 0), room, lease);
    return request.shares().isEmpty() ? List.of() : store.claimGroups(request).jobs();
  }

  /** Claims up to {@code room} jobs of a lane. */
  public ClaimedGroups claim(Lane lane, int room) {
    return store.claimGroups(request(lane, room, Fixture.LEASE));
  }

  /** Searches for groups from the last name on, and returns a claim of them. */
  public GroupClaim request(Lane lane, int room, Duration lease) {
    DueGroups due =
        store.dueGroups(new GroupSearch(lane, 4 * room, room, NAMES, cursor, ungrouped, null));
    cursor = Objects.requireNonNullElse(due.readTo(), "");
    ungrouped = Objects.requireNonNullElse(due.ungroupedTo(), GroupSearch.Place.FIRST);
    List<GroupClaim.Share> shares = new ArrayList<>();
    for (DueGroups.DueGroup group : due.groups()) {
      int cap = Math.min(room, Math.min(group.due(), group.free()));
      if (cap > 0 && shares.size() < NAMES) {
        shares.add(
            new GroupClaim.Share(group.group(), cap, group.weight(), group.from(), group.until()));
      }
    }
    return new GroupClaim(
        worker,
        lane,
        due.limit(),
        due.locksLimit(),
        due.locksGroups(),
        shares,
        List.of(Fixture.WORK.kind()),
        Math.min(room, ClaimRequest.LARGEST),
        lease);
  }
}
