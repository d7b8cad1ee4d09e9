package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.BlockedKey;
import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.Fix;
import dev.skipjack.api.operations.GroupSettings;
import dev.skipjack.api.operations.GroupState;
import dev.skipjack.api.operations.HeldLane;
import dev.skipjack.api.operations.HeldLane.Cause;
import dev.skipjack.api.operations.JobExecution;
import dev.skipjack.api.operations.JobExplanation;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.QueueActivity;
import dev.skipjack.api.operations.Rate;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.store.jooq.JobQueue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Compares pages with the files in {@code src/test/resources/pages}. After an intended change, run
 * with {@code -Dgolden.write} and review the difference.
 */
class PagesTest {

  private static final Path FOLDER = Path.of("src/test/resources/pages");
  private static final Instant NOW = Instant.parse("2026-11-27T12:00:00Z");

  private static final JobSummary DEAD =
      new JobSummary(
          new JobId(7),
          JobStatus.DEAD,
          "emails",
          "send-welcome",
          null,
          0,
          2,
          0,
          2,
          NOW.minusSeconds(3_600),
          NOW.minusSeconds(600),
          NOW.minusSeconds(600),
          NOW.minusSeconds(598),
          null,
          "web-1/0a1b2c3d",
          "Mail server timed out",
          List.of("vip"));

  private final TestClock clock = new TestClock(NOW);
  private final SharedQueries queries = new SharedQueries(clock, Duration.ofSeconds(1));

  @AfterEach
  void close() {
    queries.close();
  }

  /** Returns the visit of an administrator. No page of this test reads from the database. */
  private Visit visit(String path) {
    JobQueue queue = JobQueue.on(new PGSimpleDataSource());
    Settings settings =
        new Settings(
            request -> Optional.empty(),
            true,
            null,
            null,
            PayloadView.standard(),
            "production",
            EnvironmentColour.RED);
    Services services =
        new Services(
            settings,
            new Reads(queries, queue),
            new Signer(new byte[32]),
            queue,
            queue.admin(),
            queue.operations(),
            queue.schedules(),
            Outbox.on(queue).admin(),
            new OperationRunner(queue.operations()),
            clock);
    return new Visit(
        new Request("GET", path, Map.of(), Map.of(), Map.of(), null, role -> false, false),
        Access.of("anna", Role.ADMIN).payloads(true),
        new Session("session", false),
        Map.of("id", "7"),
        NOW,
        services);
  }

  private static void assertPage(String file, String html) throws IOException {
    String page = html.replaceAll("\\?v=[A-Za-z0-9_-]+", "?v=HASH").replace("><", ">\n<") + "\n";
    Markup.check(html);
    Path golden = FOLDER.resolve(file);
    if (System.getProperty("golden.write") != null) {
      Files.createDirectories(FOLDER);
      Files.writeString(golden, page);
    }
    assertThat(page).isEqualTo(Files.readString(golden));
  }

  private static <T> Panel<T> read(T value) {
    return new Panel<>(value, NOW, null);
  }

  private static QueueRow queue(String name, long pending, long dead) {
    return new QueueRow(
        name,
        new Amount(pending, pending > 10_000),
        new Amount(3, false),
        Amount.NONE,
        new Amount(dead, false),
        pending == 0 ? null : Duration.ofSeconds(75),
        pending == 0 ? null : NOW.minusSeconds(75),
        1,
        10,
        null,
        null,
        null,
        null,
        null);
  }

  private static Map<String, Sparkline> activity() {
    return Sparkline.of(
        List.of(
            new QueueActivity("emails", NOW, 40, 0),
            new QueueActivity("emails", NOW.minusSeconds(3_300), 10, 10),
            new QueueActivity("emails", NOW.minusSeconds(9_000), 99, 99)),
        NOW);
  }

  @Test
  void theFirstPageShowsWhatNeedsAttention() throws IOException {
    Finding finding =
        new Finding(
            "workers",
            Finding.Level.RED,
            "No worker is alive.",
            "Jobs do not run.",
            new Fix("start a worker", "worker.start()"));
    NowScreen.Model model =
        new NowScreen.Model(
            read(List.of(queue("billing", 0, 0), queue("emails", 123_456, 4))),
            read(List.of(finding)),
            read(List.of(new RunningRow(DEAD, Duration.ofMinutes(3), "host", 12L, null))),
            read(
                List.of(
                    new DeadRow(
                        "emails",
                        "send-welcome",
                        "Order * failed",
                        "java.lang.IllegalStateException",
                        4,
                        false,
                        new JobId(7),
                        NOW.minusSeconds(9_000),
                        NOW.minusSeconds(60),
                        "queue:emails kind:send-welcome status:dead",
                        false))),
            read(1),
            read(activity()),
            read(ChartsTest.anHour(NOW)));

    assertPage("now.html", Layout.page(new NowScreen(), model, visit("/")));
  }

  @Test
  void aPanelWithoutANewResultShowsTheLastOne() throws IOException {
    QueuesScreen.Model model =
        new QueuesScreen.Model(
            "",
            new Panel<>(
                List.of(queue("emails", 5, 0)),
                NOW.minusSeconds(90),
                "The database could not be reached."),
            read(Map.of()));

    assertPage("queues.html", Layout.page(new QueuesScreen(), model, visit("/queues")));
  }

  @Test
  void aDeadJobShowsItsAttemptsAndActions() throws IOException {
    JobScreen.Model model =
        new JobScreen.Model(
            new JobId(7),
            DEAD,
            read(
                Optional.of(
                    new JobScreen.Why(
                        JobExplanation.Reason.ATTEMPTS_USED_UP,
                        "Dead: 2 of 2 attempts are used up.",
                        Map.of("attempts", "2"),
                        "skipjack jobs redrive 7"))),
            new Json.Raw("{\n  \"user\": 42\n}"),
            true,
            null,
            null,
            Map.of("traceparent", "00-1"),
            null,
            "customer-1",
            null,
            1,
            null,
            null,
            null,
            List.of(
                attempt(1, ExecutionStatus.FAILED, 1_800), attempt(2, ExecutionStatus.DEAD, 600)),
            null);

    assertPage("job.html", Layout.page(new JobScreen(), model, visit("/jobs/7")));
  }

  @Test
  void heldJobsAndBlockedKeysShowTheirCause() throws IOException {
    HeldScreen.Model model =
        new HeldScreen.Model(
            read(
                List.of(
                    new HeldLane("emails", null, Cause.RUNNING, "mail-server", 5, 5, null, 1_000),
                    new HeldLane(
                        "emails", "acme", Cause.RUNNING_OF_GROUP, "mail-server", 2, 2, null, 3),
                    new HeldLane(
                        "charges", null, Cause.RATE, "stripe", 1, 100, NOW.plusSeconds(3), 40),
                    new HeldLane(
                        "charges",
                        null,
                        Cause.RATE_OF_GROUP,
                        "stripe",
                        0,
                        null,
                        NOW.plusSeconds(90),
                        1),
                    new HeldLane("emails", "late", Cause.GROUP_PAUSED, null, 0, null, null, 7))),
            read(
                List.of(
                    new BlockedKey(
                        "customer-1",
                        new JobId(7),
                        "emails",
                        "send-welcome",
                        NOW.minusSeconds(600),
                        "Mail server timed out",
                        12))));

    assertPage("held.html", Layout.page(new HeldScreen(), model, visit("/held")));
  }

  @Test
  void limitsShowTheirUseAndTheirForm() throws IOException {
    LimitsScreen.Model model =
        new LimitsScreen.Model(
            read(
                List.of(
                    new LimitsScreen.Row(
                        "mail-server",
                        Limit.none().running(5).runningPerGroup(2),
                        List.of("emails"),
                        5,
                        NOW.minusSeconds(86_400)),
                    new LimitsScreen.Row(
                        "stripe",
                        Limit.none().rate(Rate.sliding(100, Duration.ofMillis(1_500)).perGroup()),
                        List.of(),
                        null,
                        NOW.minusSeconds(60)))));

    assertPage("limits.html", Layout.page(new LimitsScreen(), model, visit("/limits")));
  }

  @Test
  void groupsShowTheirSettings() throws IOException {
    GroupsScreen.Model model =
        new GroupsScreen.Model(
            "emails",
            read(
                List.of(
                    new GroupState(
                        "emails",
                        "acme",
                        GroupSettings.defaults().weight(3).maxRunning(2),
                        null,
                        NOW.minusSeconds(60)),
                    new GroupState(
                        "emails",
                        "late",
                        GroupSettings.defaults(),
                        NOW.minusSeconds(30),
                        NOW.minusSeconds(30)))));

    assertPage("groups.html", Layout.page(new GroupsScreen(), model, visit("/groups")));
  }

  private static JobExecution attempt(int number, ExecutionStatus status, long secondsAgo) {
    return new JobExecution(
        new ExecutionId(number),
        number,
        status,
        "emails",
        "web-1/0a1b2c3d",
        NOW.minusSeconds(secondsAgo),
        NOW.minusSeconds(secondsAgo - 2),
        new JobError(
            "java.net.SocketTimeoutException",
            "Mail server timed out",
            "stack\n\tat a.B.c(B.java:1)"));
  }
}
