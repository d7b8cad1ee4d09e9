package dev.skipjack.steps;

import static dev.skipjack.steps.BatchFixture.REPORT;
import static dev.skipjack.steps.BatchFixture.ROW;
import static dev.skipjack.steps.BatchFixture.succeeding;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A batch of 10,000 jobs, and of 100,000 with {@code -Dskipjack.soak}. */
@QueueTest
class LargeBatchTest {

  private static final int MANY = Boolean.getBoolean("skipjack.soak") ? 100_000 : 10_000;

  @Test
  void aLargeBatchFinishesRightAfterItsLastJob(QueueDatabase database) {
    BatchFixture fixture = new BatchFixture(database);
    List<BatchFixture.Row> rows = succeeding(MANY);
    long began = System.nanoTime();
    fixture.queue.enqueueAll(ROW, rows);
    long plain = System.nanoTime();
    BatchId batch = fixture.open("import").add(ROW, rows).seal();
    long owned = System.nanoTime();
    try (Worker worker = fixture.worker().start()) {
      Awaitility.await()
          .atMost(Duration.ofMinutes(5))
          .pollInterval(Duration.ofMillis(50))
          .until(() -> fixture.isFinished(batch));
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> fixture.callbacks.contains("report/" + batch));
      assertThat(worker.status().stuck()).isZero();
    }
    String finish =
        "(SELECT finished_at FROM @job_batches) - (SELECT max(finished_at) FROM @jobs_archive WHERE owner_id IS NOT NULL)";
    LoggerFactory.getLogger(LargeBatchTest.class)
        .info(
            "Batch jobs={} enqueuePlainMs={} enqueueOwnedMs={} drainPlain={} drainOwned={} finishAfterLastEnd={}",
            MANY,
            (plain - began) / 1_000_000,
            (owned - plain) / 1_000_000,
            fixture.value(drain("owner_id IS NULL")),
            fixture.value(drain("owner_id IS NOT NULL")),
            fixture.value("SELECT " + finish));

    assertThat(fixture.enqueued(REPORT)).isOne();
    assertThat(fixture.status(batch).total()).isEqualTo(MANY);
    assertThat(fixture.status(batch).succeeded()).isTrue();
    assertThat(fixture.value("SELECT %s < interval '2 s'".formatted(finish))).isEqualTo("t");
  }

  private static String drain(String which) {
    return "SELECT max(finished_at) - min(started_at) FROM @jobs_archive WHERE kind = 'row' AND "
        + which;
  }
}
