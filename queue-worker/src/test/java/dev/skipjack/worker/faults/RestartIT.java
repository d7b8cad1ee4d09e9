package dev.skipjack.worker.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.faults.CrashingPostgres;
import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how soon a worker with the default settings runs jobs again after a server restart. */
@Timeout(300)
class RestartIT {

  /** The limit for the slowest restart, because the machine may be busy with other work. */
  private static final Duration AT_MOST = Duration.ofSeconds(5);

  /** The time for which the server stays down. The pauses of a pool grow during this time. */
  private static final Duration LONG_OUTAGE = Duration.ofSeconds(7);

  /** The source of the connections that the handlers use. */
  private enum Effects {
    IN_POOL,
    APART
  }

  private static void tuned(HikariConfig settings) {
    settings.setConnectionTimeout(500);
    settings.setMinimumIdle(
        0); // otherwise the pool's own pauses would grow, see docs/guides/deployment.md
  }

  @Test
  void aWorkerIsBackSoonAfterARestart() {
    assertThat(Collections.max(restart(3, Duration.ZERO, RestartIT::tuned, Effects.IN_POOL)))
        .isLessThan(AT_MOST);
  }

  /**
   * After such an outage the pool itself pauses for up to five seconds, so the handlers of this
   * test do not use it.
   */
  @Test
  void aWorkerIsBackSoonAfterALongOutageWithThePoolsDefaults() {
    assertThat(Collections.max(restart(2, LONG_OUTAGE, defaults -> {}, Effects.APART)))
        .isLessThan(AT_MOST);
  }

  @Test
  @Tag("soak")
  void aWorkerIsBackWithinSecondsAfterTenRestartsWithThePoolsDefaults() {
    List<Duration> delays = restart(10, LONG_OUTAGE, defaults -> {}, Effects.APART);
    assertThat(Collections.max(delays))
        .as("longest of %s", delays)
        .isLessThan(Duration.ofMillis(1_500));
  }

  /** Limits all ten delays. Requires an otherwise idle machine. */
  @Test
  @Tag("soak")
  void aWorkerIsBackWithinSecondsAfterTenRestarts() {
    List<Duration> delays = restart(10, Duration.ZERO, RestartIT::tuned, Effects.IN_POOL);
    assertThat(Collections.max(delays))
        .as("longest of %s", delays)
        .isLessThan(Duration.ofMillis(1_500));
  }

  @Test
  @Tag("soak")
  void aNewProcessRunsItsFirstJobWithinSecondsOfItsStart() throws Exception {
    try (CrashingPostgres postgres = CrashingPostgres.create()) {
      FaultFixture fixture = new FaultFixture(postgres.direct(), postgres.schema());
      fixture.enqueue(1, Task.Deed.WORK);
      long started = System.nanoTime();
      try (ForkedJvm worker = ForkedWorker.launch(postgres.jdbcUrl(), postgres.schema(), 4)) {
        worker.awaitLine("began 1", FaultFixture.PATIENCE);
        Duration took = Duration.ofNanos(System.nanoTime() - started);
        System.out.println("first job after " + took);
        assertThat(took).isLessThan(Duration.ofSeconds(10));
      }
    }
  }

  /** Returns the times from the restart of the server to the completion of the next job. */
  private static List<Duration> restart(
      int times, Duration outage, Consumer<HikariConfig> poolSettings, Effects effects) {
    List<Duration> delays = new ArrayList<>();
    try (CrashingPostgres postgres = CrashingPostgres.create()) {
      FaultFixture fixture = new FaultFixture(postgres.direct(), postgres.schema());
      HikariConfig settings = new HikariConfig();
      settings.setJdbcUrl(postgres.jdbcUrl());
      poolSettings.accept(settings);
      try (HikariDataSource pool = new HikariDataSource(settings);
          Worker worker =
              Worker.on(JobQueue.builder(pool).schema(postgres.schema()).build())
                  .handle(
                      Task.TYPE,
                      new TaskHandler(effects == Effects.IN_POOL ? pool : postgres.direct()))
                  .queue("default", 4)
                  .start()) {
        await().until(() -> worker.health().ready());
        for (int i = 0; i < times; i++) {
          fixture.enqueue(1, Task.Deed.WORK);
          fixture.assertAllDoneOnce();
          postgres.stop();
          await().until(() -> !worker.health().ready());
          await().pollDelay(outage).until(() -> true);
          postgres.start();
          long accepts = System.nanoTime();
          fixture.enqueue(1, Task.Deed.WORK);
          fixture.assertAllDoneOnce();
          delays.add(Duration.ofNanos(System.nanoTime() - accepts));
          await().until(() -> worker.health().ready());
        }
      }
    }
    System.out.println("delays " + delays);
    return delays;
  }
}
