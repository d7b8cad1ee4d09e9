package dev.skipjack.demo;

import static dev.skipjack.demo.DeliveriesTest.line;
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
    Report first = Report.of(Report.on(database).jobs(300));
    first.assertVerified(300);
    assertThat(first.result()).isEqualTo(DemoResult.VERIFIED);
    assertThat(first.number("dead")).isPositive();
    assertThat(first.number("retried")).isPositive();
    assertThat(first.number("duplicates")).isEqualTo(18);
    assertThat(first.number("refused_by_table")).isPositive();
    assertThat(first.json().get("jobs_per_second").doubleValue()).isPositive();
    assertThat(first.json().get("pickup_p99_ms").doubleValue()).isPositive();

    Report second = Report.of(Report.on(database).jobs(50).workers(1));
    second.assertVerified(50);

    Report whole = Report.of(Report.on(database).resume());
    whole.assertVerified(350);
    assertThat(whole.number("duplicates"))
        .isEqualTo(first.number("duplicates") + second.number("duplicates"));
    assertThat(whole.number("ended")).isZero();
    assertThat(whole.err()).contains("There was nothing left to do in the test's database.");
  }

  @Test
  void theTextReportNamesEveryCheck() throws Exception {
    StringWriter out = new StringWriter();
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    DemoOptions options = Report.on(database).jobs(20).build();
    assertThat(Demo.run(options, new DemoOutput(new PrintWriter(out), nowhere, false, false)))
        .isEqualTo(DemoResult.VERIFIED);
    assertThat(out.toString())
        .contains(
            "enqueued",
            "already queued",
            "pickup p99",
            "the dead jobs are exactly the poisoned ones")
        .doesNotContain("FAILED")
        .endsWith("Verified.\n");
  }

  @Test
  void withoutAnEarlierRunThereIsNothingToResumeAndNothingIsCreated() throws Exception {
    assertThatThrownBy(() -> Report.of(Report.on(database).resume()))
        .isInstanceOf(RefusedException.class)
        .hasMessage("There is nothing to resume: no demo has run in the test's database.");
    assertThat(
            DemoDatabase.on(database.dataSource())
                .fetch("SELECT FROM pg_namespace WHERE nspname = 'skipjack_demo'"))
        .isEmpty();
  }

  @Test
  void twoDemosDoNotShareADatabase() throws Exception {
    try (DemoDatabase other = DemoDatabase.connect(database.jdbcUrl(), 1);
        Connection lock = other.lock()) {
      assertThat(lock.isClosed()).isFalse();
      assertThatThrownBy(() -> Report.of(Report.on(database).jobs(5)))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("Another demo is running on this database");
      assertThat(other.holdsDeliveries()).isFalse();
    }
  }

  @Test
  void onItsOwnServerEachRunStartsEmptyAndItsDataIsKept() throws Exception {
    Report.of(DemoOptions.builder().server("demo-test").jobs(20)).assertVerified(20);
    Report.of(DemoOptions.builder().server("demo-test").jobs(10)).assertVerified(10);
    Report kept = Report.of(DemoOptions.builder().server("demo-test").resume());
    kept.assertVerified(10);
    assertThat(kept.err()).contains("PostgreSQL 18");
    assertThat(kept.err()).containsPattern("There was nothing left to do in .*/[0-9]+/data\\.");
  }

  @Test
  void aDeliveryThatTheQueueRefusesEndsTheRun(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("in.jsonl");
    String tooLarge = line("large").replace("{}", "{\"body\":\"" + "x".repeat(300_000) + "\"}");
    Files.writeString(file, line("push") + "\n" + tooLarge + "\n");
    assertThatThrownBy(() -> Report.of(Report.on(database).input(file)))
        .isInstanceOf(RefusedException.class)
        .hasMessageStartingWith("The queue refuses delivery ");
    Report.of(Report.on(database).resume()).assertVerified(1);
  }

  @Test
  void aDeliveryThatComesTwiceIsReceivedOnce(@TempDir Path folder) throws Exception {
    String twice = line("push");
    Path file = folder.resolve("in.jsonl");
    Files.writeString(file, twice + "\n" + line("push") + "\n" + twice + "\n");
    Report report = Report.of(Report.on(database).input(file));
    report.assertVerified(2);
    assertThat(report.number("duplicates")).isEqualTo(1);
    Report again = Report.of(Report.on(database).input(file));
    again.assertVerified(0);
    assertThat(again.number("refused_by_table")).isEqualTo(3);
  }
}
