package dev.skipjack.worker.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests payloads that are within the limit individually, but together are too large for a process
 * with a small heap.
 */
@QueueTest
@Timeout(180)
class SmallHeapIT {

  record Blob(String text) {}

  private static final JobType<Blob> BLOB = JobType.of("blob", Blob.class);
  private static final int JOBS = 400;
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final QueueDatabase database;
  private final FaultFixture fixture;

  SmallHeapIT(QueueDatabase database) {
    this.database = database;
    this.fixture = new FaultFixture(database.dataSource(), database.schema());
  }

  @Test
  void aSmallHeapRunsManyLargePayloads() {
    insertLargePayloads(JOBS);

    try (ForkedJvm worker = launch("-Xmx128m")) {
      await().atMost(PATIENCE).until(() -> completed() == JOBS);
      assertThat(worker.isAlive()).isTrue();
    }
    assertThat(fixture.count("jobs_archive WHERE attempts > 1")).isZero();
  }

  @Test
  void aJobWithAPayloadLargerThanTheHeapIsDeadAndLaterJobsRun() {
    // Each number takes 16 bytes in the row, but a thousand characters when it is written out.
    fixture.execute(
        "INSERT INTO @jobs (kind, max_attempts, payload) SELECT 'blob', 1, ('[' || repeat('1e-1000,', 60000) || '1]')::jsonb");
    insertLargePayloads(20);

    try (ForkedJvm worker = launch("-Xmx64m")) {
      await().atMost(PATIENCE).until(() -> completed() == 20);
      assertThat(worker.isAlive()).isTrue();
      worker.awaitLine("Payload could not be fetched", PATIENCE);
    }
    assertThat(fixture.value("SELECT status || ' ' || attempts FROM @jobs")).isEqualTo("dead 1");
    assertThat(fixture.value("SELECT last_error FROM @jobs"))
        .contains("The payload could not be fetched");
  }

  /**
   * The worker expects small payloads, so the claim of the large one may be committed before its
   * payload arrives. Whether the claim is committed depends on when the server notices that the
   * connection was closed.
   */
  @Test
  void aPayloadLargerThanTheHeapUsesOneAttemptAlsoAfterManySmallOnes() {
    try (ForkedJvm worker = launch("-Xmx64m")) {
      for (int i = 1; i <= 100; i++) {
        int jobs = i;
        fixture.execute("INSERT INTO @jobs (kind, payload) VALUES ('blob', '{\"text\": \"x\"}')");
        await().atMost(PATIENCE).until(() -> completed() == jobs);
      }
      fixture.execute(
          "INSERT INTO @jobs (kind, max_attempts, payload) SELECT 'blob', 1, ('[' || repeat('1e-1000,', 60000) || '1]')::jsonb");
      await().atMost(PATIENCE).until(() -> fixture.count("jobs WHERE status = 'dead'") == 1);
      assertThat(worker.isAlive()).isTrue();
    }
    assertThat(fixture.value("SELECT attempts - uncounted_attempts FROM @jobs")).isEqualTo("1");
    assertThat(fixture.count("job_executions WHERE status = 'released'")).isLessThan(4);
    assertThat(fixture.value("SELECT last_error FROM @jobs"))
        .contains("The payload could not be fetched");
  }

  /** Inserts payloads that compress well, so that storing them takes little time. */
  private void insertLargePayloads(int jobs) {
    fixture.execute(
        "INSERT INTO @jobs (kind, payload) SELECT 'blob', jsonb_build_object('text', repeat('x', 250000)) FROM generate_series(1, %d)"
            .formatted(jobs));
  }

  private long completed() {
    return fixture.count("jobs_archive WHERE status = 'completed'");
  }

  private ForkedJvm launch(String heap) {
    return ForkedJvm.of(SmallHeapIT.class)
        .arguments(database.jdbcUrl(), database.schema())
        .option(heap)
        .option("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
        .start();
  }

  /**
   * Runs a worker until the process is killed.
   *
   * @param args URL, schema
   */
  public static void main(String[] args) {
    HikariConfig settings = new HikariConfig();
    settings.setJdbcUrl(args[0]);
    JobQueue queue = JobQueue.builder(new HikariDataSource(settings)).schema(args[1]).build();
    Worker worker =
        Worker.on(queue)
            .handle(BLOB, (blob, context) -> Outcome.completed())
            .queue("default", 4)
            .start();
    System.out.println("ready " + worker.id());
  }
}
