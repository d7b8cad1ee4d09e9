package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.spi.DueLane;
import dev.skipjack.api.spi.DueLanes;
import dev.skipjack.api.spi.Lane;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what a worker reports when it cannot begin due jobs. */
@Timeout(30)
class SaturationTest {

  private static final int SLOTS = 2;

  private final Reporter reporter = new Reporter(List.of());
  private final Vitals vitals = new Vitals(reporter);
  private final ServedQueue queue =
      new ServedQueue(
          "q",
          SLOTS,
          0,
          new Wakeup(),
          LaneOrder.Reserve.A_TENTH,
          new PayloadBudget(Long.MAX_VALUE));
  private final Saturation saturation = new Saturation(List.of(queue), vitals, reporter);

  @Test
  void theLagGrowsWhileAllSlotsAreTaken() {
    MemoryStore store = new MemoryStore();
    CountDownLatch release = new CountDownLatch(1);
    try (Worker worker =
        Worker.on(store)
            .handle(
                JobType.of("k", String.class),
                (payload, context) -> {
                  release.await();
                  return Outcome.completed();
                })
            .queue("q", 1)
            .config(WorkerConfig.builder().pollInterval(Duration.ofMillis(20)).build())
            .start()) {
      store.add(job().payload("slow"));
      await().until(() -> worker.status().running() == 1);
      store.add(job().payload("waits"));

      await().until(() -> worker.health().lag().compareTo(Duration.ofMillis(300)) > 0);
      release.countDown();
    }
  }

  @Test
  void aQueueWithoutAFreeSlotIsNamedWhenItsJobsWait() {
    queue.began(Attempts.begun(Duration.ofMinutes(9)));
    listed(Duration.ofMinutes(5));
    assertThat(saturation.reasons()).isEmpty(); // a slot is free

    queue.began(Attempts.begun(Duration.ofMinutes(3)));
    assertThat(saturation.reasons())
        .singleElement()
        .asString()
        .startsWith("All 2 slots of queue 'q' have been taken for PT3M")
        .endsWith("the oldest due job has waited PT5M.");
    listed(Duration.ZERO);
    assertThat(saturation.reasons()).isEmpty(); // nothing waits
  }

  @Test
  void workerIsNotReadyWhileStuckHandlersOccupyAllSlots() {
    for (int i = 0; i < 2 * SLOTS; i++) {
      assertThat(saturation.stuck()).isEmpty();
      Attempt attempt = Attempts.begun(Duration.ofMinutes(9));
      queue.began(attempt);
      assertThat(attempt.timeOut()).isTrue();
      Thread.interrupted(); // clears the interrupt of this thread
      assertThat(attempt.becameStuck(0)).isTrue();
    }

    assertThat(saturation.stuck()).hasSize(1);
    WorkerHealth health = judge(new HandlerWatch(System::nanoTime));
    assertThat(health.ready()).isFalse();
    assertThat(health.reasons())
        .anyMatch(reason -> reason.contains("All slots of queue 'q' are taken by handlers"));
  }

  @Test
  void workerIsNotReadyAfterLongRefusalsUntilAHandlerBegins() {
    AtomicLong now = new AtomicLong();
    HandlerWatch handlers = new HandlerWatch(now::get);
    assertThat(handlers.refused()).isTrue();
    assertThat(judge(handlers).reasons()).noneMatch(reason -> reason.contains("executor"));

    now.addAndGet(Duration.ofSeconds(11).toNanos());
    assertThat(handlers.refused()).isFalse();
    assertThat(judge(handlers).reasons())
        .contains("The executor has rejected every job for PT11S, so claimed jobs are released.");

    handlers.began();
    assertThat(judge(handlers).reasons()).noneMatch(reason -> reason.contains("executor"));
  }

  private WorkerHealth judge(HandlerWatch handlers) {
    return HealthRules.judge(
        true,
        List.of(),
        List.of(),
        WorkerConfig.defaults(),
        vitals,
        new DatabaseWatch(),
        handlers,
        saturation);
  }

  private void listed(Duration waited) {
    vitals.listed(
        new DueLanes(
            waited.isZero() ? List.of() : List.of(new DueLane(new Lane("q", 0), waited)),
            List.of()));
  }
}
