package dev.skipjack.demo;

import static dev.skipjack.demo.DeliveryTest.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.testkit.QueueDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Tests the demo on a named database. Each test has a separate database and mostly waits for
 * retries, so the tests run concurrently.
 */
@Execution(ExecutionMode.CONCURRENT)
class DemoIT {

  private QueueDatabase database;

  @BeforeEach
  void create() {
    database = QueueDatabase.create();
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void everyDeliveryIsHandledOnceAndTheNextRunAddsToIt() throws Exception {
    DemoResult first = DemoResult.of(database, 300);
    first.assertVerified(300);
    assertThat(first.number("dead")).isEqualTo(2);
    assertThat(first.number("retried")).isPositive();
    assertThat(first.number("duplicates")).isEqualTo(18);
    assertThat(first.number("refused_by_table")).isPositive();
    assertThat(first.json().get("jobs_per_second").doubleValue()).isPositive();
    assertThat(first.json().get("pickup_p99_ms").doubleValue()).isPositive();
    DemoResult second = DemoResult.of(database, 50);
    second.assertVerified(50);

    DemoResult whole = DemoResult.resumed(database);
    whole.assertVerified(350);
    assertThat(whole.number("duplicates")).isEqualTo(18 + second.number("duplicates"));
    assertThat(whole.number("ended")).isZero();
  }

  @Test
  void theTextReportNamesEveryCheck() throws Exception {
    StringWriter out = new StringWriter();
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    DemoOutput output = new DemoOutput(new PrintWriter(out), nowhere, false);
    assertThat(Demo.run(DemoResult.options(database, null, 20L), output)).isTrue();
    assertThat(out.toString())
        .containsPattern("enqueued +20   deliveries stored")
        .containsPattern("already queued +2   second sends")
        .containsPattern("pickup p99 +[0-9]+   ms")
        .contains("  ok      the dead jobs are exactly the poisoned ones\n")
        .doesNotContain("FAILED")
        .endsWith("Verified.\n");
  }

  @Test
  void withoutAnEarlierRunThereIsNothingToResume() {
    assertThatThrownBy(() -> DemoResult.resumed(database))
        .isInstanceOf(RefusedException.class)
        .hasMessage("There is nothing to resume: no demo has run in the test's database.");
  }

  @Test
  void twoDemosDoNotShareADatabase() throws Exception {
    try (DemoDatabase other = new DemoDatabase(database.jdbcUrl());
        Connection lock = other.lock()) {
      assertThat(lock.isClosed()).isFalse();
      assertThatThrownBy(() -> DemoResult.of(database, 5))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("Another demo is running on this database");
    }
  }

  @Test
  void onItsOwnServerEachRunStartsEmptyAndItsDataIsKept() throws Exception {
    DemoResult.of(new DemoOptions(null, 20L, false, null), "demo-test").assertVerified(20);
    DemoResult.of(new DemoOptions(null, 10L, false, null), "demo-test").assertVerified(10);
    DemoResult kept = DemoResult.of(new DemoOptions(null, null, true, null), "demo-test");
    kept.assertVerified(10);
    assertThat(kept.err()).containsPattern("PostgreSQL 18.* in .*/[0-9]+/data");
  }

  @Test
  void aDeliveryThatTheQueueRefusesEndsTheRun(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("in.jsonl");
    String tooLarge = line("large").replace("{}", "{\"body\":\"" + "x".repeat(300_000) + "\"}");
    Files.writeString(file, line("push") + "\n" + tooLarge + "\n");
    assertThatThrownBy(() -> DemoResult.of(DemoResult.options(database, file, null), "demo-test"))
        .isInstanceOf(RefusedException.class)
        .hasMessageStartingWith("The queue refuses delivery ");
    DemoResult.resumed(database).assertVerified(1);
  }

  @Test
  void aDeliveryThatIsSentTwiceIsStoredOnce(@TempDir Path folder) throws Exception {
    String twice = line("push");
    Path file = folder.resolve("in.jsonl");
    Files.writeString(file, twice + "\n" + line("push") + "\n" + twice + "\n");
    DemoOptions options = DemoResult.options(database, file, null);
    DemoResult.of(options, "demo-test").assertVerified(2);
    DemoResult again = DemoResult.of(options, "demo-test");
    again.assertVerified(0);
    assertThat(again.number("refused_by_table")).isEqualTo(3);
  }
}
