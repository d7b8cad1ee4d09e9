package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.EXPIRED;
import static dev.skipjack.store.jooq.Fixture.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.ClaimedGroups;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.GroupClaim;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests claims under a limit while other sessions change rows: between the search and the claim,
 * between two statements of the claim, or before its commit.
 */
@QueueTest
class LimitInterleavingsTest {

  private static final Lane ONE = new Lane("one", 0);
  private static final Lane TWO = new Lane("two", 0);
  private static final String LIMIT = "shared";

  private LimitFixture limits;
  private SteppedDataSource steps;
  private LimitClaims claims;
  private LimitClaims other;

  @BeforeEach
  void setUp(QueueDatabase database) {
    limits = new LimitFixture(database);
    steps = new SteppedDataSource(database.dataSource());
    claims = limits.claims(steps.dataSource, "stepped");
    other = limits.claims(database.dataSource(), "other");
  }

  @AfterEach
  void requireSteps() {
    assertThat(steps.isDone()).as("all steps were taken").isTrue();
  }

  private void shared(@Nullable Integer running, @Nullable Integer perGroup) {
    limits.limit(LIMIT, running, perGroup);
    limits.queue("one", LIMIT, false);
    limits.queue("two", LIMIT, true);
    for (Lane lane : List.of(ONE, TWO)) {
      limits.enqueue(lane.queue(), 3, 5);
    }
  }

  private static Execution only(ClaimedGroups claimed) {
    assertThat(claimed.jobs()).hasSize(1);
    return claimed.jobs().get(0).execution();
  }

  @Test
  void twoClaimersTakeOnePermit() {
    shared(1, null);
    List<ClaimedGroups> others = new ArrayList<>();
    steps.beforeCommit(() -> others.add(other.claim(TWO, 5)));

    assertThat(claims.claim(ONE, 5).jobs()).hasSize(1);

    assertThat(others)
        .singleElement()
        .satisfies(
            claimed -> {
              assertThat(claimed.jobs()).isEmpty();
              assertThat(claimed.isBusy()).isTrue();
            });
    assertThat(other.claim(TWO, 5).jobs()).isEmpty();
    assertThat(limits.running()).isEqualTo(1);
  }

  @Test
  void aClaimThatCommitsBeforeTheLockIsCounted() {
    shared(4, null);
    steps.before(LimitSql::locksLimit, () -> assertThat(other.claim(TWO, 3).jobs()).hasSize(3));

    assertThat(claims.claim(ONE, 5).jobs()).hasSize(1);
  }

  @Test
  void aPermitThatIsFreedBetweenLockAndClaimIsUsed() {
    shared(2, null);
    Execution ending = other.claim(TWO, 2).jobs().get(0).execution();
    GroupClaim request = claims.request(ONE, 5, LEASE);
    steps.before(LimitSql::claims, () -> complete(ending));

    assertThat(claims.store().claimGroups(request).jobs()).hasSize(1);
  }

  @Test
  void aRescueWhileTheOldWorkerCompletesFreesOnePermit() {
    shared(1, null);
    Execution old = only(other.claim("two", 1, EXPIRED));
    GroupClaim request = claims.request(ONE, 5, LEASE);
    steps.before(
        LimitSql::claims,
        () -> {
          assertThat(other.store().rescue(Duration.ZERO, 10)).hasSize(1);
          assertThat(other.store().complete(List.of(old))).containsExactly(Verdict.LOST);
        });

    assertThat(claims.store().claimGroups(request).jobs()).hasSize(1);
    assertThat(other.claim(TWO, 5).jobs()).isEmpty();
  }

  private static Execution only(List<ClaimedJob> jobs) {
    assertThat(jobs).hasSize(1);
    return jobs.get(0).execution();
  }

  /** The change waits for the claim, so the claim uses the old number and the next one the new. */
  @Test
  void aChangeOfALimitWaitsForAClaimThatHasLockedIt() throws Exception {
    shared(3, null);
    List<CompletableFuture<Void>> change = new ArrayList<>();
    steps.before(
        LimitSql::claims,
        () -> {
          change.add(CompletableFuture.runAsync(() -> limits.change(LIMIT, 1, null)));
          Rival.soon().until(() -> change.get(0).isDone() || limits.hasWaiter());
          assertThat(change.get(0)).as("the change waits").isNotDone();
        });

    assertThat(claims.claim(ONE, 2).jobs()).hasSize(2);

    change.get(0).get(20, TimeUnit.SECONDS);
    assertThat(claims.claim(ONE, 2).jobs()).isEmpty();
  }

  @Test
  void aNumberPerGroupThatIsLoweredBeforeTheClaimApplies() {
    shared(null, 3);
    GroupClaim request = claims.request(ONE, 9, LEASE);
    steps.before(LimitSql::claims, () -> limits.limit(LIMIT, null, 1));

    assertThat(claims.store().claimGroups(request).jobs()).hasSize(3);
    assertThat(limits.running()).isEqualTo(3);
  }

  @Test
  void aGroupThatIsPausedBeforeTheClaimStartsNoJob() {
    shared(null, null);
    GroupClaim request = claims.request(ONE, 99, LEASE);
    steps.before(LimitSql::claims, () -> limits.pause("one", LimitFixture.group(2)));

    assertThat(claims.store().claimGroups(request).jobs()).hasSize(10);
  }

  @Test
  void aQueueThatIsPausedBeforeTheClaimStartsNoJob() {
    shared(4, null);
    GroupClaim request = claims.request(ONE, 5, LEASE);
    steps.before(LimitSql::claims, () -> limits.fixture.queue.admin().pause("one"));

    assertThat(claims.store().claimGroups(request).jobs()).isEmpty();
  }

  /** The claim has locked the old limit only. */
  @Test
  void aQueueThatGetsAnotherLimitBeforeTheClaimStartsNoJobThatExceedsIt() {
    shared(4, null);
    limits.limit("other", 0, null);
    GroupClaim request = claims.request(ONE, 5, LEASE);
    steps.before(LimitSql::claims, () -> limits.queue("one", "other", false));

    assertThat(claims.store().claimGroups(request).jobs()).isEmpty();
  }

  @Test
  void aFairQueueThatGetsALimitAfterTheSearchStartsNoJobWithoutItsLock() {
    limits.queue("one", null, true);
    limits.enqueue("one", 3, 5);
    GroupClaim request = claims.request(ONE, 9, LEASE);
    limits.limit(LIMIT, 1, 1);
    limits.queue("one", LIMIT, true);

    assertThat(claims.store().claimGroups(request).jobs()).isEmpty();
    assertThat(claims.claim(ONE, 9).jobs()).hasSize(1);
  }

  @Test
  void aLimitThatGetsAnotherNumberAfterTheSearchStartsNoJobWithoutItsLock() {
    shared(null, 3);
    GroupClaim request = claims.request(ONE, 9, LEASE);
    limits.limit(LIMIT, 1, 3);
    steps.beforeCommit(() -> assertThat(other.claim(TWO, 9).jobs().size()).isLessThanOrEqualTo(1));

    assertThat(claims.store().claimGroups(request).jobs().size() + limits.running())
        .isLessThanOrEqualTo(1);
  }

  @Test
  void aQueueThatLosesItsLimitAfterTheSearchStartsItsJobsOnce() {
    shared(1, null);
    GroupClaim request = claims.request(ONE, 5, LEASE);
    limits.queue("one", null, false);

    assertThat(claims.store().claimGroups(request).jobs()).isEmpty();
    assertThat(claims.store().claim(Fixture.request(50, LEASE, ONE))).hasSize(15);
    assertThat(
            limits.fixture.value(
                "SELECT count(*) FROM @jobs WHERE status = 'running' AND limit_name IS NOT NULL"))
        .isEqualTo("0");
  }

  @Test
  void claimsOfDifferentGroupsDoNotWaitForEachOther() {
    shared(null, 1);
    limits.pause("two", LimitFixture.group(1));
    limits.pause("one", LimitFixture.group(2));
    limits.pause("one", LimitFixture.group(3));
    steps.beforeCommit(() -> assertThat(other.claim(TWO, 9).jobs()).hasSize(2));

    assertThat(claims.claim(ONE, 9).jobs()).hasSize(1);
  }

  @Test
  void twoQueuesShareThePermitsOfAGroup() {
    shared(null, 2);
    List<ClaimedGroups> others = new ArrayList<>();
    steps.beforeCommit(() -> others.add(other.claim(TWO, 9)));

    assertThat(claims.claim(ONE, 9).jobs()).hasSize(6);

    assertThat(others)
        .singleElement()
        .satisfies(
            claimed -> {
              assertThat(claimed.jobs()).isEmpty();
              assertThat(claimed.isBusy()).isTrue();
            });
    assertThat(other.claim(TWO, 9).jobs()).isEmpty();
  }

  @Test
  void jobsWithoutAGroupShareThePermitsOfOneGroup() {
    limits.limit(LIMIT, null, 2);
    limits.queue("one", LIMIT, false);
    limits.queue("two", LIMIT, true);
    limits.enqueue("one", null, 0, 5);
    limits.enqueue("two", null, 0, 5);
    List<ClaimedGroups> others = new ArrayList<>();
    steps.beforeCommit(() -> others.add(other.claim(TWO, 9)));

    assertThat(claims.claim(ONE, 9).jobs()).hasSize(2);

    assertThat(others).singleElement().satisfies(claimed -> assertThat(claimed.jobs()).isEmpty());
    assertThat(other.claim(TWO, 9).jobs()).isEmpty();
  }

  @Test
  void twoPrioritiesShareThePermitsOfAGroup() {
    limits.limit(LIMIT, null, 2);
    limits.queue("one", LIMIT, true);
    limits.enqueue("one", "a", 0, 5);
    limits.enqueue("one", "a", 7, 5);
    steps.beforeCommit(
        () -> assertThat(other.claim(ONE, 9).jobs()).as("claim of the same group").isEmpty());

    assertThat(claims.claim(new Lane("one", 7), 9).jobs()).hasSize(2);
    assertThat(claims.claim(ONE, 9).jobs()).isEmpty();
  }

  @Test
  void aNumberOfAGroupReplacesTheNumberOfTheLimit() {
    shared(null, 2);
    limits.groupMost("one", LimitFixture.group(1), 4);
    limits.groupMost("one", LimitFixture.group(2), 0);

    assertThat(claims.claim(ONE, 99).jobs()).hasSize(4 + 2);
    assertThat(claims.claim(ONE, 99).jobs()).isEmpty();
  }

  @Test
  void aJobThatMovedToAnotherQueueWhileItRunsCountsUnderTheLimitThatItWasClaimedUnder() {
    shared(1, null);
    limits.fixture.execute("INSERT INTO @job_limits (name, max_running) VALUES ('elsewhere', 1)");
    limits.queue("three", "elsewhere", false);
    limits.enqueue("three", 1, 2);
    Execution moved = only(claims.claim(ONE, 1));
    limits.fixture.execute("UPDATE @jobs SET queue = 'three' WHERE id = " + moved.jobId());

    assertThat(claims.claim(TWO, 5).jobs()).isEmpty();
    assertThat(claims.claim(new Lane("three", 0), 5).jobs()).hasSize(1);
    complete(moved);
    assertThat(claims.claim(TWO, 5).jobs()).hasSize(1);
  }

  @Test
  void anAbandonedClaimHoldsItsPermitsUntilItIsRescued() {
    shared(2, null);
    assertThat(other.claim("one", 2, EXPIRED)).hasSize(2);
    assertThat(claims.claim(TWO, 5).jobs()).isEmpty();

    assertThat(other.store().rescue(Duration.ZERO, 10)).hasSize(2);

    assertThat(claims.claim(TWO, 5).jobs()).hasSize(2);
  }

  private void complete(Execution execution) {
    assertThat(limits.fixture.store.complete(List.of(execution))).containsExactly(Verdict.DONE);
  }

  /** Claims that begin later would otherwise take the lock first, one after another. */
  @Test
  void aThrottleWaitsForTheClaimsThatHaveBegunAndComesBeforeLaterOnes() throws Exception {
    shared(null, 9);
    Execution running = only(other.claim(ONE, 1));
    List<CompletableFuture<Boolean>> throttle = new ArrayList<>();
    steps.beforeCommit(
        () -> {
          throttle.add(
              CompletableFuture.supplyAsync(
                  () -> other.store().throttle(running, false, Duration.ofMinutes(10))));
          Rival.soon().until(() -> throttle.get(0).isDone() || limits.hasWaiter());
          assertThat(throttle.get(0)).as("the throttle waits").isNotDone();
          assertThat(limits.claims(limits.fixture.database.dataSource(), "third").claim(TWO, 1))
              .satisfies(later -> assertThat(later.jobs()).isEmpty())
              .satisfies(later -> assertThat(later.isBusy()).isTrue());
        });

    assertThat(claims.claim(ONE, 1).jobs()).hasSize(1);

    assertThat(throttle.get(0).get(20, TimeUnit.SECONDS)).isTrue();
    assertThat(claims.claim(ONE, 1).jobs()).isEmpty();
  }

  @Test
  void aThrottleSucceedsAlthoughItsLockTimeoutIsShorterThanAClaim() throws Exception {
    shared(9, null);
    Execution running = only(other.claim(ONE, 1));
    AtomicInteger tries = new AtomicInteger();
    SteppedDataSource impatient = new SteppedDataSource(limits.fixture.database.dataSource());
    impatient.rewrite(
        sql -> {
          if (sql.contains("pg_advisory_xact_lock(")) {
            tries.incrementAndGet();
          }
          return sql.replace("'30s'", "'20ms'");
        });
    List<CompletableFuture<Boolean>> throttle = new ArrayList<>();
    steps.beforeCommit(
        () -> {
          throttle.add(
              CompletableFuture.supplyAsync(
                  () ->
                      limits
                          .store(impatient.dataSource)
                          .throttle(running, false, Duration.ofMinutes(10))));
          Rival.soon().until(() -> throttle.get(0).isDone() || tries.get() > 1);
        });

    assertThat(claims.claim(ONE, 1).jobs()).hasSize(1);

    assertThat(throttle.get(0).get(20, TimeUnit.SECONDS)).isTrue();
    assertThat(claims.claim(ONE, 1).jobs()).isEmpty();
  }

  /** The change must wait for the claim, or claims that follow it must count the claimed jobs. */
  @Test
  void aNumberThatIsSetBeforeTheCommitOfAClaimCountsItsJobs() throws Exception {
    shared(null, 5);
    limits.enqueue("two", "another", 0, 5);
    List<CompletableFuture<Integer>> others = new ArrayList<>();
    steps.beforeCommit(
        () -> {
          others.add(
              CompletableFuture.supplyAsync(
                  () -> {
                    limits.change(LIMIT, 1, 5);
                    return other.claim(TWO, 9).jobs().size();
                  }));
          Rival.soon().until(() -> others.get(0).isDone() || limits.hasWaiter());
        });

    assertThat(claims.claim(ONE, 3).jobs()).hasSize(3);

    assertThat(others.get(0).get(20, TimeUnit.SECONDS)).isZero();
  }
}
