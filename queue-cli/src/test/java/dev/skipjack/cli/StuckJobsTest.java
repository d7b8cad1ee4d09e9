package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An operator who asks {@code why} a job does not run and then runs the command that it prints has
 * removed the reason.
 */
@QueueTest
class StuckJobsTest {

  private static final Pattern REASON = Pattern.compile("\"reason\":\"([^\"]+)\"");
  private static final Pattern COMMAND = Pattern.compile("\"command\":\"skipjack ([^\"]+)\"");

  private Path home;
  private QueueDatabase database;
  private JobQueue queue;

  @BeforeEach
  void connect(QueueDatabase database, @TempDir Path home) {
    this.home = home;
    this.database = database;
    this.queue = Shop.queue(database);
  }

  private Program skipjack(String arguments) {
    return Program.run(Map.of(), home, (arguments + " --url " + database.jdbcUrl()).split(" "));
  }

  private static String first(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return matcher.group(1);
  }

  /** Asks for the reason, runs the command, and asks again. */
  private void assertFixed(JobId job, String reason) {
    String why = skipjack("why " + job + " --json").out();
    assertThat(first(REASON, why)).isEqualTo(reason);
    assertThat(skipjack(first(COMMAND, why)).exitCode()).isZero();
    assertThat(first(REASON, skipjack("why " + job + " --json").out())).isNotEqualTo(reason);
  }

  private Worker dying() {
    return Worker.on(queue)
        .handle(Shop.STOCK, (payload, context) -> Outcome.dead("Unknown article"))
        .queue("stock", 1)
        .build();
  }

  @Test
  void aPausedQueueIsResumed() {
    JobId job = queue.enqueue(Shop.RECEIPT, "{}");
    queue.admin().pause("emails");
    assertFixed(job, "queue_paused");
  }

  @Test
  void aJobOfTheFutureRunsNow() {
    assertFixed(
        queue.enqueue(Shop.RECEIPT, "{}", job -> job.delay(Duration.ofDays(1))), "scheduled");
  }

  @Test
  void aDeadJobIsRedriven() {
    JobId job = queue.enqueue(Shop.STOCK, "{}");
    dying().runUntilIdle();
    assertFixed(job, "failed_for_good");
  }

  @Test
  void aBlockedKeyIsUnblocked() {
    queue.enqueue(Shop.STOCK, "{}", job -> job.orderingKey("sku-7"));
    JobId second = queue.enqueue(Shop.STOCK, "{}", job -> job.orderingKey("sku-7"));
    dying().runUntilIdle();
    assertFixed(second, "ordering_key_blocked");
  }

  @Test
  void aJobOfAFrozenWorkerIsRescued() {
    JobId job = queue.enqueue(Shop.RECEIPT, "{}");
    Worker.on(queue)
        .handle(
            Shop.RECEIPT,
            (payload, context) -> {
              Shop.execute(
                  database, "UPDATE skipjack.jobs SET lease_expires_at = now() - interval '1 min'");
              assertFixed(job, "lease_expired");
              return Outcome.completed();
            })
        .queue("emails", 1)
        .build()
        .runNext();
    assertThat(skipjack("jobs show " + job).out()).contains("lost");
  }
}
