package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Postponed.Reason;
import dev.skipjack.worker.WorkerEvent.DatabaseBack;
import dev.skipjack.worker.WorkerEvent.DatabaseLost;
import dev.skipjack.worker.WorkerEvent.PoolExhausted;
import dev.skipjack.worker.WorkerEvent.PoolFree;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Tests the worker's health and the events about it. */
class HealthTest extends WorkerFixture {

  @Test
  void aWorkerThatIsNotStartedIsNeitherAliveNorReady() {
    Worker worker =
        build(onPlatformThreads(TYPE, (payload, context) -> Outcome.completed(), 1), config());

    assertThat(worker.health().alive()).isFalse();
    assertThat(worker.health().ready()).isFalse();
    assertThat(worker.health().reasons()).containsExactly("The worker is not started.");
  }

  @Test
  void aWorkerIsNotReadyWhileTheDatabaseIsUnavailable() {
    Worker worker =
        start(onPlatformThreads(TYPE, (payload, context) -> Outcome.completed(), 1), config());
    await().until(() -> worker.health().ready());
    assertThat(worker.health().reasons()).isEmpty();
    assertThat(worker.health().schemaCurrent()).contains(true);

    store.fault = unavailable();
    await().until(() -> !worker.health().ready());
    assertThat(worker.health().alive()).isTrue();
    assertThat(worker.health().databaseReachable()).isFalse();
    await().until(() -> events.all(DatabaseLost.class).size() == 1);

    store.fault = new MemoryStore.Fault() {};
    await().until(() -> worker.health().ready());
    await().until(() -> events.all(DatabaseBack.class).size() == 1);
    assertThat(events.all(DatabaseLost.class)).hasSize(1);
  }

  @Test
  void partitionsThatCannotBeCreatedAreReportedByAWorkerThatIsReady() {
    store.missingFrom = Instant.parse("2030-01-07T00:00:00Z");
    store.postponed.add(new Postponed("job_executions_20300107", Reason.FORBIDDEN));
    Worker worker =
        start(onPlatformThreads(TYPE, (payload, context) -> Outcome.completed(), 1), config());

    await().until(() -> worker.health().ready() && !worker.health().reasons().isEmpty());

    assertThat(worker.health().reasons())
        .singleElement()
        .asString()
        .startsWith(
            "The worker cannot create partitions (job_executions_20300107: FORBIDDEN); the last one ends at 2030-01-07T00:00:00Z");
  }

  /** Heartbeats have a separate connection and succeed even then. */
  @Test
  void anExhaustedPoolIsNotReportedAsAnUnavailableDatabase() {
    store.add(job());
    CountDownLatch release = new CountDownLatch(1);
    Worker worker =
        start(
            onPlatformThreads(
                TYPE,
                (payload, context) -> {
                  release.await();
                  return Outcome.completed();
                },
                2),
            config().lease(Duration.ofMillis(300)).heartbeatInterval(Duration.ofMillis(20)));
    await().until(() -> worker.status().running() == 1 && worker.health().ready());

    store.fault =
        new MemoryStore.Fault() {
          @Override
          public void before(String call, int size) {
            if (!call.equals("heartbeat") && !call.equals("cancelRequested")) {
              throw new StoreException(
                  "none", new SQLTransientConnectionException("Not available, timed out."));
            }
          }
        };
    await().until(() -> worker.health().poolExhausted());
    assertThat(worker.health().alive()).isTrue();
    assertThat(worker.health().ready()).isFalse();
    assertThat(worker.health().databaseReachable()).isTrue();
    assertThat(worker.health().reasons())
        .anyMatch(reason -> reason.startsWith("The pool has had no free connection for "));
    await().during(Duration.ofMillis(300)).until(() -> events.all(PoolExhausted.class).size() == 1);
    assertThat(events.all(PoolFree.class)).isEmpty();

    store.fault = new MemoryStore.Fault() {};
    release.countDown();
    await().until(() -> worker.health().ready());
    await().until(() -> events.all(PoolFree.class).size() == 1);
    assertThat(events.all(PoolExhausted.class)).hasSize(1);
    assertThat(events.all(DatabaseLost.class)).isEmpty();
  }

  @Test
  void aWorkerWithoutFreeSlotsDoesNotReportAnUnavailableDatabaseAsReachable() {
    CountDownLatch release = new CountDownLatch(1);
    store.addAll(2, job());
    Worker worker =
        start(
            onPlatformThreads(
                TYPE,
                (payload, context) -> {
                  release.await();
                  return Outcome.completed();
                },
                2),
            config().prefetch(0).lease(Duration.ofMillis(300)));
    await().until(() -> worker.status().running() == 2);
    store.fault = unavailable();

    await().until(() -> !worker.health().databaseReachable());
    await()
        .during(Duration.ofMillis(500))
        .until(() -> !worker.health().databaseReachable() && !worker.health().ready());
    store.fault = new MemoryStore.Fault() {};
    release.countDown();
    await().until(() -> worker.health().databaseReachable());
  }

  @Test
  void aSchemaWithoutAVersionIsTooOld() {
    store.fault =
        new MemoryStore.Fault() {
          @Override
          public void before(String call, int size) {
            if (call.equals("announce")) {
              throw new StoreException("no function", new SQLException("none", "42883"));
            }
          }
        };

    Worker worker =
        start(onPlatformThreads(TYPE, (payload, context) -> Outcome.completed(), 1), config());

    await().until(() -> worker.health().schemaCurrent().isPresent());
    assertThat(worker.health().schemaCurrent()).contains(false);
  }

  @Test
  void anEncodingThatCannotStoreEveryTextIsReported() {
    store.encoding = "LATIN1";
    Worker worker =
        start(onPlatformThreads(TYPE, (payload, context) -> Outcome.completed(), 1), config());

    await()
        .untilAsserted(
            () ->
                assertThat(worker.health().reasons())
                    .anyMatch(reason -> reason.contains("encoding is LATIN1")));
    assertThat(worker.health().ready()).isFalse();
  }

  @Test
  void anOldSchemaIsReportedAndJobsStillRun() {
    store.schemaVersion = 0;
    JobId job = store.add(job());

    Worker worker =
        start(onPlatformThreads(TYPE, (payload, context) -> Outcome.completed(), 1), config());

    await().until(() -> store.status(job) == JobStatus.COMPLETED);
    await().until(() -> worker.health().schemaCurrent().isPresent());
    assertThat(worker.health().ready()).isFalse();
    assertThat(worker.health().reasons())
        .containsExactly(
            "The schema is too old for this version of the library. Run its migrations.");
  }

  @Test
  void aPausedQueueIsReportedOnce() {
    start(onPlatformThreads(TYPE, (payload, context) -> Outcome.completed(), 1), config());
    store.paused.add("q");
    await().until(() -> events.all(WorkerEvent.QueuePaused.class).size() == 1);
    store.paused.clear();
    await().until(() -> events.all(WorkerEvent.QueueResumed.class).size() == 1);
    assertThat(events.all(WorkerEvent.QueuePaused.class))
        .containsExactly(new WorkerEvent.QueuePaused("q"));
  }
}
