package dev.skipjack.worker.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.faults.CrashingPostgres;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests a failover after which the old primary stays up but is read-only. The connections to it
 * still work, so only the worker can detect that they are useless. {@code OldPrimaryIT} tests
 * processes without a worker.
 */
@Timeout(120)
class FailoverIT {

  private static final Duration BACK_AT_WORK = Duration.ofSeconds(30);

  /**
   * Creates a role with the same password on both servers, because the passwords of their
   * superusers differ.
   */
  private static final String ROLE = "CREATE ROLE app SUPERUSER LOGIN PASSWORD 'app'";

  @Test
  void aWorkerLeavesAnOldPrimaryThatIsReadOnly() {
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
