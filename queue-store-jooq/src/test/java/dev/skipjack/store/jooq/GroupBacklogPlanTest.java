package dev.skipjack.store.jooq;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.DueGroups;
import dev.skipjack.api.spi.GroupClaim;
import dev.skipjack.api.spi.GroupSearch;
import dev.skipjack.api.spi.GroupSearch.Place;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.sql.StatementText;
import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests how many pages a search for groups and a claim access with a long backlog of one group,
 * with 100,000 groups, with groups that have only future jobs, and with dead index entries before
 * the due jobs. Vacuum does not run, and one test keeps a snapshot open, so that no scan can mark
 * the dead entries.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GroupBacklogPlanTest {

  /** The number of jobs in the largest group; a million with {@code -Dskipjack.soak}. */
  private static final int MANY = Boolean.getBoolean("skipjack.soak") ? 1_000_000 : 100_000;

  private static final int GROUPS = 100_000;
  private static final int ROOM = 50;
  private static final String LIMIT = "api";

  /** The number of jobs without a group in the middle of a backlog. */
  private static final int UNGROUPED = 20;

  /** A search reads 200 first, 100 newest and up to 50 jobs of each of 64 groups. */
  private static final int SEARCH = 7_000;

  /** A claim changes up to 50 jobs and four indexes, and counts the running jobs of 64 groups. */
  private static final int CLAIM = 3_000;

  private final QueueDatabase database = QueueDatabase.create();
  private final Fixture fixture = new Fixture(database);
  private final StatementText search =
      DueGroupsStatement.of(StatementDialect.forSchema(database.schema())).text();
  private final StatementText limited =
      ClaimGroupsStatement.ofLimited(StatementDialect.forSchema(database.schema())).text();

  @BeforeAll
  void fill() {
    fixture.execute("ALTER TABLE @jobs SET (autovacuum_enabled = off)");
    fixture.execute(
        "INSERT INTO @job_limits (name, max_running, max_running_per_group) VALUES ('api', 9000, 20)");
    enqueue("huge", "'huge'", "- interval '1 hour'", MANY);
    enqueue("huge", "'single-' || n", "- interval '1 minute'", 5);
    enqueue("many", "'tenant-' || n", "- interval '1 hour'", GROUPS);
    enqueue("later", "'tenant-' || n", "+ interval '1 day'", GROUPS);
    enqueue("behind", "'tenant-' || n", "+ interval '1 day'", GROUPS);
    enqueue("behind", "'due'", "- interval '1 hour'", 1_000);
    enqueue(
        "same",
        "CASE WHEN n / %d <> %d THEN 'huge' END".formatted(UNGROUPED, MANY / UNGROUPED / 2),
        "- interval '1 hour'",
        MANY);
    for (String queue : List.of("huge", "many", "later", "behind", "same", "dead", "pinned")) {
      fixture.execute(
          "INSERT INTO @job_queues (queue, limit_name, fair) VALUES ('"
              + queue
              + "', 'api', true)");
    }
    fixture.execute("ANALYZE @jobs");
  }

  @AfterAll
  void drop() {
    database.close();
  }

  private void enqueue(String queue, String group, String due, int count) {
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, group_key, scheduled_at) SELECT '%s', 'work', '{}', %s, now() %s FROM generate_series(1, %d) AS n"
            .formatted(queue, group, due, count));
  }

  @ParameterizedTest
  @ValueSource(strings = {"huge", "many", "behind"})
  void searchAndClaimReadNoMoreOfALongBacklog(String queue) throws SQLException {
    assertBelow(SEARCH, searched(queue, Place.FIRST));
    assertBelow(CLAIM, claimed(claim(queue, Place.FIRST)));
  }

  @Test
  void searchReadsNothingIfAllGroupsHaveOnlyFutureJobs() throws SQLException {
    assertBelow(500, searched("later", Place.FIRST));
    assertThat(claim("later", Place.FIRST).shares()).isEmpty();
  }

  /**
   * All jobs of the lane are due at the same time, so only their ids show where the claim begins
   * and ends. It asks for more jobs than there are, as if other claims had taken some of them.
   */
  @Test
  void claimOfJobsWithoutAGroupReadsNoBacklogOfTheSameDueTime() throws SQLException {
    GroupClaim claim = claim("same", before("same", 50));
    GroupClaim.Share found =
        claim.shares().stream().filter(share -> share.group() == null).findFirst().orElseThrow();
    assertThat(found.cap()).isEqualTo(UNGROUPED);

    Place first = Objects.requireNonNull(found.from());
    Place last = Objects.requireNonNull(found.until());
    Plan.Run exact = claimed(claim.withShares(List.of(more(found, first, last))));
    Place from = new Place(first.scheduledAt(), 0);
    Place until = new Place(last.scheduledAt(), Long.MAX_VALUE);

    assertBelow(1_000, exact);
    assertThat(claimed(claim.withShares(List.of(more(found, from, last)))).pages())
        .as("pages of the backlog before the jobs")
        .isGreaterThan(exact.pages() + MANY / 1_000);
    assertThat(claimed(claim.withShares(List.of(more(found, first, until)))).pages())
        .as("pages of the backlog behind the jobs")
        .isGreaterThan(exact.pages() + MANY / 1_000);
  }

  private static GroupClaim.Share more(
      GroupClaim.Share share, @Nullable Place from, @Nullable Place until) {
    return new GroupClaim.Share(share.group(), ROOM, 1, from, until);
  }

  /** 40 % of the entries are dead, and they are the first of the lane and of each group. */
  private void churn(String queue) {
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, group_key, scheduled_at) SELECT '%s', 'work', '{}', 'tenant-' || n %% 100, now() - (%d - n) * interval '1 millisecond' FROM generate_series(1, %d) AS n"
            .formatted(queue, MANY + 1, MANY));
    fixture.execute(
        "DELETE FROM @jobs WHERE queue = '%1$s' AND id <= (SELECT min(id) + %2$d FROM @jobs WHERE queue = '%1$s')"
            .formatted(queue, MANY * 4 / 10 - 1));
  }

  /**
   * A search marks the entries as dead, once no other session needs their rows. Later ones read
   * only the pages of the index, of which each contains more than a hundred entries.
   */
  @Test
  void rowsOfDeadEntriesAreReadOnce() throws SQLException {
    churn("dead");
    int bound = SEARCH + MANY / 50;

    Rival.soon().until(() -> searched("dead", Place.FIRST).pages() < bound);

    assertBelow(CLAIM, claimed(claim("dead", Place.FIRST)));
  }

  @Test
  void claimReadsNoDeadEntriesWhileASnapshotIsOpen() throws SQLException {
    try (Connection holder = database.connection();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      statement.execute("SELECT pg_current_xact_id()");
      churn("pinned");
      GroupClaim claim = claim("pinned", Place.FIRST);

      Plan.Run withPlaces = claimed(claim);
      assertBelow(CLAIM, withPlaces);
      assertThat(claimed(claim, share -> Place.FIRST).pages())
          .as("pages of a claim that reads all")
          .isGreaterThan(withPlaces.pages() + MANY / 100);

      assertBelow(SEARCH, searched("pinned", Objects.requireNonNull(first("pinned"))));
      assertThat(searched("pinned", Place.FIRST).pages())
          .as("pages of a search that reads all")
          .isGreaterThan(MANY / 10);
      holder.rollback();
    }
  }

  private Plan.Run searched(String queue, Place low) throws SQLException {
    Map<String, String> values = new HashMap<>();
    values.put("queue", text(queue));
    values.put("priority", "0");
    values.put("jobs", String.valueOf(4 * ROOM));
    values.put("newest", String.valueOf(2 * ROOM));
    values.put("depth", String.valueOf(ROOM));
    values.put("names", low.equals(Place.FIRST) ? "64" : "0");
    values.put("after", "''");
    values.put("ungrouped_at", "'-infinity'");
    values.put("ungrouped_id", "0");
    values.put("low_at", text(time(low)));
    values.put("low_id", String.valueOf(low.id()));
    return run(search, values);
  }

  /** Returns a place before the jobs without a group. */
  private Place before(String queue, int jobs) {
    String[] place =
        fixture
            .value(
                "SELECT (extract(epoch FROM min(scheduled_at)) * 1000000)::bigint || ' ' || (min(id) - %d) FROM @jobs WHERE queue = '%s' AND group_key IS NULL"
                    .formatted(jobs, queue))
            .split(" ", 2);
    return new Place(
        Instant.EPOCH.plus(Long.parseLong(place[0]), ChronoUnit.MICROS), Long.parseLong(place[1]));
  }

  private DueGroups found(String queue, Place ungroupedAfter) {
    return fixture.store.dueGroups(
        new GroupSearch(new Lane(queue, 0), 4 * ROOM, ROOM, 64, "", ungroupedAfter, null));
  }

  private @Nullable Place first(String queue) {
    return found(queue, Place.FIRST).first();
  }

  /** Searches for groups, and returns a claim of all that were found. */
  private GroupClaim claim(String queue, Place ungroupedAfter) {
    Lane lane = new Lane(queue, 0);
    DueGroups found = found(queue, ungroupedAfter);
    return new GroupClaim(
        WorkerId.boot("test"),
        lane,
        found.limit(),
        found.locksLimit(),
        found.locksGroups(),
        found.groups().stream()
            .limit(64)
            .map(
                group ->
                    new GroupClaim.Share(
                        group.group(), Math.min(ROOM, group.due()), 1, group.from(), group.until()))
            .toList(),
        List.of("work"),
        ROOM,
        Fixture.LEASE);
  }

  private Plan.Run claimed(GroupClaim claim) throws SQLException {
    return claimed(claim, GroupClaim.Share::from);
  }

  private Plan.Run claimed(GroupClaim claim, Function<GroupClaim.Share, @Nullable Place> from)
      throws SQLException {
    Place until =
        claim.shares().stream()
            .filter(share -> share.group() == null)
            .findFirst()
            .map(GroupClaim.Share::until)
            .orElse(Place.FIRST);
    Map<String, String> values = new HashMap<>();
    values.put("queue", text(claim.lane().queue()));
    values.put("priority", "0");
    values.put("worker", "'test'");
    values.put("lease", "1000000");
    values.put("limit_name", text(LIMIT));
    values.put("locks_limit", "'true'");
    values.put("locks_groups", "'true'");
    values.put("kinds", "'{work}'");
    values.put("most", String.valueOf(claim.most()));
    values.put("groups", array(claim, share -> share.group() == null ? "NULL" : share.group()));
    values.put("caps", array(claim, share -> String.valueOf(share.cap())));
    values.put("from_at", array(claim, share -> "\"" + time(from.apply(share)) + "\""));
    values.put("from_ids", array(claim, share -> String.valueOf(id(from.apply(share)))));
    values.put("until_at", text(time(until)));
    values.put("until_id", String.valueOf(until.id()));
    return run(limited, values);
  }

  private static String time(@Nullable Place place) {
    return place == null ? "-infinity" : DueGroupsStatement.timestamp(place.scheduledAt());
  }

  private static long id(@Nullable Place place) {
    return place == null ? 0 : place.id();
  }

  private static String text(String value) {
    return "'" + value + "'";
  }

  private static String array(GroupClaim claim, Function<GroupClaim.Share, String> element) {
    return claim.shares().stream().map(element).collect(joining(",", "'{", "}'"));
  }

  /** Runs a statement with the generic plan, which the store's settings require. */
  private Plan.Run run(StatementText statement, Map<String, String> values) throws SQLException {
    List<String> literals = statement.parameters().stream().map(values::get).toList();
    try (Connection connection = database.connection()) {
      Plan.Run run = Plan.ran(connection, statement, "force_generic_plan", literals);
      assertThat(run.plan()).doesNotContain("Seq Scan on jobs");
      return run;
    }
  }

  private static void assertBelow(long bound, Plan.Run run) {
    assertThat(run.pages()).as(run.plan()).isLessThan(bound);
  }
}
