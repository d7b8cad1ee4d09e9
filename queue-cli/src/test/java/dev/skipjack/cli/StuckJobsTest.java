package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skipjack.api.JobId;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.Fix;
import dev.skipjack.api.operations.JobExplanation;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.api.spi.StackSample;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the commands that {@code why} and the {@code doctor} suggest make stuck jobs run. */
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

  @Test
  void aLongAttemptShowsWhereItsHandlerIs() {
    JobId job = queue.enqueue(Shop.RECEIPT, "{}");
    Execution execution =
        queue
            .store()
            .claim(
                new ClaimRequest(
                    WorkerId.boot("w"),
                    List.of(new LaneShare(new Lane("emails", 0), 1, null)),
                    List.of(Shop.RECEIPT.kind()),
                    1,
                    Duration.ofHours(1)))
            .get(0)
            .execution();
    queue
        .workers()
        .recordStacks(
            List.of(
                new StackSample(
                    execution, "\tat a.B.\u001b[2Jc(B.java:1)\n\tat a.D.e(D.java:2)", null)),
            List.of());

    assertThat(skipjack("jobs show " + job).out())
        .containsPattern(
            "(?m)^Stack of the handler, the same since \\S+Z\\R    at a.B. \\[2Jc\\(B.java:1\\)\\R    at a.D.e\\(D.java:2\\)$");
    assertThat(skipjack("jobs show " + job + " --json").out())
        .contains("\"stack\":\"\\tat a.B.", "\"stack_since\":\"20", "\"stack_problem\":null");
    assertThat(skipjack("jobs list --sort started --json").out()).contains("\\tat a.D.e(D.java:2)");

    queue
        .workers()
        .recordStacks(List.of(new StackSample(execution, null, "It returned a stage.")), List.of());
    assertThat(skipjack("jobs show " + job).out()).contains("\nIt returned a stage.\n");
  }

  @Test
  void jsonHasEveryFieldOfTheExplanationAndOfTheFix() throws IOException {
    JobId job = queue.enqueue(Shop.RECEIPT, "{}");
    queue.admin().pause("emails");

    JsonNode why = new ObjectMapper().readTree(skipjack("why " + job + " --json").out());

    assertThat(why.fieldNames())
        .toIterable()
        .map(name -> name.equals("id") ? "job" : name)
        .containsExactlyElementsOf(components(JobExplanation.class));
    assertThat(why.get("fix").fieldNames())
        .toIterable()
        .containsExactlyElementsOf(components(Fix.class));
  }

  private static List<String> components(Class<? extends Record> type) {
    return Arrays.stream(type.getRecordComponents()).map(RecordComponent::getName).toList();
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

  /** No command can start a worker, so the output names the kind that needs one. */
  @Test
  void aJobOfAnUnknownKindRunsOnceAWorkerHandlesIt() {
    JobId job = queue.enqueue(Shop.RECEIPT, "{}");
    announce(Shop.STOCK.kind());
    String why = skipjack("why " + job + " --json").out();
    assertThat(first(REASON, why)).isEqualTo("kind_unknown");
    assertThat(why).contains("No living worker has a handler for the kind send-receipt");
    assertThat(skipjack(first(COMMAND, why)).out()).contains("update-stock");
    assertThat(check("kinds")).contains("No living worker handles the kind send-receipt");

    announce(Shop.RECEIPT.kind());

    assertThat(first(REASON, skipjack("why " + job + " --json").out())).isEqualTo("next_in_line");
    assertThat(check("kinds")).contains("\"level\":\"green\"");
  }

  @Test
  void aMissingPartitionIsCreated() throws SQLException {
    Shop.execute(
        database,
        """
        DO $$
        DECLARE child regclass;
        BEGIN
          FOR child IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'skipjack.job_executions'::regclass LOOP
            EXECUTE 'DROP TABLE ' || child;
          END LOOP;
        END $$
        """);
    String missing = check("partitions");
    assertThat(missing).contains("\"level\":\"red\"", "job_executions_");
    assertThat(skipjack("doctor").exitCode()).isEqualTo(ExitCodes.BAD_NEWS);

    assertThat(skipjack(first(COMMAND, missing)).exitCode()).isZero();

    assertThat(check("partitions")).contains("\"level\":\"green\"");
  }

  /** Consumes a million transaction ids, because a transaction cannot be made to look old. */
  @Test
  @Tag("soak")
  void aTransactionThatHoldsBackVacuumIsEnded() throws SQLException {
    try (Connection pinning = DriverManager.getConnection(database.jdbcUrl())) {
      pinning.setAutoCommit(false);
      pinning.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      try (Statement statement = pinning.createStatement()) {
        statement.execute("SELECT 'the report of the month'");
      }
      Shop.execute(
          database,
          """
          CREATE TEMPORARY TABLE burned (id int);
          DO $$
          BEGIN
            FOR id IN 1..1000000 LOOP
              BEGIN
                INSERT INTO burned VALUES (id);
              EXCEPTION WHEN unique_violation THEN
                NULL;
              END;
            END LOOP;
          END $$;
          DROP TABLE burned
          """);
      String held = check("vacuum-horizon");
      assertThat(held).contains("\"level\":\"yellow\"", "the report of the month");

      Matcher fix = Pattern.compile("SELECT pg_terminate_backend[^;]+;").matcher(held);
      assertThat(fix.find()).as(held).isTrue();
      Shop.execute(database, fix.group());

      awaitGreen("vacuum-horizon");
    }
  }

  /** Waits for the server process to end. */
  private void awaitGreen(String name) {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!check(name).contains("\"level\":\"green\"")) {
      assertThat(System.nanoTime()).as(name).isLessThan(deadline);
    }
  }

  /** Returns the finding of a check, as JSON. */
  private String check(String name) {
    return first(
        Pattern.compile("(\\{\"check\":\"" + name + "\".*?\\})(?=,\\{\"check\"|\\])"),
        skipjack("doctor --json").out());
  }

  private void announce(String kind) {
    queue
        .workers()
        .announce(
            new WorkerRow(
                WorkerId.boot("shop-1"), "app-1", 4711L, List.of("emails"), List.of(kind), "{}"));
  }
}
