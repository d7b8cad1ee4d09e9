package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.worker.WorkerEvent.Stuck;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests handlers that ignore interrupts. */
class StuckHandlerTest extends WorkerFixture {

  @Test
  void slotsOfStuckHandlersAreReplacedAndTheirJobsRescued() {
    JobType<String> type = TYPE.timeout(Duration.ofMillis(50));
    AtomicBoolean release = new AtomicBoolean();
    AtomicInteger entered = new AtomicInteger();
    store.addAll(2, job().payload("loop").priority(1).maxAttempts(1));
    store.addAll(20, job().payload("good"));

    Worker worker =
        start(
            onPlatformThreads(
                type,
                (payload, context) -> {
                  if (payload.equals("loop")) {
                    entered.incrementAndGet();
                    while (!release.get()) {
                      Thread.onSpinWait();
                    }
                  }
                  return Outcome.completed();
                },
                2),
            config()
                .lease(Duration.ofMillis(300))
                .rescueInterval(Duration.ofMillis(50))
                .interruptGrace(Duration.ofMillis(50)));

    await().until(() -> store.count(JobStatus.COMPLETED) == 20);
    await().until(() -> store.count(JobStatus.DEAD) == 2); // rescued, attempts used up
    assertThat(entered).hasValue(2);
    assertThat(worker.status().stuck()).isEqualTo(2);
    await().until(() -> events.all(Stuck.class).size() == 2);
    release.set(true);
    await().until(() -> worker.status().running() == 0);
    assertThat(worker.status().stuck()).isZero();
    store.addAll(20, job().payload("good"));
    await().until(() -> store.count(JobStatus.COMPLETED) == 40);
  }

  @Test
  void stuckHandlersDoNotDelayAStop() {
    JobType<String> type = TYPE.timeout(Duration.ofMillis(50)).maxAttempts(1);
    AtomicBoolean release = new AtomicBoolean();
    store.add(job().payload("loop").priority(1).maxAttempts(1));
    Worker worker =
        start(
            onPlatformThreads(
                type,
                (payload, context) -> {
                  while (!release.get()) {
                    Thread.onSpinWait();
                  }
                  return Outcome.completed();
                },
                1),
            config().interruptGrace(Duration.ofMillis(50)).drainTimeout(Duration.ofMinutes(10)));
    await().until(() -> worker.status().stuck() == 1);

    worker.stop();

    assertThat(worker.status().started()).isFalse();
    release.set(true);
  }

  @Test
  void noMoreSlotsAreReplacedThanTheQueueHas() {
    JobType<String> type = TYPE.timeout(Duration.ofMillis(20)).maxAttempts(1);
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger inside = new AtomicInteger();
    store.addAll(10, job().payload("loop").priority(1).maxAttempts(1));

    start(
        onPlatformThreads(
            type,
            (payload, context) -> {
              inside.incrementAndGet();
              while (release.getCount() > 0) {
                Thread.onSpinWait();
              }
              return Outcome.completed();
            },
            2),
        config().interruptGrace(Duration.ofMillis(20)));

    await().until(() -> inside.get() == 4);
    await().during(Duration.ofMillis(300)).until(() -> inside.get() == 4);
    release.countDown();
  }
}
