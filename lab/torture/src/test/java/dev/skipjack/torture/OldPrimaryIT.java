package dev.skipjack.torture;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
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
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests a failover after which the old primary stays up but is read-only, in processes without a
 * worker. It is in this module because it needs every module that writes.
 */
@Timeout(120)
class OldPrimaryIT {

  private static final Duration BACK_AT_WORK = Duration.ofSeconds(30);
  private static final JobType<String> TASK = JobType.of("task", String.class);

  /** Both servers need this role, because the passwords of their default users differ. */
  private static final String ROLE = "CREATE ROLE app SUPERUSER LOGIN PASSWORD 'app'";

  /**
   * A process that only enqueues, or only operates, has no worker that checks its pool. Each way
   * has a pool of its own, so that the ways do not affect each other.
   */
  @Test
  void everyWayToWriteReconnectsIfTheOldPrimaryIsReadOnly() {
    try (CrashingPostgres oldPrimary = CrashingPostgres.create();
        CrashingPostgres newPrimary = CrashingPostgres.create();
        Pools pools = new Pools(oldPrimary, newPrimary)) {
      execute(oldPrimary.direct(), ROLE);
      execute(newPrimary.direct(), ROLE);
      newPrimary.proxy().refuseNew();
      Map<String, Runnable> writes = new LinkedHashMap<>();
      WAYS_TO_WRITE.forEach((name, way) -> writes.put(name, way.apply(pools.queue())));
      writes.values().forEach(Runnable::run);
      pools.awaitFull();

      execute(oldPrimary.direct(), "ALTER SYSTEM SET default_transaction_read_only = on");
      execute(oldPrimary.direct(), "SELECT pg_reload_conf()");
      await().until(() -> isReadOnly(oldPrimary.direct()));
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

  private static void execute(DataSource direct, String sql) {
    try (Connection connection = direct.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException broken) {
      throw new AssertionError(sql, broken);
    }
  }

  private static boolean isReadOnly(DataSource direct) throws SQLException {
    try (Connection connection = direct.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW default_transaction_read_only")) {
      return row.next() && row.getString(1).equals("on");
    }
  }

  private static final Map<String, Function<JobQueue, Runnable>> WAYS_TO_WRITE = waysToWrite();

  private static Map<String, Function<JobQueue, Runnable>> waysToWrite() {
    Map<String, Function<JobQueue, Runnable>> ways = new LinkedHashMap<>();
    ways.put("enqueue", queue -> () -> queue.enqueue(TASK, "payload"));
    ways.put("enqueueAll", queue -> () -> queue.enqueueAll(TASK, List.of("a", "b")));
    ways.put(
        "enqueueOnce",
        queue ->
            () ->
                queue.enqueueOnce(
                    TASK, "payload", job -> job.idempotencyKey(UUID.randomUUID().toString())));
    ways.put(
        "strict",
        queue ->
            () -> queue.enqueue(TASK, "payload", job -> job.orderingKey("k").strictOrdering()));
    ways.put(
        "unique",
        queue -> {
          UniqueJobs unique = UniqueJobs.on(queue);
          return () -> unique.enqueue(TASK, "payload", Unique.byKey(UUID.randomUUID().toString()));
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
                    .declare(Schedule.cron("0 0 * * *").named("s").enqueue(TASK, "payload")));
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
}
