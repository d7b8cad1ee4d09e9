package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimedGroups;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.DueGroups;
import dev.skipjack.api.spi.DueGroups.DueGroup;
import dev.skipjack.api.spi.GroupClaim;
import dev.skipjack.api.spi.GroupSearch;
import dev.skipjack.api.spi.GroupSearch.Place;
import dev.skipjack.api.spi.Lane;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests when a lane of a fair or limited queue is asked again. */
class GroupClaimsTest {

  private static final Lane LANE = new Lane("default", 0);
  private static final ClaimedGroups NOTHING = new ClaimedGroups(List.of(), false, null);

  private final Deque<DueGroups> found = new ArrayDeque<>();
  private final Deque<ClaimedGroups> claimed = new ArrayDeque<>();
  private final List<GroupSearch> searches = new ArrayList<>();
  private final List<GroupClaim> requests = new ArrayList<>();
  private final List<GroupClaim> withoutPayload = new ArrayList<>();
  private @Nullable StoreException failure;
  private long now = 1_000;
  private long searchNanos;

  private final GroupClaims groups =
      new GroupClaims(
          new MemoryStore() {
            @Override
            public DueGroups dueGroups(GroupSearch search) {
              searches.add(search);
              now += searchNanos;
              return found.size() > 1 ? found.pop() : found.element();
            }

            @Override
            public ClaimedGroups claimGroups(GroupClaim request) {
              requests.add(request);
              if (failure != null) {
                throw failure;
              }
              return claimed.isEmpty() ? NOTHING : claimed.pop();
            }

            @Override
            public ClaimedGroups claimGroupsWithoutPayload(GroupClaim request) {
              withoutPayload.add(request);
              return NOTHING;
            }
          },
          WorkerId.boot("test"),
          List.of("work"),
          Duration.ofSeconds(30),
          new Random(1),
          () -> now);

  private static DueGroups groups(int free, @Nullable String readTo, DueGroup... groups) {
    return new DueGroups(List.of(groups), "api", free, true, false, readTo, null, null, null);
  }

  private static DueGroup group(String name, int free) {
    return new DueGroup(name, 5, 1, free, null, null);
  }

  @Test
  void laneWithoutFreePermitIsAskedAgainWhenOneIsFreed() {
    found.add(groups(0, null, group("a", 5)));

    assertThat(groups.claim(LANE, 5, 5).jobs()).isEmpty();

    assertThat(requests).isEmpty();
    assertThat(groups.askAgain(now)).isEmpty();
    assertThat(groups.permitFreed()).isTrue();
    assertThat(groups.askAgain(now)).containsExactly(LANE);
    assertThat(groups.askAgain(now)).isEmpty();
  }

  /** The last listing found the queue fair, but without a limit. */
  @Test
  void jobsOfAQueueThatHasJustGotALimitAreClaimedOnlyForFreeSlots() {
    found.add(groups(9, null, group("a", 5), group("b", 5)));

    groups.claim(LANE, 8, 2);

    assertThat(requests).singleElement().extracting(GroupClaim::most).isEqualTo(2);
    assertThat(requests.get(0).shares().stream().mapToInt(GroupClaim.Share::cap).sum())
        .isEqualTo(2);
  }

  @Test
  void jobsOfAFairQueueAreClaimedAhead() {
    found.add(new DueGroups(List.of(group("a", 9)), null, 9, false, false, null, null, null, null));

    groups.claim(LANE, 8, 2);

    assertThat(requests).singleElement().extracting(GroupClaim::most).isEqualTo(8);
  }

  @Test
  void heldJobsAreFound() {
    found.add(groups(5, null, group("a", 0), group("b", 5)));
    groups.claim(LANE, 5, 5);
    assertThat(groups.held()).containsExactly(new GroupClaims.Held("default", "api", "a", 5));

    found.add(groups(0, null, group("a", 0), group("b", 5)));
    found.removeFirst();
    groups.claim(LANE, 5, 5);
    assertThat(groups.held()).containsExactly(new GroupClaims.Held("default", "api", null, 10));

    found.add(groups(5, null));
    found.removeFirst();
    groups.claim(LANE, 5, 5);
    assertThat(groups.held()).isEmpty();
  }

  @Test
  void aFailedClaimTakesNoTurn() {
    found.add(groups(5, null, group("a", 5), group("b", 5)));
    failure = new StoreException("refused", new SQLException("too long", "54000"));
    assertThatThrownBy(() -> groups.claim(LANE, 1, 1)).isSameAs(failure);
    failure = null;

    groups.claimWithoutPayload(LANE);

    assertThat(withoutPayload).hasSize(1);
    assertThat(searches.get(2).after()).isEqualTo(searches.get(1).after());
  }

  @Test
  void laneWithoutHeldJobsIsNotAskedAgain() {
    found.add(groups(5, null));

    groups.claim(LANE, 5, 5);

    assertThat(groups.permitFreed()).isFalse();
    assertThat(groups.pause(now)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void permitThatIsFreedDuringAClaimIsNotMissed() {
    found.add(groups(5, null, group("a", 0)));
    groups.claim(LANE, 5, 5);
    groups.permitFreed();

    groups.claim(LANE, 5, 5);

    assertThat(groups.askAgain(now)).containsExactly(LANE);
  }

  @Test
  void busyLaneIsAskedAgainAfterGrowingPauses() {
    found.add(groups(5, null, group("a", 5)));
    long longest = 0;
    for (int i = 0; i < 40; i++) {
      claimed.add(new ClaimedGroups(List.of(), true, null));
      groups.claim(LANE, 5, 5);
      long pause = groups.pause(now);
      assertThat(pause).isBetween(500_000L, 30_000_000L);
      longest = Math.max(longest, pause);
    }
    assertThat(longest).isGreaterThan(5_000_000L);
    now += 30_000_000L;
    assertThat(groups.askAgain(now)).containsExactly(LANE);
  }

  @Test
  void laneIsAskedAgainWhenItsRateOpens() {
    found.add(groups(5, null, group("a", 5)));
    claimed.add(new ClaimedGroups(List.of(), false, Duration.ofMillis(40)));

    groups.claim(LANE, 5, 5);

    assertThat(groups.pause(now)).isEqualTo(Duration.ofMillis(40).toNanos());
    now += Duration.ofMillis(40).toNanos();
    assertThat(groups.askAgain(now)).containsExactly(LANE);
  }

  /** The rate of one group opens later, but other groups have more jobs. */
  @Test
  void groupThatItsRateHoldsDoesNotEndTheClaimsOfOthers() {
    found.add(groups(9, null, group("a", 5), group("b", 5)));
    ClaimedJob job = ClaimAnswers.job(LANE, "x", Instant.EPOCH);
    claimed.add(new ClaimedGroups(List.of(job), false, Duration.ofMillis(40)));

    GroupClaims.Result result = groups.claim(LANE, 5, 5);

    assertThat(result.hasMore()).isTrue();
    assertThat(groups.pause(now)).isEqualTo(Duration.ofMillis(40).toNanos());
  }

  @Test
  void searchContinuesThroughNamesWithoutJobsButNotWithoutEnd() {
    found.add(groups(5, "m", group("x", 0)));

    groups.claim(LANE, 5, 5);

    assertThat(searches).hasSize(1 + GroupClaims.SEARCHES);
    assertThat(groups.pause(now)).isPositive().isLessThan(Duration.ofSeconds(1).toNanos());
  }

  @Test
  void searchesRestAfterSeveralThatFoundNoJobToClaim() {
    searchNanos = Duration.ofMillis(3).toNanos();
    Place place = new Place(Instant.EPOCH, 7);
    found.add(
        new DueGroups(List.of(group("a", 0)), "api", 5, true, false, null, place, null, null));
    groups.claim(LANE, 5, 5);
    int before = searches.size();
    assertThat(groups.pause(now)).isBetween(20 * 8 * searchNanos, 21 * 8 * searchNanos);

    found.add(groups(5, null, group("a", 0)));
    found.removeFirst();
    groups.claim(LANE, 5, 5);

    assertThat(searches).hasSize(before + 1);
    assertThat(searches.get(before).names()).isZero();
    assertThat(searches.get(before).ungroupedAfter()).isNull();
    assertThat(groups.pause(now)).isLessThan(20 * 8 * searchNanos);
    now += 20 * 8 * searchNanos;
    groups.claim(LANE, 5, 5);
    assertThat(searches.get(before + 1).ungroupedAfter()).isEqualTo(place);
  }

  @Test
  void rateThatOpensInAThousandYearsDoesNotLoseJobs() {
    found.add(groups(5, null, group("a", 5)));
    claimed.add(new ClaimedGroups(List.of(), false, Duration.ofDays(365_000)));

    assertThat(groups.claim(LANE, 5, 5).jobs()).isEmpty();
  }

  @Test
  void laneThatARateHoldsIsNotClaimedFrom() {
    found.add(
        new DueGroups(
            List.of(group("a", 5)),
            "api",
            0,
            true,
            false,
            null,
            null,
            Duration.ofMillis(40),
            null));

    groups.claim(LANE, 5, 5);

    assertThat(requests).isEmpty();
    assertThat(groups.pause(now)).isEqualTo(Duration.ofMillis(40).toNanos());
  }

  @Test
  void claimRequestsTheLocksThatTheSearchFound() {
    found.add(groups(3, null, group("a", 5), group("b", 5)));

    groups.claim(LANE, 5, 5);

    assertThat(requests)
        .singleElement()
        .satisfies(
            claim -> {
              assertThat(claim.locksLimit()).isTrue();
              assertThat(claim.locksGroups()).isFalse();
              assertThat(claim.most()).isEqualTo(3);
              assertThat(claim.limit()).isEqualTo("api");
            });
  }

  @Test
  void lanesOfOtherQueuesAreForgotten() {
    found.add(groups(0, null, group("a", 5)));
    groups.claim(LANE, 5, 5);

    groups.keep(Set.of("other"));

    assertThat(groups.pause(now)).isEqualTo(Long.MAX_VALUE);
  }
}
