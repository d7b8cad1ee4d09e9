package dev.skipjack.demo;

import static dev.skipjack.demo.JsonLinesFileTest.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.skipjack.testkit.QueueDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

  private static final Path REAL_INPUT = Path.of("../../../shared/data/github-webhooks.jsonl");

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
    assertThat(first.number("duplicates")).isBetween(5L, 80L);
    assertThat(first.json().get("duplicates_by").get("table").longValue()).isPositive();
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
        .contains("enqueued", "already queued", "the dead jobs are exactly the poisoned ones")
        .doesNotContain("FAILED")
        .endsWith("Verified.\n");
  }

  @Test
  void realDeliveriesAreStoredUnderTheirOwnIdsOnce() throws Exception {
    assumeThat(REAL_INPUT).exists();
    Report first = Report.of(Report.on(database).input(REAL_INPUT));
    first.assertVerified(273);
    assertThat(first.number("dead")).isPositive();

    Report again = Report.of(Report.on(database).input(REAL_INPUT));
    again.assertVerified(0);
    assertThat(again.json().get("duplicates_by").get("already_received").longValue())
        .isEqualTo(273);
  }

  @Test
  void anInputIsRepeatedWithFreshIds() throws Exception {
    assumeThat(REAL_INPUT).exists();
    Report report = Report.of(Report.on(database).input(REAL_INPUT).jobs(400));
    report.assertVerified(400);
    assertThat(report.json().get("duplicates_by").get("already_received").longValue()).isZero();
  }

  @Test
  void deliveriesBeforeABadLineAreStoredAndHandled(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("in.jsonl");
    Files.writeString(file, lines(30) + "\n{\"delivery\":\n" + lines(10));
    Report report = Report.of(Report.on(database).input(file));
    report.assertVerified(30);
    assertThat(report.result()).isEqualTo(DemoResult.BAD_INPUT);
    assertThat(report.err()).contains(file + ":31: not JSON", "30 deliveries");
    assertThat(report.json().get("error").textValue()).contains(":31:");
  }

  @Test
  void nothingAfterALineThatTheQueueRefusesIsStored(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("in.jsonl");
    String nul = line("nul").replace("{}", "{\"body\":\"\\u0000\"}");
    Files.writeString(file, lines(300) + "\n" + nul + "\n" + lines(300) + "\n");
    Report report = Report.of(Report.on(database).input(file));
    report.assertVerified(300);
    assertThat(report.result()).isEqualTo(DemoResult.BAD_INPUT);
    assertThat(report.err()).contains(file + ":301: ", "300 deliveries were stored");
  }

  @Test
  void withoutAnEarlierRunThereIsNothingToResumeAndNothingIsCreated() throws Exception {
    assertThatThrownBy(() -> Report.of(Report.on(database).resume()))
        .isInstanceOf(RefusedException.class)
        .hasMessage("There is nothing to resume: no demo has run in the test's database.");
    assertThat(
            DemoSchema.on(database.dataSource())
                .fetch("SELECT FROM pg_namespace WHERE nspname = 'skipjack_demo'"))
        .isEmpty();
  }

  @Test
  void aDatabaseWithTheTablesButNoRunHasNothingToResume() {
    DemoSchema.migrate(database.dataSource());
    assertThatThrownBy(() -> Report.of(Report.on(database).resume()))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("There is nothing to resume");
  }

  @Test
  void twoDemosDoNotShareADatabase() throws Exception {
    try (DemoLock other = DemoLock.take(database.dataSource())) {
      assertThatThrownBy(() -> Report.of(Report.on(database).jobs(5)))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("Another demo is running on this database");
      assertThat(DemoSchema.holdsARun(database.dataSource())).isFalse();
      assertThat(other).isNotNull();
    }
  }

  @Test
  void aDeliveryThatTheQueueRefusesIsBadInput(@TempDir Path folder) throws Exception {
    String tooLarge = line("large").replace("{}", "{\"body\":\"" + "x".repeat(300_000) + "\"}");
    String nul = line("nul").replace("{}", "{\"body\":\"\\u0000\"}");
    String hugeNumber = line("huge").replace("{}", "{\"n\":1e400000}");
    for (String refused : new String[] {tooLarge, nul, hugeNumber}) {
      Path file = folder.resolve("in.jsonl");
      Files.writeString(file, lines(3) + "\n" + refused + "\n");
      Report report = Report.of(Report.on(database).input(file));
      report.assertVerified(3);
      assertThat(report.result()).isEqualTo(DemoResult.BAD_INPUT);
      assertThat(report.err()).contains(file + ":4: ");
    }
  }

  @Test
  void aLineThatComesTwiceIsReceivedOnce(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("in.jsonl");
    String twice = line("push");
    Files.writeString(file, twice + "\n" + lines(5) + "\n" + twice + "\n");
    Report report = Report.of(Report.on(database).input(file));
    report.assertVerified(6);
    assertThat(report.json().get("duplicates_by").get("already_received").longValue()).isEqualTo(1);
  }

  @Test
  void anEmptyInputIsRefused(@TempDir Path folder) throws Exception {
    Path empty = Files.writeString(folder.resolve("empty.jsonl"), "\n\n");
    assertThatThrownBy(() -> Report.of(Report.on(database).input(empty).jobs(5)))
        .isInstanceOf(RefusedException.class)
        .hasMessage(empty + ": holds no delivery");
  }

  private static String lines(int count) {
    return IntStream.range(0, count).mapToObj(n -> line("push")).collect(Collectors.joining("\n"));
  }
}
