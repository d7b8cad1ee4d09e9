package dev.skipjack.worker.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.faults.CrashingPostgres;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests servers that stop, crash, fail over or reject statements. When the server accepts
 * connections again, the worker must continue without a restart, and lose nothing.
 */
@Timeout(120)
class DatabaseOutageIT {

  private static final Duration BACK_AT_WORK = Duration.ofSeconds(30);

  private static CrashingPostgres postgres;

  private FaultFixture fixture;
  private EventLog events;
  private HikariDataSource pool;
  private Worker worker;

  @BeforeAll
  static void startServer() {
    postgres = CrashingPostgres.create();
  }

  @AfterAll
  static void endServer() {
    postgres.close();
  }

  @BeforeEach
  void begin() {
    postgres.start();
    fixture = new FaultFixture(postgres.direct(), postgres.schema());
    fixture.execute("TRUNCATE @jobs, @jobs_archive, @job_executions");
    events = new EventLog();
    HikariConfig settings = new HikariConfig();
    settings.setJdbcUrl(postgres.jdbcUrl());
    settings.setMaximumPoolSize(8);
    settings.setConnectionTimeout(500);
    pool = new HikariDataSource(settings);
    worker =
        Worker.on(JobQueue.builder(pool).schema(postgres.schema()).build())
            .handle(Task.TYPE, new TaskHandler(pool))
            .queue("default", 4)
            .config(ForkedWorker.config())
            .listener(events)
            .start();
  }

  @AfterEach
  void end() {
    worker.close();
    pool.close();
  }

  @Test
  @Tag("soak")
  void workerContinuesAfterTheServerWasStoppedForSeconds() {
    underLoad();
    postgres.stop();
    awaitTrouble();
    postgres.start();
    assertBackAtWork();
  }

  @Test
  @Tag("soak")
  void workerContinuesAfterTheServerCrashed() {
    underLoad();
    postgres.crash();
    awaitTrouble();
    postgres.start();
    assertBackAtWork();
  }

  /** The server has another address afterwards, as after a failover. */
  @Test
  void workerContinuesAfterTheServerRestartedAtAnotherAddress() {
    underLoad();
    postgres.kill();
    awaitTrouble();
    postgres.start();
    assertBackAtWork();
  }

  @Test
  @Tag("soak")
  void workerContinuesAfterAKilledBackendEndedAllSessions() {
    underLoad();
    postgres.killBackend(
        Integer.parseInt(
            fixture.value(
                "SELECT min(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")));
    awaitTrouble();
    await().atMost(BACK_AT_WORK).ignoreExceptions().until(this::isReachable);
    assertBackAtWork();
  }

  @Test
  @Tag("soak")
  void workerContinuesAfterSessionsWereTerminatedRepeatedly() {
    underLoad();
    for (int round = 0; round < 10; round++) {
      fixture.value(
          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()");
      long done = fixture.count("jobs_archive");
      await()
          .atMost(BACK_AT_WORK)
          .until(() -> fixture.count("jobs_archive") > done || done == fixture.tasks());
    }
    assertBackAtWork();
  }

  /** The server becomes writable again. In {@code FailoverIT}, another server takes over. */
  @Test
  void workerContinuesAfterTheServerWasReadOnly() throws SQLException {
    underLoad();
    onlyRead(true);
    try {
      await()
          .atMost(FaultFixture.PATIENCE)
          .until(
              () ->
                  !worker.health().ready()
                      && String.join("\n", worker.health().reasons()).contains("read-only"));
    } finally {
      onlyRead(false);
    }
    assertBackAtWork();
  }

  private static void onlyRead(boolean on) throws SQLException {
    try (Connection connection = postgres.direct().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("ALTER SYSTEM SET default_transaction_read_only = " + on);
      statement.execute("SELECT pg_reload_conf()");
    }
  }

  @Test
  @Tag("soak")
  void workerContinuesAfterTheServerHadNoFreeConnection() throws SQLException {
    underLoad();
    List<Connection> taken = new ArrayList<>();
    try {
      awaitTrouble(
          () -> {
            pool.getHikariPoolMXBean().softEvictConnections();
            takeAll(taken);
          });
    } finally {
      for (Connection connection : taken) {
        connection.close();
      }
    }
    assertBackAtWork();
  }

  private void takeAll(List<Connection> taken) {
    try {
      while (true) {
        taken.add(postgres.direct().getConnection());
      }
    } catch (SQLException full) {
      assertThat(full.getSQLState()).isEqualTo("53300");
    }
  }

  private boolean isReachable() {
    return fixture.value("SELECT 1").equals("1");
  }

  /** Enqueues more jobs than are completed before the fault. */
  private void underLoad() {
    fixture.enqueue(200, Task.Deed.WORK_SLOWLY);
    await().until(() -> fixture.count("jobs_archive") > 20);
  }

  private void awaitTrouble() {
    awaitTrouble(() -> {});
  }

  private void awaitTrouble(Runnable meanwhile) {
    await()
        .atMost(FaultFixture.PATIENCE)
        .until(
            () -> {
              meanwhile.run();
              return events.hasFailed("claim-loop") || events.hasFailed("heartbeat");
            });
  }

  private void assertBackAtWork() {
    long done = fixture.count("jobs_archive");
    fixture.enqueue(1, Task.Deed.WORK);
    await().atMost(BACK_AT_WORK).until(() -> fixture.count("jobs_archive") > done);
    fixture.assertAllDoneOnce();
  }
}
