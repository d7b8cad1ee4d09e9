package dev.skipjack.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import dev.skipjack.worker.WorkerMeter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@QueueTest
class MicrometerMetricsTest {

  private static final JobType<String> MAIL = JobType.of("mail", String.class).maxAttempts(1);

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @Test
  void eventsOfAWorkerAreMeasured(QueueDatabase database) {
    try (HikariDataSource pool = database.newDataSource(5)) {
      JobQueue queue = JobQueue.builder(pool).schema(database.schema()).build();
      queue.enqueue(MAIL, "good");
      queue.enqueue(MAIL, "bad");
      queue.enqueue(MAIL, "good");
      Worker worker =
          Worker.on(queue)
              .handle(
                  MAIL,
                  (payload, context) ->
                      payload.equals("good") ? Outcome.completed() : Outcome.dead("bad"))
              .queue("default", 2)
              .config(WorkerConfig.builder().pollInterval(Duration.ofMillis(50)).build())
              .metrics(new MicrometerMetrics(registry))
              .start();
      try (worker) {
        await().until(() -> count(WorkerMeter.COMPLETED) == 2 && count(WorkerMeter.DEAD) == 1);

        assertThat(count(WorkerMeter.CLAIMED)).isEqualTo(3);
        assertThat(registry.get("skipjack.jobs.run").timer().count()).isEqualTo(3);
        assertThat(registry.get("skipjack.jobs.wait").timer().count()).isEqualTo(3);
        assertThat(registry.get("skipjack.worker.claim").timer().totalTime(TimeUnit.NANOSECONDS))
            .isPositive();
        assertThat(registry.get("skipjack.worker.flush").timer().count()).isPositive();
        assertThat(registry.get("skipjack.worker.running").gauge().value()).isZero();
        assertThat(registry.get("skipjack.worker.poll.age").gauge().value()).isBetween(0.0, 30.0);
        assertThat(registry.getMeters())
            .allSatisfy(
                meter ->
                    assertThat(meter.getId().getTag("worker") == null)
                        .isEqualTo(meter.getId().getName().startsWith("skipjack.jobs.")));
      }
      assertThat(registry.getMeters())
          .extracting(Meter::getId)
          .noneMatch(id -> id.getType() == Meter.Type.GAUGE);
    }
  }

  @Test
  void twoWorkersOfOneNameHaveGaugesOfTheirOwn(QueueDatabase database) throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    JobQueue queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
    try (Worker idle = worker(queue, "idle", done)) {
      Worker busy = worker(queue, "busy", done);
      try (busy) {
        queue.enqueue(MAIL, "long", job -> job.onQueue("busy"));

        await().until(() -> running("vm-2") == 1);
        assertThat(running("vm")).isZero();
        assertThat(idle.status().running()).isZero();
        assertThat(registry.get("skipjack.worker.lag").tag("worker", "vm").gauge().getId())
            .extracting(Meter.Id::getBaseUnit)
            .isEqualTo("seconds");
        done.countDown();
      }
      assertThat(registry.find("skipjack.worker.running").gauges())
          .extracting(gauge -> gauge.getId().getTag("worker"))
          .containsExactly("vm");
    } finally {
      done.countDown();
    }
  }

  private Worker worker(JobQueue queue, String served, CountDownLatch done) {
    return Worker.on(queue)
        .handle(
            MAIL,
            (payload, context) -> {
              done.await();
              return Outcome.completed();
            })
        .queue(served, 1)
        .name("vm")
        .metrics(new MicrometerMetrics(registry))
        .start();
  }

  private double running(String worker) {
    return registry.get("skipjack.worker.running").tag("worker", worker).gauge().value();
  }

  private double count(WorkerMeter meter) {
    var counter =
        registry.find(meter.meterName()).tags("queue", "default", "kind", "mail").counter();
    return counter == null ? 0 : counter.count();
  }

  @Test
  void theDocumentHasEveryMeter() throws IOException {
    String document = Files.readString(Path.of("../../docs/metrics.md"));

    for (WorkerMeter meter : WorkerMeter.values()) {
      assertThat(document)
          .contains(
              "| `%s` | %s |"
                  .formatted(meter.meterName(), meter.type().name().toLowerCase(Locale.ROOT)));
    }
  }
}
