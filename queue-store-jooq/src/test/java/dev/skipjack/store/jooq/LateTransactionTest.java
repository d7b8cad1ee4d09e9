package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.spi.Execution;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests statements in a transaction that began earlier, so that {@code now()} is too early. */
@QueueTest
@Timeout(60)
class LateTransactionTest {

  private static final Duration WAIT = Duration.ofMillis(400);

  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @AfterEach
  void endThread() {
    thread.shutdownNow();
  }

  @Test
  void aClaimThatHadToWaitGetsItsWholeLease() throws Exception {
    fixture.enqueue(1);
    String goneOnAt = whileItWaits(() -> fixture.claim(1));

    assertThat(leaseFrom(goneOnAt)).isEqualTo("whole");
  }

  @Test
  void aRenewalThatHadToWaitGetsItsWholeLease() throws Exception {
    fixture.enqueue(1);
    Execution execution = fixture.claimOne(Duration.ofSeconds(1));
    String goneOnAt =
        whileItWaits(() -> fixture.store.heartbeat(List.of(execution), Fixture.LEASE));

    assertThat(leaseFrom(goneOnAt)).isEqualTo("whole");
  }

  @Test
  void ageOfAJobInAnOldTransactionCountsFromItsEnqueue() throws SQLException {
    String goneOnAt;
    try (Connection old = fixture.database.connection();
        Statement statement = old.createStatement()) {
      old.setAutoCommit(false);
      statement.execute("SELECT pg_sleep(" + WAIT.toMillis() / 1_000.0 + ")");
      goneOnAt = clock(statement);
      fixture.queue.in(old).enqueue(Fixture.WORK, new Fixture.Work(1));
      old.commit();
      old.setAutoCommit(true);
    }

    assertThat(
            fixture.value(
                "SELECT created_at >= '%1$s' AND scheduled_at >= '%1$s' FROM @jobs"
                    .formatted(goneOnAt)))
        .isEqualTo("t");
  }

  /**
   * Runs a statement that waits for a lock of this test. Returns the time at which it continued, as
   * text.
   */
  private String whileItWaits(Runnable call) throws Exception {
    try (Connection locking = fixture.database.connection();
        Statement statement = locking.createStatement()) {
      locking.setAutoCommit(false);
      statement.execute(fixture.inSchema("LOCK TABLE @jobs IN ACCESS EXCLUSIVE MODE"));
      Future<?> late = thread.submit(call);
      await()
          .until(
              () ->
                  fixture
                      .value(
                          "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()")
                      .equals("1"));
      statement.execute("SELECT pg_sleep(" + WAIT.toMillis() / 1_000.0 + ")");
      String goneOnAt = clock(statement);
      locking.commit();
      locking.setAutoCommit(true);
      late.get();
      return goneOnAt;
    }
  }

  private static String clock(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT clock_timestamp()")) {
      row.next();
      return row.getString(1);
    }
  }

  private String leaseFrom(String instant) {
    return fixture.value(
        "SELECT CASE WHEN lease_expires_at >= '%s'::timestamptz + interval '%d seconds' THEN 'whole' ELSE 'short' END FROM @jobs"
            .formatted(instant, Fixture.LEASE.toSeconds()));
  }
}
