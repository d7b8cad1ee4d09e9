package dev.skipjack.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.dedup.UniqueJobs;
import dev.skipjack.embedded.EmbeddedPostgres;
import dev.skipjack.store.jooq.JobQueue;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Tests the demo on its embedded server, in folders that users' demos do not use. Each test has a
 * separate folder, so the tests run concurrently.
 */
@Execution(ExecutionMode.CONCURRENT)
class OwnServerIT {

  @Test
  void eachRunStartsEmptyAndItsDataIsKept() throws Exception {
    Report.of(on("demo-test").jobs(20)).assertVerified(20);
    Report second = Report.of(on("demo-test").jobs(10));
    second.assertVerified(10);
    Report kept = Report.of(on("demo-test").resume());
    kept.assertVerified(10);
    assertThat(kept.err()).contains("PostgreSQL 18");
    assertThat(kept.err()).containsPattern("There was nothing left to do in .*/[0-9]+/data\\.");
  }

  @Test
  void unfinishedJobsAreFoundInAnyFolderAndNotDroppedSilently() throws Exception {
    try (EmbeddedPostgres first = server()) {
      Report.of(on("demo-test-slots").jobs(20)).assertVerified(20);
      try (EmbeddedPostgres second = server()) {
        sendWithoutWorkers(second);
        assertThat(second.dataFolder()).isNotEqualTo(first.dataFolder());
      }
    }
    Report resumed = Report.of(on("demo-test-slots").resume());
    resumed.assertVerified(21);
    assertThat(resumed.number("ended")).isEqualTo(1);

    Report.of(on("demo-test-slots").jobs(5)).assertVerified(5);
    try (EmbeddedPostgres first = server()) {
      sendWithoutWorkers(first);
    }
    Report fresh = Report.of(on("demo-test-slots").jobs(5));
    fresh.assertVerified(5);
    assertThat(fresh.err()).contains("1 jobs unfinished there; they are dropped");
  }

  private static DemoOptions.Builder on(String server) {
    return DemoOptions.builder().server(server);
  }

  private static EmbeddedPostgres server() {
    return EmbeddedPostgres.builder().purpose("demo-test-slots").start();
  }

  private static void sendWithoutWorkers(EmbeddedPostgres server) throws Exception {
    UUID run = UUID.randomUUID();
    Arrival arrival = new WebhookGenerator(run, 1).next().orElseThrow();
    try (DemoDatabase database = DemoDatabase.connect(server.jdbcUrl("demo"), 1)) {
      UniqueJobs jobs = UniqueJobs.on(JobQueue.on(database.service()));
      assertThat(
              new DeliverySender(database.service(), jobs, run, 0)
                  .send(arrival, DeliverySender.FIRST))
          .isPresent();
    }
  }

  @Test
  void withoutAnEarlierRunThereIsNothingToResume() {
    assertThatThrownBy(() -> Report.of(on("demo-test-empty").resume()))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("There is nothing to resume");
  }
}
