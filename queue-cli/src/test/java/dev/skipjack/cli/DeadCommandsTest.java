package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests how an operator redrives the dead jobs of one bug. */
@QueueTest
class DeadCommandsTest {

  private Path home;
  private QueueDatabase database;
  private JobQueue queue;

  /**
   * Runs forty jobs that become dead because of a bug, and twelve of the same kind that become dead
   * as intended.
   */
  @BeforeEach
  void die(QueueDatabase database, @TempDir Path home) {
    this.home = home;
    this.database = database;
    this.queue = Shop.queue(database);
    for (int i = 0; i < 52; i++) {
      queue.enqueue(
          Shop.CHARGE.maxAttempts(1),
          "{\"order\": %d, \"currency\": \"EURO\"}".formatted(i),
          job -> job.tags("web"));
    }
    Worker.on(queue)
        .handle(
            Shop.CHARGE,
            (charge, context) -> {
              if (context.jobId().value() % 13 < 3) {
                throw new IllegalStateException("Card of job " + context.jobId() + " declined");
              }
              throw new ClassCastException("No currency in order " + context.jobId());
            })
        .queue("payments", 4)
        .build()
        .runUntilIdle();
    assertThat(queue.reader().list(JobQuery.live().status(JobStatus.DEAD).limit(500)).jobs())
        .hasSize(52);
  }

  private Program skipjack(String... arguments) {
    return Program.run(
        Map.of(),
        home,
        Stream.concat(Arrays.stream(arguments), Stream.of("--url", database.jdbcUrl()))
            .toArray(String[]::new));
  }

  private long dead() {
    return queue.reader().list(JobQuery.live().status(JobStatus.DEAD).limit(500)).jobs().size();
  }

  @Test
  void deadJobsAreListedByBug() {
    Program list = skipjack("dead", "list");

    assertThat(list.out()).hasLineCount(3).contains("ERROR CLASS", "ClassCastException");
    assertThat(list.out()).contains("No currency in order *", "Card of job * declined");
    assertThat(skipjack("dead", "list", "--json").out())
        .contains("\"error_class\":\"java.lang.ClassCastException\"");
  }

  @Test
  void anyListedErrorCanBeGivenToAnotherCommand() throws SQLException {
    String error = "Payment was declined because ".repeat(5) + "of fraud";
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "UPDATE \"%1$s\".jobs SET last_error = CASE WHEN last_error LIKE 'Card%%' THEN '%2$s' END"
              .formatted(database.schema(), error));
    }
    long declined =
        queue.reader().deadLetters().stream()
            .filter(group -> group.error().equals(error))
            .mapToLong(group -> group.jobs())
            .sum();

    assertThat(skipjack("dead", "list").out()).contains(error);
    assertThat(skipjack("dead", "prune", "--error-group", error, "--yes").out())
        .endsWith("Deleted %d jobs.\n".formatted(declined));
    assertThat(skipjack("dead", "redrive", "--error-group", "", "--dry-run").out())
        .contains("%d jobs match".formatted(52 - declined));
    assertThat(skipjack("dead", "redrive", "--error-group", error, "--dry-run").out())
        .doesNotContain("%d jobs match".formatted(52 - declined));
  }

  @Test
  void oneBugIsRedrivenAndTheOtherDeadJobsStay() {
    long declined = queue.reader().deadLetters().get(1).jobs();
    Program redriven =
        skipjack(
            "dead",
            "redrive",
            "--error-class",
            "ClassCastException",
            "--error-group",
            "No currency in order *",
            "--tag",
            "web",
            "--since",
            "1h",
            "--yes");

    assertThat(redriven.exitCode()).as(redriven.err()).isZero();
    assertThat(redriven.out()).endsWith("Redrove %d jobs.\n".formatted(52 - declined));
    assertThat(dead()).isEqualTo(declined);
    assertThat(skipjack("dead", "prune", "--error", "declined", "--yes").out())
        .endsWith("Deleted %d jobs.\n".formatted(declined));
    assertThat(dead()).isZero();
  }

  @Test
  void wrongPayloadsAreCorrectedAndRedriven() {
    String patch = "{\"currency\": \"EUR\"}";
    Program preview =
        skipjack("dead", "redrive", "--payload", "currency=EURO", "--patch", patch, "--dry-run");
    assertThat(preview.exitCode()).as(preview.err()).isZero();
    assertThat(preview.out())
        .contains("\"currency\": \"EURO\"}\n  becomes {", "52 jobs match. Nothing was changed.");
    assertThat(skipjack("dead", "redrive", "--patch", patch, "--dry-run", "--json").out())
        .contains("\"changes\":[{\"id\":", "\"after\":{");
    assertThat(skipjack("dead", "redrive", "--patch", patch).err())
        .contains("Change the payloads of 52 dead jobs and redrive them, up to job ");

    Program redriven =
        skipjack("dead", "redrive", "--payload", "currency=EURO", "--patch", patch, "--yes");

    assertThat(redriven.out()).endsWith("Redrove 52 jobs.\n");
    assertThat(
            queue
                .reader()
                .list(
                    JobQuery.live().status(JobStatus.PENDING).payload("currency", "EUR").limit(500))
                .jobs())
        .hasSize(52);
    JobOperation recorded = queue.operations().list(1).get(0);
    assertThat(recorded.payloadPatch()).isEqualTo(patch);
    assertThat(skipjack("operations", "list").out()).contains("--payload currency=EURO", patch);
  }

  @Test
  void payloadsOfDeadJobsAreChangedWithoutARedrive() {
    assertThat(skipjack("jobs", "patch", "{\"checked\": true}", "--status", "dead", "--yes").out())
        .endsWith("Changed the payloads of 52 jobs.\n");
    assertThat(dead()).isEqualTo(52);
    assertThat(skipjack("jobs", "patch", "{}").err()).contains("No jobs are selected.");
    assertThat(skipjack("jobs", "patch", "[]", "--tag", "web").exitCode()).isEqualTo(2);

    JobId job = queue.reader().deadLetters().get(0).example();
    Program edited = skipjack("jobs", "edit", job.toString(), "--payload", "{\"order\": 7}");
    assertThat(edited.exitCode()).as(edited.out()).isZero();
    assertThat(queue.reader().find(job).orElseThrow().payload()).isEqualTo("{\"order\": 7}");
    Program due = skipjack("jobs", "edit", job.toString(), "--delay", "1h");
    assertThat(due.exitCode()).isEqualTo(1);
    assertThat(due.out()).contains("only a redrive makes it due");
  }
}
