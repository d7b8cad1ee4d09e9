package dev.skipjack.worker.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobId;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.JobOperations;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.dedup.Unique;
import dev.skipjack.dedup.UniqueJobs;
import dev.skipjack.faults.CrashingPostgres;
import dev.skipjack.outbox.Inbox;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests a failover after which the old primary stays up but is read-only. The connections to it
 * still work, so only the worker can detect that they are useless.
 */
@Timeout(120)
class FailoverIT {

  private static final Duration BACK_AT_WORK = Duration.ofSeconds(30);

  /** A role that exists on both servers, whose default passwords differ. */
  private static final String ROLE = "CREATE ROLE app SUPERUSER LOGIN PASSWORD 'app'";

  @Test
  void aWorkerLeavesAnOldPrimaryThatOnlyReads() {
    try (CrashingPostgres oldPrimary = CrashingPostgres.create();
        CrashingPostgres newPrimary = CrashingPostgres.create()) {
      FaultFixture before = new FaultFixture(oldPrimary.direct(), oldPrimary.schema());
      FaultFixture after = new FaultFixture(newPrimary.direct(), newPrimary.schema());
      before.execute(ROLE);
      after.execute(ROLE);
      newPrimary.proxy().refuseNew();
      HikariConfig settings = settings(oldPrimary, newPrimary);
      settings.setMaximumPoolSize(12);
      settings.setConnectionTimeout(500);
      try (HikariDataSource pool = new HikariDataSource(settings);
          Worker worker = start(pool, oldPrimary.schema())) {
        before.enqueue(10, Task.Deed.WORK);
        before.assertAllDoneOnce();
        await().until(() -> worker.health().ready());
        await().until(() -> pool.getHikariPoolMXBean().getIdleConnections() >= 10);

        before.execute("ALTER SYSTEM SET default_transaction_read_only = on");
        before.value("SELECT pg_reload_conf()");

        await().atMost(BACK_AT_WORK).until(() -> !worker.health().ready());
        assertThat(String.join("\n", worker.health().reasons())).contains("read-only");
        after.enqueue(50, Task.Deed.WORK_SLOWLY);
        newPrimary.proxy().pass();

        after.assertAllDoneOnce(BACK_AT_WORK);
        await().atMost(BACK_AT_WORK).until(() -> worker.health().ready());
        // The kept connections, which renew leases and listen, have moved as well.
        await()
            .atMost(BACK_AT_WORK)
            .until(
                () ->
                    before
                        .value(
                            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
                        .equals("0"));
      }
    }
  }

  /**
   * A process that only enqueues, or only operates, has no worker that checks its pool. Each way
   * has a pool of its own, so that none is helped by another.
   */
  @Test
  void everyWayToWriteLeavesAnOldPrimaryThatOnlyReads() {
    try (CrashingPostgres oldPrimary = CrashingPostgres.create();
        CrashingPostgres newPrimary = CrashingPostgres.create();
        Pools pools = new Pools(oldPrimary, newPrimary)) {
      FaultFixture before = new FaultFixture(oldPrimary.direct(), oldPrimary.schema());
      FaultFixture after = new FaultFixture(newPrimary.direct(), newPrimary.schema());
      before.execute(ROLE);
      after.execute(ROLE);
      newPrimary.proxy().refuseNew();
      Map<String, Runnable> writes = new LinkedHashMap<>();
      WAYS_TO_WRITE.forEach((name, way) -> writes.put(name, way.apply(pools.queue())));
      writes.values().forEach(Runnable::run);
      pools.awaitFull();

      before.execute("ALTER SYSTEM SET default_transaction_read_only = on");
      before.value("SELECT pg_reload_conf()");
      await().until(() -> before.value("SHOW default_transaction_read_only").equals("on"));
      newPrimary.proxy().pass();

      for (Map.Entry<String, Runnable> write : writes.entrySet()) {
        await(write.getKey())
            .atMost(BACK_AT_WORK)
            .ignoreException(StoreException.class)
            .until(
                () -> {
                  write.getValue().run();
                  return true;
                });
      }
    }
  }

  private static final Map<String, Function<JobQueue, Runnable>> WAYS_TO_WRITE = waysToWrite();

  private static Map<String, Function<JobQueue, Runnable>> waysToWrite() {
    Map<String, Function<JobQueue, Runnable>> ways = new LinkedHashMap<>();
    Task task = new Task(0, Task.Deed.WORK);
    ways.put("enqueue", queue -> () -> queue.enqueue(Task.TYPE, task));
    ways.put("enqueueAll", queue -> () -> queue.enqueueAll(Task.TYPE, List.of(task, task)));
    ways.put(
        "enqueueOnce",
        queue ->
            () ->
                queue.enqueueOnce(
                    Task.TYPE, task, job -> job.idempotencyKey(UUID.randomUUID().toString())));
    ways.put(
        "strict",
        queue ->
            () -> queue.enqueue(Task.TYPE, task, job -> job.orderingKey("k").strictOrdering()));
    ways.put(
        "unique",
        queue -> {
          UniqueJobs unique = UniqueJobs.on(queue);
          return () -> unique.enqueue(Task.TYPE, task, Unique.byKey(UUID.randomUUID().toString()));
        });
    ways.put("pause", queue -> () -> queue.admin().pause("other"));
    ways.put("cancel", queue -> () -> queue.admin().cancel(List.of(new JobId(1))));
    ways.put("unblock", queue -> () -> queue.admin().unblock("none"));
    ways.put(
        "operation",
        queue ->
            () -> {
              JobOperations operations = queue.operations();
              operations.start(operations.preview(OperationAction.CANCEL, JobQuery.live()), "test");
            });
    ways.put(
        "schedule",
        queue ->
            () ->
                queue
                    .schedules()
                    .declare(Schedule.cron("0 0 * * *").named("s").enqueue(Task.TYPE, task)));
    ways.put(
        "outbox",
        queue -> {
          Outbox outbox = Outbox.on(queue);
          return () -> outbox.admin().redrive(UUID.randomUUID());
        });
    ways.put(
        "inbox",
        queue -> {
          Inbox inbox = Inbox.on(queue, "consumer");
          return () -> inbox.prune(Duration.ofDays(1));
        });
    return ways;
  }

  /** Pools whose URL names both servers, each full of connections to the old primary. */
  private static final class Pools implements AutoCloseable {

    private static final int SIZE = 3;

    private final CrashingPostgres oldPrimary;
    private final CrashingPostgres newPrimary;
    private final List<HikariDataSource> open = new ArrayList<>();

    Pools(CrashingPostgres oldPrimary, CrashingPostgres newPrimary) {
      this.oldPrimary = oldPrimary;
      this.newPrimary = newPrimary;
    }

    JobQueue queue() {
      HikariConfig settings = settings(oldPrimary, newPrimary);
      settings.setMaximumPoolSize(SIZE);
      HikariDataSource pool = new HikariDataSource(settings);
      open.add(pool);
      return JobQueue.builder(pool).schema(oldPrimary.schema()).build();
    }

    void awaitFull() {
      for (HikariDataSource pool : open) {
        await().until(() -> pool.getHikariPoolMXBean().getIdleConnections() == SIZE);
      }
    }

    @Override
    public void close() {
      open.forEach(HikariDataSource::close);
    }
  }

  private static HikariConfig settings(CrashingPostgres oldPrimary, CrashingPostgres newPrimary) {
    HikariConfig settings = new HikariConfig();
    settings.setJdbcUrl(
        "jdbc:postgresql://127.0.0.1:%d,127.0.0.1:%d/postgres?user=app&password=app&targetServerType=primary"
            .formatted(oldPrimary.proxy().port(), newPrimary.proxy().port()));
    return settings;
  }

  private static Worker start(HikariDataSource pool, String schema) {
    return Worker.on(JobQueue.builder(pool).schema(schema).build())
        .handle(Task.TYPE, new TaskHandler(pool))
        .queue("default", 4)
        .config(WorkerConfig.defaults())
        .start();
  }
}
