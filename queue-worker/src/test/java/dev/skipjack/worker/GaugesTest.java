package dev.skipjack.worker;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.WorkerId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests registries that are slow, or that read gauges immediately in their own threads. */
@Timeout(30)
class GaugesTest {

  private static final int GAUGES = 7;

  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final List<WorkerMeter> removed = new CopyOnWriteArrayList<>();

  @Test
  void gaugesMayBeReadWhileTheyAreRegisteredAndRemoved() {
    try (Worker worker = worker(new Curious()).start()) {
      assertThat(worker.status().started()).isTrue();
      assertThat(asked).hasSize(GAUGES).doesNotContain("nobody answered");
    }
    assertThat(removed).hasSize(GAUGES);
    assertThat(asked).hasSize(2 * GAUGES).doesNotContain("nobody answered");
  }

  @Test
  void gaugesOfAWorkerThatIsStoppedDuringRegistrationAreRemoved() throws Exception {
    CountDownLatch showing = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Worker worker =
        worker(
            new Quiet() {
              @Override
              public Runnable gauge(WorkerMeter gauge, WorkerId shown, DoubleSupplier value) {
                showing.countDown();
                awaitQuietly(go);
                return () -> removed.add(gauge);
              }
            });
    Thread starter = new Thread(worker::start);
    starter.start();
    await().until(() -> showing.getCount() == 0);

    worker.stop(); // must not wait for the registry
    assertThat(starter.isAlive()).isTrue();
    go.countDown();

    starter.join();
    assertThat(removed).hasSize(GAUGES);
  }

  /** Reads a gauge in another thread as soon as it is registered, and again when it is removed. */
  private final class Curious extends Quiet {
    @Override
    public Runnable gauge(WorkerMeter gauge, WorkerId shown, DoubleSupplier value) {
      ask(value);
      return () -> {
        ask(value);
        removed.add(gauge);
      };
    }

    private void ask(DoubleSupplier value) {
      try {
        asked.add(
            CompletableFuture.supplyAsync(value::getAsDouble).get(2, SECONDS) + " is the answer");
      } catch (Exception none) {
        asked.add("nobody answered");
      }
    }
  }

  private abstract static class Quiet implements WorkerMetrics {
    @Override
    public void count(WorkerMeter counter, String queue, String kind) {}

    @Override
    public void count(WorkerMeter counter, long times, String worker) {}

    @Override
    public void record(WorkerMeter timer, Duration took, String queue, String kind) {}

    @Override
    public void record(WorkerMeter timer, Duration took, String worker) {}
  }

  private static Worker worker(WorkerMetrics metrics) {
    return Worker.on(new MemoryStore())
        .handle(JobType.of("k", String.class), (payload, context) -> Outcome.completed())
        .queue("q", 1)
        .metrics(metrics)
        .build();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
