package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A handler keeps its transaction open after {@code completeIn}, for longer than a lease. Every
 * other session gives up after a tenth of a second of waiting, so that whatever waits is an error.
 */
@QueueTest
class BusyRowTest {

  private static final int JOBS = 100;
  private static final int HELD = 37;
  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final String TWO_LEASES = "interval '2 seconds'";

  private Fixture fixture;

  @BeforeEach
  void makeSessionsImpatient(QueueDatabase database) {
    fixture = new Fixture(database);
    fixture.execute(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET lock_timeout = ''100ms''',"
            + " current_database()); END $$");
  }

  @AfterEach
  void makeSessionsPatient() {
    fixture.execute(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET lock_timeout', current_database());"
            + " END $$");
  }

  @Test
  void aHeldRowCostsItsNeighboursNeitherTheirLeaseNorTheirCompletion() throws Exception {
    fixture.enqueue(JOBS);
    List<Execution> claimed =
        fixture.claim(JOBS, LEASE).stream().map(ClaimedJob::execution).toList();
    Execution held = claimed.get(HELD);
    try (HikariDataSource pool = fixture.database.newDataSource(2);
        Connection handler = fixture.database.connection()) {
      JobStore store = JobQueue.builder(pool).schema(fixture.database.schema()).build().store();
      handler.setAutoCommit(false);
      store.completeIn(handler, held);
      String enough = fixture.value("SELECT clock_timestamp() + " + TWO_LEASES);

      Awaitility.await()
          .pollDelay(Duration.ZERO)
          .pollInterval(LEASE.dividedBy(20))
          .until(
              () -> {
                assertThat(store.heartbeat(claimed, LEASE))
                    .extracting(Renewal::verdict)
                    .isEqualTo(allDoneBut(HELD));
                assertThat(store.rescue(Duration.ZERO, JOBS)).isEmpty();
                return fixture.value("SELECT clock_timestamp() > '" + enough + "'").equals("t");
              });
      assertThat(
              fixture.value(
                  "SELECT string_agg(id::text, ' ') FROM @jobs WHERE lease_expires_at <"
                      + " clock_timestamp() - interval '500 ms'"))
          .isEqualTo(held.jobId().toString());
      assertThat(store.complete(claimed)).isEqualTo(allDoneBut(HELD));
      assertThat(fixture.value("SELECT count(*) FROM @jobs_archive"))
          .isEqualTo(String.valueOf(JOBS - 1));
      handler.commit();
    }
    assertThat(
            fixture.value(
                "SELECT count(*) || ' ' || bool_and(status = 'succeeded' AND attempt = 1) FROM"
                    + " @job_executions"))
        .isEqualTo(JOBS + " true");
    assertThat(fixture.value("SELECT count(*) || ' ' || min(status) FROM @jobs_archive"))
        .isEqualTo(JOBS + " completed");
  }

  private static List<Verdict> allDoneBut(int busy) {
    List<Verdict> verdicts = new ArrayList<>();
    for (int i = 0; i < JOBS; i++) {
      verdicts.add(i == busy ? Verdict.BUSY : Verdict.DONE);
    }
    return verdicts;
  }
}
