package dev.skipjack.worker.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import dev.skipjack.worker.WorkerEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a worker behind PgBouncer in transaction mode, where each transaction may run in a
 * different session.
 */
@QueueTest
@Timeout(60)
class PoolerIT {

  private final QueueDatabase database;
  private final EventLog events = new EventLog();
  private FaultFixture fixture;
  private PgBouncer pooler;
  private HikariDataSource pool;

  PoolerIT(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void start(@TempDir Path folder) throws IOException {
    pooler = PgBouncer.before(database.jdbcUrl(), folder);
    fixture = new FaultFixture(database.dataSource(), database.schema());
    HikariConfig settings = new HikariConfig();
    settings.setJdbcUrl(pooler.jdbcUrl());
    settings.setMaximumPoolSize(10);
    settings.setInitializationFailTimeout(10_000);
    pool = new HikariDataSource(settings);
  }

  @AfterEach
  void end() {
    if (pool != null) {
      pool.close();
      pooler.close();
    }
  }

  @Test
  void jobsAreFoundByPollingAndDoneOnce() {
    try (Worker worker = worker(JobQueue.builder(pool), Duration.ofMillis(100))) {
      fixture.enqueue(500, Task.Deed.WORK);
      fixture.assertAllDoneOnce();
      assertThat(worker.status().started()).isTrue();
    }
    // The worker cannot listen through the pooler. It reports no failure and does not try again.
    assertThat(events.all(WorkerEvent.LoopFailed.class)).isEmpty();
  }

  @Test
  void wakeUpsAreReceivedOnADirectConnection() {
    try (Worker worker =
        worker(JobQueue.builder(pool).listenOn(database.dataSource()), Duration.ofHours(1))) {
      await()
          .until(
              () ->
                  fixture
                      .value(
                          "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN %' AND datname = current_database()")
                      .equals("1"));
      fixture.enqueue(1, Task.Deed.WORK);
      fixture.assertAllDoneOnce();
      fixture.enqueue(1, Task.Deed.WORK);
      fixture.assertAllDoneOnce();
      assertThat(worker.status().started()).isTrue();
    }
  }

  private Worker worker(JobQueue.Builder queue, Duration pollInterval) {
    return Worker.on(queue.schema(database.schema()).build())
        .handle(Task.TYPE, new TaskHandler(pool))
        .queue("default", 4)
        .config(WorkerConfig.builder().pollInterval(pollInterval).build())
        .listener(events)
        .start();
  }
}
