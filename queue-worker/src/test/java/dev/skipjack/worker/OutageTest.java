package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.StoreException;
import dev.skipjack.worker.WorkerEvent.Failed;
import dev.skipjack.worker.WorkerEvent.LoopFailed;
import dev.skipjack.worker.WorkerEvent.LoopRecovered;
import dev.skipjack.worker.WorkerEvent.Succeeded;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests a worker whose database is unavailable for a while. */
class OutageTest extends WorkerFixture {

  @Test
  void jobsRunOnceThoughTheirOutcomesWaitForTheDatabase() {
    AtomicInteger runs = new AtomicInteger();
    start(
        on(
            (payload, context) -> {
              runs.incrementAndGet();
              return Outcome.completed();
            },
            4),
        config());
    store.addAll(50, job());
    await().until(() -> runs.get() > 0);

    AtomicInteger refused = new AtomicInteger();
    store.fault =
        new MemoryStore.Fault() {
          @Override
          public void before(String call, int size) {
            refused.incrementAndGet();
            throw new StoreException("unavailable", new SQLException("unavailable", "08006"));
          }
        };
    store.addAll(50, job());
    await().until(() -> !events.all(LoopFailed.class).isEmpty());
    int before = refused.get();
    await().during(Duration.ofMillis(300)).atMost(Duration.ofSeconds(30)).until(() -> true);
    assertThat(refused.get() - before).isLessThan(60); // it backs off
    store.fault = new MemoryStore.Fault() {};

    await().until(() -> store.count(JobStatus.COMPLETED) == 100);
    await().until(() -> events.all(Succeeded.class).size() == 100);
    assertThat(runs).hasValue(100);
    await().until(() -> !events.all(LoopRecovered.class).isEmpty());
    assertThat(events.all(Failed.class)).isEmpty();
  }
}
