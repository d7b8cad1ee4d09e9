package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.LEASE;
import static dev.skipjack.store.jooq.Fixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.DueLane;
import dev.skipjack.api.spi.DueLanes;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class ClaimStatementTest {

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @Test
  void marksTheJobAndOpensItsAuditRow() {
    fixture.enqueue(1);

    ClaimedJob job = fixture.claim(1).get(0);

    assertThat(job.attempt()).isEqualTo(1);
    assertThat(job.maxAttempts()).isEqualTo(3);
    assertThat(job.payload()).isEqualTo("{\"number\": 1}");
    assertThat(
            fixture.value(
                "SELECT status || attempts || (current_execution_id = "
                    + job.execution().id()
                    + ") FROM @jobs"))
        .isEqualTo("running1true");
    assertThat(
            fixture.value(
                "SELECT e.status || ' ' || e.attempt || ' ' || (e.started_at = j.started_at) || ' ' || (e.worker_id = j.locked_by)"
                    + " FROM @job_executions e JOIN @jobs j ON j.id = e.job_id"))
        .isEqualTo("running 1 true true");
  }

  @Test
  void leavesAlmostTheWholeLease() {
    fixture.enqueue(1);

    fixture.claim(1, Duration.ofMinutes(10));

    assertThat(
            fixture.value(
                "SELECT lease_expires_at > clock_timestamp() + interval '9 minutes 55 seconds' FROM @jobs"))
        .isEqualTo("t");
  }

  @Test
  void servesLanesInTheOrderGivenAndEachByDueTime() {
    fixture.queue.enqueue(WORK, new Fixture.Work(1), job -> job.priority(1));
    fixture.queue.enqueue(WORK, new Fixture.Work(2), job -> job.priority(9));
    fixture.queue.enqueue(WORK, new Fixture.Work(3), job -> job.priority(9));
    fixture.queue.enqueue(WORK, new Fixture.Work(4), job -> job.onQueue("other"));

    List<ClaimedJob> claimed =
        fixture.store.claim(
            Fixture.request(
                10, LEASE, new Lane("other", 0), new Lane("default", 9), new Lane("default", 1)));

    assertThat(claimed)
        .extracting(ClaimedJob::payload)
        .containsExactly(
            "{\"number\": 4}", "{\"number\": 2}", "{\"number\": 3}", "{\"number\": 1}");
  }

  @Test
  void takesNoMoreThanTheLimitNorThanALanesCap() {
    fixture.enqueue(20);
    fixture.queue.enqueue(WORK, new Fixture.Work(99), job -> job.priority(-1));
    ClaimRequest capped =
        new ClaimRequest(
            WorkerId.boot("test"),
            List.of(
                new LaneShare(new Lane("default", 0), 3, null),
                new LaneShare(new Lane("default", -1), 3, null)),
            List.of("work"),
            10,
            LEASE);

    assertThat(fixture.store.claim(capped)).hasSize(4);
    assertThat(fixture.claim(5)).hasSize(5);
  }

  @Test
  void ignoresForeignKindsFutureJobsAndOtherQueues() {
    fixture.queue.enqueue(WORK, new Fixture.Work(1), job -> job.delay(Duration.ofHours(1)));
    fixture.queue.enqueue(WORK, new Fixture.Work(2), job -> job.onQueue("other"));
    fixture.queue.enqueue(
        dev.skipjack.api.JobType.of("foreign", Fixture.Work.class), new Fixture.Work(3));

    assertThat(fixture.claim(10)).isEmpty();
    assertThat(fixture.value("SELECT count(*) FROM @job_executions")).isEqualTo("0");
  }

  @Test
  void looksAtNothingBelowTheLowWaterMark() {
    fixture.enqueue(2);
    ClaimRequest hinted =
        new ClaimRequest(
            WorkerId.boot("test"),
            List.of(
                new LaneShare(new Lane("default", 0), 5, Instant.now().plus(Duration.ofDays(1)))),
            List.of("work"),
            5,
            LEASE);

    assertThat(fixture.store.claim(hinted)).isEmpty();
    assertThat(fixture.claim(5)).hasSize(2);
  }

  @Test
  void stepsOverJobsThatSomebodyHolds() throws Exception {
    fixture.enqueue(3);
    try (Connection rival = fixture.database.connection();
        Statement statement = rival.createStatement()) {
      rival.setAutoCommit(false);
      statement.execute(
          "UPDATE "
              + fixture.database.schema()
              + ".jobs SET payload = '{}' WHERE id = (SELECT min(id) FROM "
              + fixture.database.schema()
              + ".jobs)");

      assertThat(fixture.claim(5)).hasSize(2);
      rival.rollback();
    }
    assertThat(fixture.claim(5)).hasSize(1);
  }

  /** FOR UPDATE would skip it silently for as long as the other transaction is open. */
  @Test
  void claimsAJobThatAnUncommittedForeignKeyRefersTo() throws Exception {
    String schema = fixture.database.schema();
    fixture.execute("CREATE TABLE @notes (job_id bigint REFERENCES @jobs)");
    fixture.enqueue(1);
    try (Connection rival = fixture.database.connection();
        Statement statement = rival.createStatement()) {
      rival.setAutoCommit(false);
      statement.execute("INSERT INTO " + schema + ".notes SELECT id FROM " + schema + ".jobs");

      assertThat(fixture.claim(1)).hasSize(1);
      rival.rollback();
    } finally {
      fixture.execute("DROP TABLE @notes");
    }
  }

  @Test
  void saturatesTheAttemptsInsteadOfFailingTheLane() {
    fixture.enqueue(2);
    fixture.execute(
        "UPDATE @jobs SET attempts = 2147483647, forgiven = 2147483647 WHERE id = (SELECT min(id) FROM @jobs)");

    assertThat(fixture.claim(2)).hasSize(2);
    assertThat(fixture.value("SELECT max(attempts) FROM @jobs")).isEqualTo("2147483647");
  }

  @Test
  void createsAMissingPartitionAndClaims() {
    fixture.enqueue(1);
    fixture.execute(
        "DO $$ DECLARE p text; BEGIN FOR p IN SELECT inhrelid::regclass FROM pg_inherits"
            + " WHERE inhparent = '@job_executions'::regclass LOOP EXECUTE 'DROP TABLE ' || p; END LOOP; END $$");

    assertThat(fixture.claim(1)).hasSize(1);
    assertThat(fixture.value("SELECT count(*) FROM @job_executions")).isEqualTo("1");
  }

  @Test
  void listsTheLanesThatHoldADueJob() {
    fixture.enqueue(2);
    fixture.queue.enqueue(WORK, new Fixture.Work(1), job -> job.priority(7));
    fixture.queue.enqueue(
        WORK, new Fixture.Work(2), job -> job.priority(3).delay(Duration.ofHours(1)));
    fixture.queue.enqueue(WORK, new Fixture.Work(3), job -> job.onQueue("unserved"));

    DueLanes due = fixture.store.dueLanes(List.of("default", "empty"));
    assertThat(due.lanes())
        .extracting(DueLane::lane)
        .containsExactlyInAnyOrder(new Lane("default", 7), new Lane("default", 0));
    assertThat(due.paused()).isEmpty();
  }

  @Test
  void saysHowLongTheOldestDueJobOfALaneHasWaited() {
    fixture.enqueue(3);
    fixture.execute(
        "UPDATE @jobs SET scheduled_at = now() - interval '90 minutes' WHERE id = (SELECT max(id) FROM @jobs)");
    fixture.execute(
        "UPDATE @jobs SET scheduled_at = now() + interval '1 hour' WHERE id = (SELECT min(id) FROM @jobs)");

    DueLane lane = fixture.store.dueLanes(List.of("default")).lanes().get(0);

    assertThat(lane.waited()).isBetween(Duration.ofMinutes(90), Duration.ofMinutes(95));
  }
}
