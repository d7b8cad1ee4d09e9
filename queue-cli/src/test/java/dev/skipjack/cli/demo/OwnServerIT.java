package dev.skipjack.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.skipjack.cli.Program;
import dev.skipjack.dedup.UniqueJobs;
import dev.skipjack.embedded.EmbeddedPostgres;
import dev.skipjack.store.jooq.JobQueue;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The demo on a server of its own, in a folder that is not the one of people's demos. */
class OwnServerIT {

  @BeforeEach
  void noDatabaseIsNamed() {
    assumeThat(System.getenv()).doesNotContainKeys("PGHOST", "PGDATABASE");
  }

  @Test
  void eachRunStartsAnewAndCanBeLookedAtAgain() throws Exception {
    Report.of("--server", "demo-test", "--jobs", "20").assertVerified(20);
    Report second = Report.of("--server", "demo-test", "--jobs", "10");
    second.assertVerified(10);
    Report kept = Report.of("--server", "demo-test", "--resume");
    kept.assertVerified(10);
    assertThat(kept.program().err()).contains("PostgreSQL 18");
    assertThat(kept.program().err()).containsPattern("Nothing was left to do in .*/[0-9]+/data\\.");
  }

  @Test
  void unfinishedWorkIsFoundInAnyFolderAndNotDroppedInSilence() throws Exception {
    String[] resume = {"--server", "demo-test-slots", "--resume"};
    try (EmbeddedPostgres first = server()) {
      Report.of("--server", "demo-test-slots", "--jobs", "20").assertVerified(20);
      try (EmbeddedPostgres second = server()) {
        sendWithoutWorkers(second);
        assertThat(second.dataFolder()).isNotEqualTo(first.dataFolder());
      }
    }
    Report resumed = Report.of(resume);
    resumed.assertVerified(21);
    assertThat(resumed.number("ended")).isEqualTo(1);

    Report.of("--server", "demo-test-slots", "--jobs", "5").assertVerified(5);
    try (EmbeddedPostgres first = server()) {
      sendWithoutWorkers(first);
    }
    Report fresh = Report.of("--server", "demo-test-slots", "--jobs", "5");
    fresh.assertVerified(5);
    assertThat(fresh.program().err()).contains("1 jobs unfinished there; they are dropped");
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
    Program program = Program.run("demo", "--server", "demo-test-empty", "--resume");
    assertThat(program.exitCode()).isEqualTo(2);
    assertThat(program.err()).contains("There is nothing to resume");
  }
}
