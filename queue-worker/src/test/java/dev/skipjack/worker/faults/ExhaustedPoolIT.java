package dev.skipjack.worker.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.testkit.faults.FaultyDataSource;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerEvent;
import java.sql.Connection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pool whose connections are all taken, by handlers or by others. */
@QueueTest
@Timeout(60)
class ExhaustedPoolIT {

  private static final int POOL = 6;

  private final QueueDatabase database;
  private final EventLog events = new EventLog();

  ExhaustedPoolIT(QueueDatabase database) {
    this.database = database;
  }

  @Test
  @Disabled("The heartbeat has no connection of its own: it waits for the pool that handlers hold")
  void handlersThatHoldEveryConnectionForThreeLeasesLoseNone() throws Exception {
    FaultFixture fixture = new FaultFixture(database.dataSource(), database.schema());
    HikariDataSource pool = database.newDataSource(POOL);
    CountDownLatch began = new CountDownLatch(POOL);
    CountDownLatch finish = new CountDownLatch(1);
    try (Worker worker =
        Worker.on(JobQueue.builder(pool).schema(database.schema()).build())
            .handle(
                Task.TYPE,
                (task, context) -> {
                  began.countDown();
                  try (Connection held = pool.getConnection()) {
                    assertThat(held.getAutoCommit()).isTrue();
                    finish.await();
                  }
                  return Outcome.completed();
                })
            .queue("default", POOL)
            .config(ForkedWorker.config())
            .listener(events)
            .start()) {
      fixture.enqueue(POOL, Task.Deed.WORK);
      began.await();
      await().until(() -> pool.getHikariPoolMXBean().getIdleConnections() == 0);
      // The fault is a time: as long as that nothing must be lost.
      TimeUnit.NANOSECONDS.sleep(ForkedWorker.LEASE.multipliedBy(3).toNanos());
      finish.countDown();
      await()
          .atMost(FaultFixture.PATIENCE)
          .until(() -> fixture.count("jobs_archive WHERE status = 'completed'") == POOL);
      assertThat(worker.status().running()).isZero();
    }
    assertThat(events.all(WorkerEvent.Lost.class)).isEmpty();
    assertThat(fixture.count("job_executions WHERE status = 'lost'")).isZero();
    assertThat(fixture.count("job_executions")).isEqualTo(POOL);
  }

  @Test
  void aPoolThatIsEmptyForAWhileStopsNothingForGood() {
    FaultFixture fixture = new FaultFixture(database.dataSource(), database.schema());
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    try (Worker worker =
        Worker.on(JobQueue.builder(faulty).schema(database.schema()).build())
            .handle(Task.TYPE, new Deeds(database.dataSource()))
            .queue("default", 2)
            .config(ForkedWorker.config())
            .listener(events)
            .start()) {
      fixture.enqueue(5, Task.Deed.WORK);
      fixture.assertAllDoneOnce();
      faulty.exhaust();
      fixture.enqueue(50, Task.Deed.WORK);
      await().until(() -> events.hasFailed("fetcher") && events.hasFailed("rescuer"));
      faulty.mend();
      fixture.assertAllDoneOnce();
      assertThat(worker.status().started()).isTrue();
    }
  }
}
