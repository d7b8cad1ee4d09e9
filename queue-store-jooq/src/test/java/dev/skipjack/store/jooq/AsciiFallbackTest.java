package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobError;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.FinalOutcome;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests a database with an encoding that has no euro sign. */
@QueueTest
class AsciiFallbackTest {

  private static final String EURO = "costs 5 \u20ac";

  @Test
  void textsThatTheDatabaseCannotHoldAreKeptInAscii() {
    try (QueueDatabase database = QueueDatabase.create()) {
      Fixture fixture = new Fixture(database);
      fixture.enqueue(4);
      // As of a database that was made so; what it holds by now is ASCII.
      fixture.execute(
          "UPDATE pg_database SET encoding = pg_char_to_encoding('LATIN1') WHERE datname = current_database()");
      try (HikariDataSource pool = database.newDataSource(2)) {
        JobQueue queue = JobQueue.builder(pool).schema(database.schema()).build();
        WorkerId worker = WorkerId.boot("\u20ac-shop");
        queue
            .workers()
            .announce(new WorkerRow(worker, "host", 1, List.of("default"), List.of("work"), "{}"));
        List<ClaimedJob> jobs =
            queue
                .store()
                .claim(
                    new ClaimRequest(
                        worker,
                        Collections.singletonList(new LaneShare(new Lane("default", 0), 4, null)),
                        List.of("work"),
                        4,
                        Duration.ofMinutes(1)));
        assertThat(jobs).hasSize(4);
        try (LeaseKeeper leases = queue.leases()) {
          assertThat(leases.progress(List.of(new Progress(jobs.get(0).execution(), 50, EURO))))
              .containsExactly(Verdict.DONE);
        }
        assertThat(
                fixture.value(
                    "SELECT progress ->> 'message' FROM @jobs WHERE progress IS NOT NULL"))
            .isEqualTo("costs 5 ?");

        queue
            .store()
            .fail(
                List.of(
                    new Failure(jobs.get(0).execution(), JobError.of(EURO), Duration.ZERO, true)));
        queue.store().endWithData(List.of(FinalOutcome.cancelled(jobs.get(1).execution(), EURO)));

        assertThat(fixture.value("SELECT last_error FROM @jobs WHERE status = 'dead'"))
            .isEqualTo("costs 5 ?");
        assertThat(fixture.value("SELECT last_error FROM @jobs_archive")).isEqualTo("costs 5 ?");
        assertThat(fixture.value("SELECT DISTINCT worker_id LIKE '?-shop%' FROM @job_executions"))
            .isEqualTo("t");
        // A result is not ours to change.
        assertThatThrownBy(
                () ->
                    queue
                        .store()
                        .endWithData(
                            List.of(
                                FinalOutcome.completed(
                                    jobs.get(2).execution(), "\"" + EURO + "\""))))
            .isInstanceOfSatisfying(
                StoreException.class, refused -> assertThat(refused.sqlState()).contains("22P05"));
      }
    }
  }
}
