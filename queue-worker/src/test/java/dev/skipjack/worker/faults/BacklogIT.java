package dev.skipjack.worker.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.Outcome;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests producers that are faster than the workers, so that the backlog only grows. Enqueues a
 * million jobs with {@code -Psoak}.
 */
@QueueTest
@Timeout(600)
class BacklogIT {

  private static final int BACKLOG = Boolean.getBoolean("skipjack.soak") ? 1_000_000 : 5_000;
  private static final int WINDOWS = Boolean.getBoolean("skipjack.soak") ? 60 : 5;
  private static final Duration PROMISED_STOP = Duration.ofSeconds(30);

  @Test
  void claimsContinueAndAStopEndsInTime(QueueDatabase database) throws Exception {
    FaultFixture fixture = new FaultFixture(database.dataSource(), database.schema());
    fixture.execute(
        "INSERT INTO @jobs (kind, payload) SELECT '%s', '{\"number\": 0, \"deed\": \"WORK\"}' FROM generate_series(1, %d)"
            .formatted(Task.TYPE.kind(), BACKLOG));
    AtomicBoolean enough = new AtomicBoolean();
    Thread producer =
        new Thread(
            () -> {
              while (!enough.get()) {
                fixture.enqueue(500, Task.Deed.WORK);
              }
            });
    Worker worker =
        Worker.on(fixture.queue())
            .handle(
                Task.TYPE,
                (task, context) -> {
                  Thread.sleep(2); // slower than the producers
                  return Outcome.completed();
                })
            .queue("default", 4)
            .config(WorkerConfig.defaults())
            .start();
    try {
      producer.start();
      for (int window = 0; window < WINDOWS; window++) {
        long done = fixture.count("jobs_archive");
        await()
            .atMost(FaultFixture.PATIENCE)
            .until(() -> fixture.count("jobs_archive") >= done + 100);
      }
    } finally {
      long asked = System.nanoTime();
      worker.stop();
      Duration took = Duration.ofNanos(System.nanoTime() - asked);
      enough.set(true);
      producer.join();
      assertThat(took).isLessThan(PROMISED_STOP);
      System.out.printf("stopped in %d ms%n", took.toMillis());
    }

    assertThat(fixture.count("jobs WHERE status <> 'pending'")).isZero();
    assertThat(fixture.count("jobs WHERE attempts <> uncounted_attempts")).isZero();
    assertThat(fixture.count("jobs")).isGreaterThanOrEqualTo(BACKLOG); // the backlog has grown
    assertThat(fixture.count("jobs") + fixture.count("jobs_archive"))
        .isEqualTo(BACKLOG + fixture.tasks());
    fixture.assertAuditComplete();
  }
}
