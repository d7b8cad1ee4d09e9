package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.DueLane;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
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

  /** FOR UPDATE would silently skip the job while the other transaction is open. */
  @Test
  void claimTakesAJobToWhichAnUncommittedForeignKeyRefers() throws Exception {
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
  void claimTakesAJobThatHasJustBecomeDue() {
    fixture.enqueue(1);
    fixture.execute("UPDATE @jobs SET scheduled_at = clock_timestamp()");

    assertThat(fixture.claim(1)).hasSize(1);
  }

  @Test
  void claimSkipsAJobThatIsDueInLessThanASecond() {
    fixture.requireLeftBefore(
        () -> fixture.enqueue(1), "scheduled_at", () -> fixture.claim(1).isEmpty());
  }

  @Test
  void claimOfAJobWithTheMaximumCountOfAttemptsSucceeds() {
    fixture.enqueue(2);
    fixture.execute(
        "UPDATE @jobs SET attempts = 2147483647, uncounted_attempts = 2147483647 WHERE id = (SELECT min(id) FROM @jobs)");

    assertThat(fixture.claim(2)).hasSize(2);
    assertThat(fixture.value("SELECT max(attempts) FROM @jobs")).isEqualTo("2147483647");
  }

  @Test
  void claimCreatesAMissingPartition() {
    fixture.enqueue(1);
    fixture.execute(
        "DO $$ DECLARE p text; BEGIN FOR p IN SELECT inhrelid::regclass FROM pg_inherits"
            + " WHERE inhparent = '@job_executions'::regclass LOOP EXECUTE 'DROP TABLE ' || p; END LOOP; END $$");

    assertThat(fixture.claim(1)).hasSize(1);
    assertThat(fixture.value("SELECT count(*) FROM @job_executions")).isEqualTo("1");
  }

  @Test
  void listingReturnsHowLongTheOldestDueJobOfALaneHasWaited() {
    fixture.enqueue(3);
    fixture.execute(
        "UPDATE @jobs SET scheduled_at = now() - interval '90 minutes' WHERE id = (SELECT max(id) FROM @jobs)");
    fixture.execute(
        "UPDATE @jobs SET scheduled_at = now() + interval '1 hour' WHERE id = (SELECT min(id) FROM @jobs)");

    DueLane lane = fixture.store.dueLanes(List.of("default")).lanes().get(0);

    assertThat(lane.waited()).isBetween(Duration.ofMinutes(90), Duration.ofMinutes(95));
  }
}
