package dev.skipjack.worker.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.Outcome;
import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerEvent;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a pool whose connections are all in use, by handlers or by other code. */
@QueueTest
@Timeout(60)
class ExhaustedPoolIT {

  private static final int POOL = 6;
  private static final int WORKERS_POOL = 7;

  /** Longer than a busy machine may stop a whole JVM. Such a pause loses a lease of a second. */
  private static final Duration LEASE = Duration.ofMillis(2_500);

  private final QueueDatabase database;
  private final EventLog events = new EventLog();

  ExhaustedPoolIT(QueueDatabase database) {
    this.database = database;
  }

  @Test
  void handlersThatHoldEveryConnectionForThreeLeasesLoseNoLeaseIfWorkersHaveTheirOwnPool()
      throws Exception {
    HikariDataSource pool = database.newDataSource(POOL);
    assertNoLeaseIsLost(
        JobQueue.builder(pool).controlOn(database.newDataSource(WORKERS_POOL)), pool);
  }

  @Test
  void handlersThatHoldEveryConnectionForThreeLeasesLoseNoLease() throws Exception {
    HikariDataSource pool = database.newDataSource(POOL);
    assertNoLeaseIsLost(JobQueue.builder(pool), pool);
  }

  private void assertNoLeaseIsLost(JobQueue.Builder queue, HikariDataSource pool)
      throws InterruptedException {
    FaultFixture fixture = new FaultFixture(database.dataSource(), database.schema());
    CountDownLatch finish = new CountDownLatch(1);
    try (Worker worker =
        Worker.on(queue.schema(database.schema()).build())
            .handle(
                Task.TYPE,
                (task, context) -> {
                  try (Connection held = pool.getConnection()) {
                    assertThat(held.getAutoCommit()).isTrue();
                    context.progress(50, "half of it"); // written although no connection is free
                    finish.await();
                  }
                  return Outcome.completed();
                })
            .queue("default", POOL)
            .config(ForkedWorker.config(LEASE))
            .listener(events)
            .start()) {
      fixture.enqueue(POOL, Task.Deed.WORK);
      await().until(() -> worker.status().running() == POOL);
      await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == POOL);
      // The fault lasts for this long, and nothing must be lost.
      TimeUnit.NANOSECONDS.sleep(LEASE.multipliedBy(3).toNanos());
      finish.countDown();
      await()
          .atMost(FaultFixture.PATIENCE)
          .until(() -> fixture.count("jobs_archive WHERE status = 'completed'") == POOL);
    }
    assertThat(events.all(WorkerEvent.Lost.class)).isEmpty();
    assertThat(fixture.count("job_executions")).isEqualTo(POOL);
  }

  @Test
  void aWorkerContinuesAfterItsPoolWasExhausted() {
    FaultFixture fixture = new FaultFixture(database.dataSource(), database.schema());
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    try (Worker worker =
        Worker.on(JobQueue.builder(faulty).schema(database.schema()).build())
            .handle(Task.TYPE, new TaskHandler(database.dataSource()))
            .queue("default", 2)
            .config(ForkedWorker.config())
            .listener(events)
            .start()) {
      fixture.enqueue(5, Task.Deed.WORK);
      fixture.assertAllDoneOnce();
      faulty.exhaust();
      fixture.enqueue(50, Task.Deed.WORK);
      await().until(() -> events.hasFailed("claim-loop") && events.hasFailed("rescuer"));
      assertThat(worker.health().poolExhausted()).isTrue();
      assertThat(worker.health().ready()).isFalse();
      assertThat(worker.health().databaseReachable()).isTrue();
      faulty.reset();
      fixture.assertAllDoneOnce();
      await().until(() -> worker.health().ready());
      assertThat(worker.status().started()).isTrue();
    }
    assertThat(events.all(WorkerEvent.PoolExhausted.class)).hasSize(1);
    assertThat(events.all(WorkerEvent.PoolFree.class)).hasSize(1);
    assertThat(events.all(WorkerEvent.DatabaseLost.class)).isEmpty();
  }

  /** Uses the exception of HikariCP itself, which has no cause because no server failed. */
  @Test
  void aPoolExhaustedByHandlersIsNotReportedAsALostDatabase() throws Exception {
    FaultFixture fixture = new FaultFixture(database.dataSource(), database.schema());
    HikariDataSource pool = database.newDataSource(POOL);
    pool.setConnectionTimeout(250);
    CountDownLatch finish = new CountDownLatch(1);
    try (Worker worker =
        Worker.on(JobQueue.builder(pool).schema(database.schema()).build())
            .handle(
                Task.TYPE,
                (task, context) -> {
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

      await()
          .atMost(FaultFixture.PATIENCE)
          .until(() -> !events.all(WorkerEvent.PoolExhausted.class).isEmpty());
      finish.countDown();
      await()
          .atMost(FaultFixture.PATIENCE)
          .until(() -> !events.all(WorkerEvent.PoolFree.class).isEmpty());
      assertThat(worker.health().databaseReachable()).isTrue();
    }
    assertThat(events.all(WorkerEvent.DatabaseLost.class)).isEmpty();
  }
}
