package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests, by the number of claims, that no group is forgotten: each search for groups is bounded,
 * and continues where the last one stopped.
 */
@QueueTest
class GroupSearchTest {

  private static final String QUEUE = "one";
  private static final String LIMIT = "shared";
  private static final int ROOM = 5;
  private static final int GROUPS = 300;

  /** Enough searches of 64 names to go round once. */
  private static final int ROUND = GROUPS / 64 + 2;

  private LimitFixture limits;
  private LimitClaims claims;

  @BeforeEach
  void setUp(QueueDatabase database) {
    limits = new LimitFixture(database);
    claims = limits.claims(database.dataSource(), "claimer");
    limits.limit(LIMIT, null, 1);
    limits.queue(QUEUE, LIMIT, true);
  }

  /** Claims until a job of {@code group} is claimed, and returns the number of claims. */
  private int claimsUntil(String group, int most) {
    for (int number = 1; number <= most; number++) {
      for (ClaimedJob job : claims.claim(QUEUE, ROOM, LEASE)) {
        if (group.equals(groupOf(job))) {
          return number;
        }
      }
    }
    throw new AssertionError("No job of " + group + " was claimed by " + most + " claims.");
  }

  private String groupOf(ClaimedJob job) {
    return limits.fixture.value(
        "SELECT coalesce(group_key, '') FROM @jobs WHERE id = " + job.execution().jobId());
  }

  @Test
  void pausedGroupsHideNoOther() {
    limits.enqueue(QUEUE, GROUPS, 2);
    limits.fixture.execute(
        "INSERT INTO @job_groups (queue, group_key, paused_at) SELECT 'one', 'tenant ' || n, now()"
            + " FROM generate_series(1, 300) AS n");
    limits.enqueue(QUEUE, "zzz", 0, 1);

    assertThat(claimsUntil("zzz", 2 * ROUND)).isPositive();
  }

  @Test
  void fullGroupsHideNoOther() {
    limits.enqueue(QUEUE, GROUPS, 2);
    int running = 0;
    for (int number = 0; number < 20 * ROUND && running < GROUPS; number++) {
      running += claims.claim(QUEUE, 100, LEASE).size();
    }
    assertThat(running).isEqualTo(GROUPS);
    limits.enqueue(QUEUE, "zzz", 0, 1);

    assertThat(claimsUntil("zzz", 2 * ROUND)).isPositive();
  }

  @Test
  void groupsThatMayRunNothingHideNoOther() {
    limits.enqueue(QUEUE, GROUPS, 2);
    limits.fixture.execute(
        "INSERT INTO @job_groups (queue, group_key, max_running) SELECT 'one', 'tenant ' || n, 0"
            + " FROM generate_series(1, 300) AS n");
    limits.enqueue(QUEUE, "zzz", 0, 1);

    assertThat(claimsUntil("zzz", 2 * ROUND)).isPositive();
  }

  @Test
  void aPausedGroupWithAHugeBacklogHidesNoOther() {
    limits.enqueue(QUEUE, "huge", 0, 10_000);
    limits.pause(QUEUE, "huge");
    limits.enqueue(QUEUE, "after", 0, 1);
    limits.enqueue(QUEUE, "zzz", 0, 1);

    assertThat(claimsUntil("zzz", 2)).isPositive();
  }

  @Test
  void jobsOfAKindWithoutHandlerHideNoOther() {
    limits.enqueue(QUEUE, "foreign", 0, 10_000);
    limits.fixture.execute("UPDATE @jobs SET kind = 'foreign'");
    limits.enqueue(QUEUE, "zzz", 0, 1);

    assertThat(claimsUntil("zzz", 2)).isPositive();
  }

  @Test
  void groupsThatHaveOnlyFutureJobsHideNoOther() {
    limits.enqueue(QUEUE, GROUPS, 1);
    limits.fixture.execute("UPDATE @jobs SET scheduled_at = now() + interval '1 day'");
    limits.enqueue(QUEUE, "due", 0, 1_000);
    limits.enqueue(QUEUE, "zzz", 0, 1);

    assertThat(claimsUntil("zzz", 2 * ROUND)).isPositive();
  }

  @Test
  void aGroupIsServedInTheRoundAfterItsResume() {
    limits.enqueue(QUEUE, GROUPS, 1);
    limits.enqueue(QUEUE, "huge", 0, 1_000);
    limits.pause(QUEUE, LimitFixture.group(7));
    limits.pause(QUEUE, "huge");
    for (int number = 0; number < 60 * ROUND && limits.running() < GROUPS - 1; number++) {
      claims.claim(QUEUE, ROOM, LEASE);
    }
    assertThat(limits.running()).isEqualTo(GROUPS - 1);

    limits.resume(QUEUE, LimitFixture.group(7));

    assertThat(claimsUntil(LimitFixture.group(7), 2 * ROUND)).isPositive();
  }

  @Test
  void aJobThatBecomesDueBeforeOthersThatWaitIsFound() {
    limits.enqueue(QUEUE, "huge", 0, 1_000);
    claims.claim(QUEUE, ROOM, LEASE);
    limits.enqueue(QUEUE, "late", 0, 1);
    limits.fixture.execute(
        "UPDATE @jobs SET scheduled_at = now() - interval '1 day' WHERE group_key = 'late'");

    assertThat(claimsUntil("late", 2)).isPositive();
  }

  /** Each search reads the next 20 jobs, until it finds one. */
  @Test
  void aJobWithoutAGroupIsFoundBehindABacklog() {
    limits.enqueue(QUEUE, "huge", 0, 1_000);
    limits.enqueue(QUEUE, null, 0, 1);

    assertThat(claimsUntil("", 1_000 / (4 * ROOM) + 2)).isPositive();
  }

  @Test
  void anyNameIsAGroup() {
    List<String> names =
        List.of(
            " ",
            "null",
            "'",
            "''; DROP TABLE jobs; --",
            "\"",
            "\\",
            "%s{0}:a?$1@",
            "{a,NULL}",
            "a",
            "A",
            "ä",
            "a\u0308",
            "\uFFFF",
            "\uD83D\uDE00",
            "\n\t",
            "x".repeat(200),
            "é".repeat(100));
    for (String name : names) {
      limits.fixture.queue.enqueue(
          Fixture.WORK.onQueue(QUEUE), new Fixture.Work(1), job -> job.group(name));
    }

    List<String> claimed = new ArrayList<>();
    for (ClaimedJob job : claims.claim(new Lane(QUEUE, 0), 100).jobs()) {
      claimed.add(groupOf(job));
    }

    assertThat(claimed).containsExactlyInAnyOrderElementsOf(names);
    assertThat(claims.claim(QUEUE, 100, LEASE)).isEmpty();
    for (String name : names) {
      limits.fixture.queue.enqueue(
          Fixture.WORK.onQueue(QUEUE), new Fixture.Work(1), job -> job.group(name));
    }
    assertThat(claims.claim(QUEUE, 100, LEASE)).as("all groups are full").isEmpty();
  }
}
