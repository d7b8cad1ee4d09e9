package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.Rate;
import dev.skipjack.api.spi.ClaimedGroups;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.DueGroups;
import dev.skipjack.api.spi.DueGroups.DueGroup;
import dev.skipjack.api.spi.GroupClaim;
import dev.skipjack.api.spi.GroupClaim.Share;
import dev.skipjack.api.spi.GroupSearch;
import dev.skipjack.api.spi.GroupSearch.Place;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the search for groups, and claims from fair and limited queues. */
@QueueTest
class GroupClaimTest {

  private static final Lane LANE = new Lane("default", 0);

  private final Fixture fixture;
  private final AtomicInteger number = new AtomicInteger();

  GroupClaimTest(QueueDatabase database) {
    this.fixture = new Fixture(database);
  }

  private void enqueue(@Nullable String group, int count) {
    for (int i = 0; i < count; i++) {
      fixture.queue.enqueue(
          Fixture.WORK,
          new Fixture.Work(number.incrementAndGet()),
          job -> group == null ? job : job.group(group));
    }
  }

  private DueGroups search(int jobs, int names, String after, @Nullable Place ungrouped) {
    return fixture.store.dueGroups(new GroupSearch(LANE, jobs, 10, names, after, ungrouped, null));
  }

  private DueGroups search() {
    return search(100, 64, "", Place.FIRST);
  }

  private static List<@Nullable String> names(DueGroups found) {
    return found.groups().stream().map(DueGroup::group).toList();
  }

  private static GroupClaim request(DueGroups found, int most, Share... shares) {
    return new GroupClaim(
        WorkerId.boot("test"),
        LANE,
        found.limit(),
        found.locksLimit(),
        found.locksGroups(),
        List.of(shares),
        List.of(Fixture.WORK.kind()),
        most,
        Fixture.LEASE);
  }

  private static Share share(String group, int cap) {
    return new Share(group, cap, 1, null, null);
  }

  private ClaimedGroups claim(int most, String... groups) {
    return fixture.store.claimGroups(
        request(
            search(),
            most,
            Arrays.stream(groups).map(group -> share(group, most)).toArray(Share[]::new)));
  }

  private List<String> groupsOf(List<ClaimedJob> jobs) {
    return jobs.stream()
        .map(
            job ->
                fixture.value(
                    "SELECT group_key FROM @jobs WHERE id = " + job.execution().jobId().value()))
        .toList();
  }

  private void complete(ClaimedJob job) {
    fixture.store.complete(List.of(job.execution()));
  }

  @Nested
  class FairQueues {

    @BeforeEach
    void theQueueIsFair() {
      fixture.execute("INSERT INTO @job_queues (queue, fair) VALUES ('default', true)");
    }

    @Test
    void plainClaimTakesNothingFromAFairQueue() {
      enqueue("a", 1);
      enqueue(null, 1);

      assertThat(fixture.claim(10)).isEmpty();
      assertThat(fixture.store.dueLanes(List.of("default")).grouped()).containsExactly("default");
      assertThat(fixture.store.dueLanes(List.of("default")).limited()).isEmpty();
    }

    @Test
    void searchCountsTheDueJobsOfEachGroup() {
      enqueue("b", 2);
      enqueue(null, 3);
      enqueue("a", 1);
      fixture.execute(
          "INSERT INTO @job_groups (queue, group_key, weight) VALUES ('default', 'b', 5)");

      DueGroups found = search();

      assertThat(names(found)).containsExactly("a", "b", null);
      assertThat(found.groups()).extracting(DueGroup::due).containsExactly(1, 2, 3);
      assertThat(found.groups()).extracting(DueGroup::weight).containsExactly(1, 5, 1);
      assertThat(found.readTo()).isNull();
      assertThat(found.limit()).isNull();
      assertThat(found.locksLimit() || found.locksGroups()).isFalse();
    }

    @Test
    void searchBeginsAfterANameAndContinuesWithTheFirst() {
      for (String group : List.of("a", "b", "c", "d")) {
        enqueue(group, 1);
      }

      assertThat(names(search(100, 64, "b", null))).containsExactly("c", "d", "a", "b");
      assertThat(names(search(1, 2, "b", null))).containsExactly("c", "d", "a");
      assertThat(search(1, 2, "b", null).readTo()).isEqualTo("d");
      assertThat(search(1, 4, "b", null).readTo()).isEqualTo("b");
      assertThat(names(search(1, 3, "c", null))).containsExactly("d", "a", "b");
    }

    @Test
    void aGroupWithManyJobsDoesNotHideTheOthers() {
      enqueue("many", 20);
      enqueue("one", 1);

      DueGroups found = search(4, 64, "", null);

      assertThat(names(found)).containsExactly("many", "one");
      assertThat(found.groups()).extracting(DueGroup::due).containsExactly(10, 1);
    }

    @Test
    void groupsWithOnlyFutureJobsAreNotReadIfFewJobsAreDue() {
      enqueue("now", 1);
      fixture.queue.enqueue(
          Fixture.WORK, new Fixture.Work(0), job -> job.group("later").delay(Duration.ofHours(1)));

      assertThat(names(search())).containsExactly("now");
      assertThat(names(search(1, 64, "", null))).containsExactly("now");
    }

    @Test
    void jobsWithoutAGroupAreFoundBehindManyOthers() {
      enqueue("many", 10);
      enqueue(null, 1);
      enqueue("many", 5);

      DueGroups first = search(4, 64, "", Place.FIRST);
      DueGroups second = search(4, 64, "", first.ungroupedTo());
      DueGroups third = search(4, 64, "", second.ungroupedTo());

      assertThat(names(first)).containsExactly("many");
      assertThat(names(second)).containsExactly("many");
      assertThat(names(third)).containsExactly("many", null);
      DueGroup ungrouped = third.groups().get(1);
      ClaimedGroups claimed =
          fixture.store.claimGroups(
              request(third, 5, new Share(null, 5, 1, ungrouped.from(), ungrouped.until())));
      assertThat(claimed.jobs()).hasSize(1);
    }

    @Test
    void newestJobsAreFoundHoweverManyGroupsAreNotRead() {
      enqueue("a", 10);
      enqueue("b", 1);
      enqueue("c", 1);
      enqueue("z", 1);
      enqueue(null, 1);

      assertThat(names(search(4, 1, "", null))).containsExactly("a", "z", null);
    }

    @Test
    void searchThatFindsOnlyPausedGroupsReportsHowFarItRead() {
      for (String group : List.of("a", "b", "c")) {
        enqueue(group, 3);
      }
      fixture.execute(
          "INSERT INTO @job_groups (queue, group_key, paused_at) VALUES ('default', 'a', now()),"
              + " ('default', 'b', now()), ('default', 'c', now())");

      DueGroups found = search(4, 2, "", null);

      assertThat(found.groups()).isEmpty();
      assertThat(found.readTo()).isEqualTo("b");
    }

    @Test
    void pausedGroupIsNeitherFoundNorClaimed() {
      enqueue("a", 1);
      enqueue("b", 1);
      DueGroups before = search();
      fixture.execute(
          "INSERT INTO @job_groups (queue, group_key, paused_at) VALUES ('default', 'a', now())");

      assertThat(names(search())).containsExactly("b");
      assertThat(
              groupsOf(
                  fixture
                      .store
                      .claimGroups(request(before, 5, share("a", 5), share("b", 5)))
                      .jobs()))
          .containsExactly("b");

      fixture.execute("UPDATE @job_groups SET paused_at = NULL");
      assertThat(claim(5, "a").jobs()).hasSize(1);
    }

    @Test
    void jobsComeInRoundsInTheOrderOfTheShares() {
      enqueue("a", 2);
      enqueue("b", 3);

      ClaimedGroups claimed =
          fixture.store.claimGroups(request(search(), 4, share("b", 2), share("a", 9)));

      assertThat(groupsOf(claimed.jobs())).containsExactly("b", "a", "b", "a");
      assertThat(claimed.jobs())
          .extracting(ClaimedJob::payload)
          .containsExactly(
              "{\"number\": 3}", "{\"number\": 1}", "{\"number\": 4}", "{\"number\": 2}");
    }

    @Test
    void auditAndArchiveNameTheGroup() {
      enqueue("a", 1);

      complete(claim(1, "a").jobs().get(0));

      assertThat(fixture.value("SELECT group_key FROM @job_executions")).isEqualTo("a");
      assertThat(fixture.value("SELECT group_key FROM @jobs_archive")).isEqualTo("a");
    }

    @Test
    void queueThatIsNoLongerFairIsClaimedFromByThePlainClaimOnly() {
      enqueue("a", 1);
      DueGroups before = search();
      fixture.execute("UPDATE @job_queues SET fair = false");

      assertThat(search()).isEqualTo(DueGroups.NONE);
      assertThat(fixture.store.claimGroups(request(before, 5, share("a", 5))).jobs()).isEmpty();
      assertThat(fixture.claim(5)).hasSize(1);
      assertThat(fixture.value("SELECT limit_name FROM @jobs")).isNull();
    }

    @Test
    void pausedQueueHasNoGroups() {
      enqueue("a", 1);
      DueGroups before = search();
      fixture.execute("UPDATE @job_queues SET paused_at = now()");

      assertThat(search()).isEqualTo(DueGroups.NONE);
      assertThat(fixture.store.claimGroups(request(before, 5, share("a", 5))).jobs()).isEmpty();
    }

    @Test
    void oddNamesAreGroups() {
      List<String> odd = List.of("'", "\"x\\", "a,b {}", "ü😀", "z".repeat(200), " ");
      odd.forEach(name -> enqueue(name, 1));

      assertThat(names(search())).containsExactlyInAnyOrderElementsOf(odd);
      assertThat(names(search(1, 64, "", null))).containsExactlyInAnyOrderElementsOf(odd);
      assertThat(claim(10, odd.toArray(String[]::new)).jobs()).hasSize(odd.size());
    }
  }

  @Nested
  class Limits {

    private void limit(String columns, String values) {
      fixture.execute(
          "INSERT INTO @job_limits (name, " + columns + ") VALUES ('api', " + values + ")");
      fixture.execute("INSERT INTO @job_queues (queue, limit_name) VALUES ('default', 'api')");
    }

    @Test
    void noMoreJobsRunThanTheLimitPermits() {
      limit("max_running", "3");
      enqueue("a", 5);

      assertThat(fixture.store.dueLanes(List.of("default")).limited()).containsExactly("default");
      assertThat(search().free()).isEqualTo(3);
      List<ClaimedJob> claimed = claim(10, "a").jobs();
      assertThat(claimed).hasSize(3);
      assertThat(search().free()).isZero();
      assertThat(claim(10, "a").jobs()).isEmpty();

      complete(claimed.get(0));
      assertThat(claim(10, "a").jobs()).hasSize(1);
      assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE limit_name = 'api'"))
          .isEqualTo("3");
    }

    @Test
    void noMoreJobsOfAGroupRunThanTheLimitPermits() {
      limit("max_running_per_group", "2");
      enqueue("a", 3);
      enqueue(null, 3);
      enqueue("b", 1);
      fixture.execute(
          "INSERT INTO @job_groups (queue, group_key, max_running) VALUES ('default', 'b', 0)");

      DueGroups found = search();
      assertThat(found.groups()).extracting(DueGroup::free).containsExactly(2, 0, 2);
      assertThat(found.locksGroups()).isTrue();
      assertThat(found.locksLimit()).isFalse();
      DueGroup ungrouped = found.groups().get(2);
      ClaimedGroups claimed =
          fixture.store.claimGroups(
              request(
                  found,
                  10,
                  share("a", 10),
                  share("b", 10),
                  new Share(null, 10, 1, ungrouped.from(), ungrouped.until())));
      assertThat(claimed.jobs()).hasSize(4);
      assertThat(search().groups()).extracting(DueGroup::free).containsOnly(0);
    }

    @Test
    void claimTakesNothingWhileAnotherClaimHoldsTheLimit() throws SQLException {
      limit("max_running", "3");
      enqueue("a", 1);
      try (Connection other = fixture.database.connection()) {
        other.setAutoCommit(false);
        try (var statement = other.createStatement()) {
          statement.execute(
              fixture.inSchema("SELECT FROM @job_limits WHERE name = 'api' FOR NO KEY UPDATE"));
        }

        ClaimedGroups claimed = claim(10, "a");

        assertThat(claimed.jobs()).isEmpty();
        assertThat(claimed.isBusy()).isTrue();
        other.rollback();
      }
      assertThat(claim(10, "a").jobs()).hasSize(1);
    }

    @Test
    void claimLeavesOutAGroupThatAnotherClaimHolds() throws SQLException {
      limit("max_running_per_group", "1");
      enqueue("a", 1);
      enqueue("b", 1);
      try (Connection other = fixture.database.connection()) {
        other.setAutoCommit(false);
        try (var statement = other.createStatement()) {
          statement.execute("SELECT pg_advisory_xact_lock(hashtextextended('api/a', 0))");
        }

        ClaimedGroups claimed = claim(10, "a", "b");

        assertThat(groupsOf(claimed.jobs())).containsExactly("b");
        assertThat(claimed.isBusy()).isTrue();
        other.rollback();
      }
      assertThat(groupsOf(claim(10, "a", "b").jobs())).containsExactly("a");
    }

    @Test
    void claimWithoutTheLocksThatTheLimitNeedsTakesNothing() {
      limit("max_running_per_group", "NULL");
      enqueue("a", 2);
      DueGroups before = search();
      assertThat(before.locksLimit() || before.locksGroups()).isFalse();

      fixture.execute("UPDATE @job_limits SET max_running = 1");
      assertThat(fixture.store.claimGroups(request(before, 5, share("a", 5))).jobs()).isEmpty();

      fixture.execute("UPDATE @job_limits SET max_running = NULL, max_running_per_group = 1");
      assertThat(fixture.store.claimGroups(request(before, 5, share("a", 5))).jobs()).isEmpty();

      fixture.execute("UPDATE @job_limits SET max_running_per_group = NULL");
      assertThat(fixture.store.claimGroups(request(before, 5, share("a", 5))).jobs()).hasSize(2);
    }

    @Test
    void claimUnderALimitThatTheQueueNoLongerNamesTakesNothing() {
      limit("max_running", "1");
      enqueue("a", 1);
      DueGroups before = search();
      fixture.execute("INSERT INTO @job_limits (name) VALUES ('other')");
      fixture.execute("UPDATE @job_queues SET limit_name = 'other'");

      assertThat(fixture.store.claimGroups(request(before, 5, share("a", 5))).jobs()).isEmpty();
      assertThat(claim(5, "a").jobs()).hasSize(1);
    }

    @Test
    void loweredLimitStopsStartsAndCancelsNothing() {
      limit("max_running", "3");
      enqueue("a", 5);
      List<ClaimedJob> running = claim(3, "a").jobs();

      fixture.execute("UPDATE @job_limits SET max_running = 1");
      complete(running.get(0));
      complete(running.get(1));
      assertThat(claim(5, "a").jobs()).isEmpty();
      complete(running.get(2));
      assertThat(claim(5, "a").jobs()).hasSize(1);
    }

    @Test
    void queuesThatNameOneLimitShareIt() {
      limit("max_running, max_running_per_group", "3, 2");
      fixture.execute("INSERT INTO @job_queues (queue, limit_name) VALUES ('second', 'api')");
      enqueue("a", 2);
      for (int i = 0; i < 3; i++) {
        fixture.queue.enqueue(
            Fixture.WORK, new Fixture.Work(i), job -> job.group("a").onQueue("second"));
      }
      assertThat(claim(1, "a").jobs()).hasSize(1);

      Lane second = new Lane("second", 0);
      GroupClaim request =
          new GroupClaim(
              WorkerId.boot("test"),
              second,
              "api",
              true,
              true,
              List.of(share("a", 5)),
              List.of(Fixture.WORK.kind()),
              5,
              Fixture.LEASE);
      assertThat(fixture.store.claimGroups(request).jobs()).hasSize(1);
      assertThat(fixture.store.claimGroups(request).jobs()).isEmpty();
    }
  }

  @Nested
  class Rates {

    private void rate(String columns, String values) {
      fixture.execute(
          "INSERT INTO @job_limits (name, " + columns + ") VALUES ('api', " + values + ")");
      fixture.execute("INSERT INTO @job_queues (queue, limit_name) VALUES ('default', 'api')");
    }

    @Test
    void fullBucketPermitsABurstAndThenHoldsTheRest() {
      rate("rate_count, rate_period, rate_burst", "1, '1 hour', 3");
      enqueue("a", 5);

      ClaimedGroups first = claim(10, "a");
      ClaimedGroups second = claim(10, "a");

      assertThat(first.jobs()).hasSize(3);
      assertThat(second.jobs()).isEmpty();
      assertThat(second.opensIn()).isBetween(Duration.ofMinutes(58), Duration.ofHours(1));
      assertThat(fixture.value("SELECT group_key || taken FROM @job_rate_uses")).isEqualTo("3");
    }

    @Test
    void eachGroupHasABucketOfItsOwn() {
      rate("rate_count, rate_period, rate_per_group", "2, '1 hour', true");
      enqueue("a", 3);
      enqueue("b", 1);

      assertThat(groupsOf(claim(10, "a", "b").jobs())).containsExactly("a", "b", "a");
      ClaimedGroups second = claim(10, "a");
      assertThat(second.jobs()).isEmpty();
      assertThat(second.opensIn()).isBetween(Duration.ofMinutes(28), Duration.ofMinutes(30));
      assertThat(
              fixture.value(
                  "SELECT string_agg(group_key || taken, ' ' ORDER BY group_key) FROM"
                      + " @job_rate_uses"))
          .isEqualTo("/a2 /b1");
    }

    @Test
    void slidingWindowPermitsItsNumberInAnyPeriod() {
      rate("rate_count, rate_period, rate_kind", "3, '1 hour', 'sliding'");
      enqueue("a", 5);

      assertThat(claim(2, "a").jobs()).hasSize(2);
      assertThat(claim(2, "a").jobs()).hasSize(1);
      ClaimedGroups held = claim(2, "a");
      assertThat(held.jobs()).isEmpty();
      assertThat(held.opensIn()).isBetween(Duration.ofMinutes(58), Duration.ofHours(1));

      fixture.execute("UPDATE @job_rate_uses SET at = at - interval '59 minutes'");
      assertThat(claim(2, "a").jobs()).isEmpty();
      fixture.execute(
          "UPDATE @job_rate_uses SET at = at - interval '1 minute' WHERE id = (SELECT min(id) FROM"
              + " @job_rate_uses)");
      assertThat(claim(5, "a").jobs()).hasSize(2);
    }

    @Test
    void fixedWindowPermitsItsNumberUntilItsEnd() {
      rate("rate_count, rate_period, rate_kind", "2, '366 days', 'fixed'");
      enqueue("a", 3);

      assertThat(claim(5, "a").jobs()).hasSize(2);
      ClaimedGroups held = claim(5, "a");
      assertThat(held.jobs()).isEmpty();
      assertThat(held.opensIn()).isBetween(Duration.ZERO, Duration.ofDays(366));
      fixture.execute("UPDATE @job_rate_uses SET at = at - interval '366 days'");
      assertThat(claim(5, "a").jobs()).hasSize(1);
    }

    @Test
    void throttleStopsTheLimitAndOpensABucketWithOneToken() {
      rate("rate_count, rate_period, rate_burst", "60, '1 hour', 5");
      enqueue("a", 5);
      ClaimedJob job = claim(1, "a").jobs().get(0);

      assertThat(fixture.store.throttle(job.execution(), false, Duration.ofMinutes(10))).isTrue();

      ClaimedGroups held = claim(5, "a");
      assertThat(held.jobs()).isEmpty();
      assertThat(held.opensIn()).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
      fixture.store.throttle(job.execution(), false, Duration.ofMinutes(1));
      assertThat(claim(5, "a").opensIn()).isGreaterThan(Duration.ofMinutes(9));
      fixture.execute("UPDATE @job_rate_uses SET full_at = full_at - interval '10 minutes'");
      assertThat(claim(5, "a").jobs()).hasSize(1);
    }

    @Test
    void throttleOfAGroupLeavesTheOthersOpen() {
      rate("max_running", "10");
      enqueue("a", 2);
      enqueue("b", 1);
      ClaimedJob job = claim(1, "a").jobs().get(0);

      assertThat(fixture.store.throttle(job.execution(), true, Duration.ofMinutes(10))).isTrue();

      ClaimedGroups claimed = claim(5, "a", "b");
      assertThat(groupsOf(claimed.jobs())).containsExactly("b");
      assertThat(claimed.opensIn()).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
    }

    @Test
    void throttleWithoutALimitOrALeaseHasNoEffect() {
      rate("max_running", "10");
      enqueue("a", 2);
      ClaimedJob job = claim(1, "a").jobs().get(0);
      complete(job);

      assertThat(fixture.store.throttle(job.execution(), false, Duration.ofMinutes(10))).isFalse();

      fixture.execute("UPDATE @job_queues SET limit_name = NULL");
      ClaimedJob free = fixture.claim(1).get(0);
      assertThat(fixture.store.throttle(free.execution(), false, Duration.ofMinutes(10))).isFalse();
      assertThat(fixture.value("SELECT count(*) FROM @job_rate_uses")).isEqualTo("0");
    }

    @Test
    void rowsThatNoRateNeedsArePruned() {
      rate("rate_count, rate_period", "2, '1 hour'");
      fixture.execute(
          "INSERT INTO @job_rate_uses (limit_name, at, full_at) VALUES ('api', now() - interval '2"
              + " hours', now() - interval '1 hour'), ('api', now() - interval '59 minutes', now()"
              + " - interval '1 minute'), ('api', now() - interval '2 hours', now() + interval '1"
              + " minute'), ('gone', now(), now())");

      fixture.queue.maintenance().prune();

      assertThat(fixture.value("SELECT count(*) FROM @job_rate_uses")).isEqualTo("2");
    }

    @Test
    void searchShowsWhatTheRateOfTheLimitPermits() {
      rate("max_running, rate_count, rate_period, rate_burst", "9, 1, '1 hour', 2");
      enqueue("a", 5);

      assertThat(search().free()).isEqualTo(2);
      assertThat(search().opensIn()).isNull();
      claim(2, "a");
      assertThat(search().free()).isZero();
      assertThat(search().opensIn()).isBetween(Duration.ofMinutes(58), Duration.ofHours(1));
    }

    @Test
    void searchShowsWhatTheRateOfEachGroupPermits() {
      rate("rate_count, rate_period, rate_per_group", "2, '1 hour', true");
      enqueue("a", 5);
      enqueue("b", 5);
      claim(1, "a");
      claim(2, "b");

      DueGroups found = search();

      assertThat(found.groups()).extracting(DueGroup::free).containsExactly(1, 0);
      assertThat(found.opensIn()).isBetween(Duration.ofMinutes(28), Duration.ofMinutes(30));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "rate_count = NULL, rate_period = NULL",
          "rate_kind = 'sliding', rate_count = 2",
          "rate_per_group = true",
          "rate_count = 100, rate_period = '1 second'"
        })
    void changedRateTakesEffectWithTheNextClaim(String change) {
      rate("rate_count, rate_period", "1, '1 day'");
      enqueue("a", 2);
      assertThat(claim(1, "a").jobs()).hasSize(1);
      assertThat(claim(1, "a").jobs()).isEmpty();
      fixture.execute("UPDATE @job_rate_uses SET at = at - interval '1 second'");

      fixture.execute("UPDATE @job_limits SET " + change);

      assertThat(claim(1, "a").jobs()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"1 month", "-12 months 365 days 6 hours", "367 days", "999 microseconds"})
    void periodsOfAnotherLengthAreRefused(String period) {
      assertThatThrownBy(() -> rate("rate_count, rate_period", "1, '" + period + "'"))
          .hasStackTraceContaining("job_limits_rate_check");
    }

    @Test
    void burstThatTakesMoreThanACenturyToFillIsRefused() {
      assertThatThrownBy(
              () -> rate("rate_count, rate_period, rate_burst", "1, '366 days', 1000000"))
          .hasStackTraceContaining("job_limits_burst_check");
      assertThatThrownBy(() -> Rate.bucket(1, Duration.ofDays(366)).burst(1_000_000))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("Burst 1000000")
          .hasMessageContaining("Use a smaller burst");
    }

    @ParameterizedTest
    @ValueSource(strings = {"infinity", "-infinity", "294276-12-31"})
    void timesWithoutEndAreRefused(String time) {
      for (String column : List.of("at", "full_at")) {
        assertThatThrownBy(
                () ->
                    fixture.execute(
                        "INSERT INTO @job_rate_uses (limit_name, at, full_at) SELECT 'api',"
                            + (column.equals("at")
                                ? " '" + time + "', now()"
                                : " now(), '" + time + "'")))
            .hasStackTraceContaining("job_rate_uses_time_check");
      }
    }
  }
}
