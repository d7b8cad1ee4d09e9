package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.LaneShare;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tests which calls a claimer makes to the store, and when. */
class ClaimerTest {

  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Map<String, Integer> ROOM_FOR_TWO = Map.of("q", 2);

  private final MemoryStore store = new MemoryStore();
  private long now;

  @Nested
  class InAHealthyDatabase {

    private final Claimer claimer =
        Claimers.of(store, "k", LEASE, Claimers.ALWAYS_FAST, () -> now, "q");

    @Test
    void claimsHaveNoLowWaterMarks() {
      add(20, 0);

      for (int i = 0; i < 10; i++) {
        claim(claimer);
      }

      assertThat(store.claims).hasSize(10).noneMatch(ClaimerTest::isHinted);
      assertThat(store.count(JobStatus.PENDING)).isZero();
    }

    @Test
    void lanesAreListedAgainAfterATenthOfASecond() {
      add(20, 0);
      claim(claimer);
      claim(claimer);
      assertThat(store.calls).containsExactly("dueLanes", "claim", "claim");

      pass(Duration.ofMillis(101));
      claim(claimer);

      assertThat(store.calls).containsExactly("dueLanes", "claim", "claim", "dueLanes", "claim");
    }

    /** With ten thousand queues, for example, a listing takes a long time. */
    @Test
    void listingTakesAtMostATwentiethOfTheTime() {
      add(20, 0);
      slowListings(Duration.ofMillis(50));
      claim(claimer);

      pass(Duration.ofMillis(999));
      claim(claimer);
      assertThat(store.calls).containsExactly("dueLanes", "claim", "claim");
      pass(Duration.ofMillis(2));
      claim(claimer);
      assertThat(store.calls).containsExactly("dueLanes", "claim", "claim", "dueLanes", "claim");
    }

    @Test
    void laneThatReturnedTooFewJobsIsSkippedUntilTheNextListing() {
      add(1, 9);
      add(3, 0);
      assertThat(claim(claimer)).hasSize(2);
      add(1, 9);

      assertThat(claim(claimer)).extracting(attempt -> attempt.job().priority()).containsOnly(0);
    }
  }

  @Nested
  class InASlowDatabase {

    private final Claimer claimer =
        Claimers.of(store, "k", LEASE, Claimers.NEVER_FAST, () -> now, "q");

    @BeforeEach
    void force() {
      add(6, 0);
      for (int i = 0; i < 3; i++) {
        claim(claimer);
      }
      assertThat(store.claims).noneMatch(ClaimerTest::isHinted);
      forget();
    }

    @Test
    void claimsHaveLowWaterMarksAndLanesAreNotListed() {
      add(20, 0);
      for (int i = 0; i < 10; i++) {
        assertThat(claim(claimer)).hasSize(2);
        pass(Duration.ofMillis(150));
      }

      assertThat(store.calls).containsOnly("claim");
      assertThat(store.claims).hasSize(10).allMatch(ClaimerTest::isHinted);
    }

    @Test
    void claimThatReturnedNothingIsFollowedByASweepAtOnce() {
      claim(claimer);

      assertThat(store.calls).containsExactly("claim", "dueLanes");
      forget();
      add(1, 5);
      assertThat(claim(claimer)).hasSize(1);
      assertThat(store.calls).containsExactly("claim", "dueLanes", "claim");
      assertThat(store.claims).extracting(ClaimerTest::isHinted).containsExactly(true, false);
    }

    /** An idle worker needs only one statement per poll. */
    @Test
    void afterASecondWithoutJobsOnlyLanesAreListed() {
      claim(claimer);
      pass(Duration.ofSeconds(1));
      claim(claimer);
      forget();

      claim(claimer);

      assertThat(store.calls).containsExactly("dueLanes");
    }

    @Test
    void sweepIsDueAfterTwoSecondsAndFindsNewLanes() {
      add(40, 0);
      claim(claimer);
      add(1, 9);
      pass(Duration.ofMillis(900));
      assertThat(claim(claimer)).extracting(attempt -> attempt.job().priority()).containsOnly(0);
      pass(Duration.ofMillis(900));
      claim(claimer);
      forget();

      pass(Duration.ofMillis(201));
      List<Attempt> swept = claim(claimer);

      assertThat(swept).extracting(attempt -> attempt.job().priority()).containsExactly(9, 0);
      assertThat(store.calls).containsExactly("dueLanes", "claim");
      assertThat(store.claims).noneMatch(ClaimerTest::isHinted);
      claim(claimer);
      assertThat(store.claims).extracting(ClaimerTest::isHinted).containsExactly(false, true);
    }

    /**
     * While a transaction holds an old snapshot, a listing reads the dead entries of every lane.
     */
    @Test
    void listingsOfAnEmptyQueueTakeATwentiethOfTheTimeAtMost() {
      slowListings(Duration.ofMillis(200));

      for (int poll = 0; poll < 600; poll++) {
        assertThat(claim(claimer)).isEmpty();
        pass(Duration.ofMillis(100));
      }

      // one listing every 4 s, in 60 s of polls plus the time that the listings take
      assertThat(listings()).isBetween(14L, 16L);
    }

    @Test
    void listingsForAWorkerWithoutRoomTakeATwentiethOfTheTimeAtMost() {
      slowListings(Duration.ofMillis(200));

      for (int poll = 0; poll < 60; poll++) {
        claimer.look(Duration.ofSeconds(1).toNanos());
        pass(Duration.ofSeconds(1));
      }

      assertThat(listings()).isBetween(14L, 16L);
    }

    @Test
    void listingIsRepeatedAfterTwentySecondsHoweverSlowItIs() {
      slowListings(Duration.ofSeconds(3));
      claim(claimer);
      add(1, 9);

      pass(Duration.ofMillis(16_999));
      assertThat(claim(claimer)).isEmpty();
      assertThat(listings()).isEqualTo(1);
      pass(Duration.ofMillis(1));

      assertThat(claim(claimer)).extracting(attempt -> attempt.job().priority()).containsExactly(9);
    }

    @Test
    void untilTheNextListingNewJobsOfAnIdleLaneAreFoundByMarkedClaims() {
      slowListings(Duration.ofSeconds(1));
      claim(claimer);
      assertThat(listings()).isEqualTo(1);
      forget();
      pass(Duration.ofSeconds(10));
      assertThat(claim(claimer)).isEmpty();
      add(1, 0);

      assertThat(claim(claimer)).hasSize(1);
      assertThat(store.calls).containsExactly("claim", "claim");
      assertThat(store.claims).allMatch(ClaimerTest::isHinted);
    }

    @Test
    void aWorkerThatKnowsNoLaneSendsNothingUntilTheNextListing() {
      slowListings(Duration.ofSeconds(1));
      pass(Duration.ofMinutes(1));
      claim(claimer); // drops the mark of the only lane
      assertThat(claimer.asked()).isTrue();
      forget();

      claim(claimer);

      assertThat(store.calls).isEmpty();
      assertThat(claimer.asked()).isFalse();
    }

    @Test
    void afterAFailureAnEmptyClaimIsFollowedByAListingAtOnce() {
      slowListings(Duration.ofSeconds(1));
      claim(claimer);
      store.fault =
          new MemoryStore.Fault() {
            @Override
            public void before(String call, int size) {
              throw new StoreException("unavailable", new SQLException("unavailable", "08006"));
            }
          };
      assertThatThrownBy(() -> claim(claimer)).isInstanceOf(StoreException.class);
      store.fault = new MemoryStore.Fault() {};
      forget();
      add(1, 0);

      assertThat(claim(claimer)).hasSize(1);
      assertThat(store.calls).containsExactly("dueLanes", "claim");
    }

    /** It may have waited until the server was available again. */
    @Test
    void theFirstListingAfterAFailureDoesNotDelayTheNextOne() {
      store.fault =
          new MemoryStore.Fault() {
            @Override
            public void before(String call, int size) {
              throw new StoreException("unavailable", new SQLException("unavailable", "08006"));
            }
          };
      assertThatThrownBy(() -> claim(claimer)).isInstanceOf(StoreException.class);
      slowListings(Duration.ofSeconds(1));
      assertThat(claim(claimer)).isEmpty();
      add(1, 9);
      pass(Duration.ofMillis(5));

      assertThat(claim(claimer)).hasSize(1);
      assertThat(listings()).isEqualTo(2);
      pass(Duration.ofSeconds(10));
      claim(claimer);
      assertThat(listings()).as("the second one counts").isEqualTo(2);
    }

    /** After a failure, the next call may reach another server. */
    @Test
    void aFailureOfTheStoreDropsEveryMark() {
      add(4, 0);
      store.fault =
          new MemoryStore.Fault() {
            @Override
            public void before(String call, int size) {
              throw new StoreException("unavailable", new SQLException("unavailable", "08006"));
            }
          };
      assertThatThrownBy(() -> claim(claimer)).isInstanceOf(StoreException.class);
      assertThat(store.claims).hasSize(1).allMatch(ClaimerTest::isHinted);
      store.fault = new MemoryStore.Fault() {};
      forget();

      claim(claimer);
      claim(claimer);

      assertThat(store.claims).extracting(ClaimerTest::isHinted).containsExactly(false, true);
    }
  }

  private List<Attempt> claim(Claimer claimer) {
    return claimer.claim(ROOM_FOR_TWO, ClaimRequest.LARGEST);
  }

  private void add(int jobs, int priority) {
    store.addAll(jobs, job().priority(priority));
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  private void slowListings(Duration each) {
    store.fault =
        new MemoryStore.Fault() {
          @Override
          public void before(String call, int size) {
            if (call.equals("dueLanes")) {
              pass(each);
            }
          }
        };
  }

  private long listings() {
    return store.calls.stream().filter("dueLanes"::equals).count();
  }

  private void forget() {
    store.calls.clear();
    store.claims.clear();
  }

  private static boolean isHinted(ClaimRequest request) {
    return request.lanes().stream().map(LaneShare::lowWater).anyMatch(low -> low != null);
  }
}
