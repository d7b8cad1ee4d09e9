package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.worker.WorkerEvent.Stuck;
import dev.skipjack.worker.WorkerEvent.TimedOut;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests handlers that return before their job has ended. */
class AsyncOutcomeTest extends WorkerFixture {

  @Test
  void anIncompleteStageHoldsItsSlotAndItsLeaseButNoThread() {
    List<CompletableFuture<Outcome>> stages = new CopyOnWriteArrayList<>();
    JobId first = store.add(job().payload("1"));
    store.add(job().payload("2"));
    store.add(job().payload("3"));

    Worker worker =
        start(
            onPlatformThreads(
                    TYPE,
                    (payload, context) -> {
                      CompletableFuture<Outcome> stage = new CompletableFuture<>();
                      stages.add(stage);
                      return Outcome.async(stage);
                    },
                    2)
                .name("async"),
            config().lease(Duration.ofMillis(300)));

    await().until(() -> stages.size() == 2);
    await().during(Duration.ofMillis(600)).until(() -> worker.status().running() == 2);
    assertThat(store.attempts(first)).isEqualTo(1); // renewed for two leases
    stages.get(0).complete(Outcome.completed("done"));
    await().until(() -> stages.size() == 3);
    stages.get(1).complete(Outcome.snooze(Duration.ofHours(1)));
    stages.get(2).completeExceptionally(new IllegalStateException("boom"));
    await().until(() -> stages.size() == 4); // retried at once
    stages.get(3).complete(Outcome.completed());
    await().until(() -> store.count(JobStatus.COMPLETED) == 2);
    assertThat(store.results).containsValue("done");
    assertThat(store.count(JobStatus.PENDING)).isEqualTo(1);
  }

  @Test
  void aStageThatTimesOutIsCancelledAndFreesItsSlot() {
    JobType<String> type = TYPE.timeout(Duration.ofMillis(100)).maxAttempts(1);
    List<CompletableFuture<Outcome>> stages = new CopyOnWriteArrayList<>();
    JobId hanging = store.add(job().payload("hang").priority(1).maxAttempts(1));
    JobId next = store.add(job().payload("next").maxAttempts(1));

    start(
        onPlatformThreads(
            type,
            (payload, context) -> {
              if (payload.equals("next")) {
                return Outcome.completed();
              }
              CompletableFuture<Outcome> stage = new CompletableFuture<>();
              stages.add(stage);
              return Outcome.async(stage);
            },
            1),
        config());

    await().until(() -> store.status(next) == JobStatus.COMPLETED);
    assertThat(store.status(hanging)).isEqualTo(JobStatus.DEAD);
    assertThat(store.error(hanging)).contains("timeout of PT0.1S has passed");
    assertThat(stages.get(0)).isCancelled();
    await().until(() -> events.all(TimedOut.class).size() == 1);
    assertThat(events.all(Stuck.class)).isEmpty();
  }

  @Test
  void aStopReleasesJobsWithIncompleteStages() {
    JobId job = store.add(job().payload("hang"));
    CompletableFuture<Outcome> stage = new CompletableFuture<>();
    Worker worker =
        start(
            onPlatformThreads(TYPE, (payload, context) -> Outcome.async(stage), 1),
            config().drainTimeout(Duration.ofMillis(50)));
    await().until(() -> worker.status().running() == 1);

    worker.close();

    assertThat(store.status(job)).isEqualTo(JobStatus.PENDING);
    assertThat(store.uncountedAttempts(job)).isEqualTo(1);
    await().until(stage::isCancelled);
  }

  @Test
  void runUntilIdleWaitsForStages() {
    store.add(job().payload("1"));
    store.add(job().payload("2"));
    AtomicInteger open = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      Worker worker =
          build(
              onPlatformThreads(
                  TYPE,
                  (payload, context) -> {
                    most.accumulateAndGet(open.incrementAndGet(), Math::max);
                    return Outcome.async(
                        CompletableFuture.supplyAsync(
                            () -> {
                              open.decrementAndGet();
                              return Outcome.completed();
                            },
                            other));
                  },
                  1),
              config());

      assertThat(worker.runUntilIdle()).isEqualTo(2);
    } finally {
      other.shutdownNow();
    }
    assertThat(store.count(JobStatus.COMPLETED)).isEqualTo(2);
    assertThat(most).hasValue(1);
  }
}
