package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.OperationPreview;
import dev.skipjack.api.operations.QueuePause;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests those uses of the commands for operators that {@link CommandLineDocumentTest} does not run.
 */
@QueueTest
class OperatorCommandsTest {

  private Path home;
  private QueueDatabase database;
  private JobQueue queue;

  @BeforeEach
  void connect(QueueDatabase database, @TempDir Path home) {
    this.home = home;
    this.database = database;
    this.queue = Shop.queue(database);
  }

  private Program skipjack(String... arguments) {
    return Program.run(
        Map.of(),
        home,
        Stream.concat(Arrays.stream(arguments), Stream.of("--url", database.jdbcUrl()))
            .toArray(String[]::new));
  }

  private JobId enqueue() {
    return queue.enqueue(Shop.RECEIPT, "{\"order\": 1}");
  }

  @Test
  void anIncompleteListContinuesWhereItStopped() {
    for (int i = 0; i < 3; i++) {
      enqueue();
    }
    Program first = skipjack("jobs", "list", "--limit", "2");
    assertThat(first.out()).hasLineCount(3);
    assertThat(first.err()).startsWith("There may be more jobs. Continue with --after ");
    String token = first.err().strip().replaceFirst(".* ", "");

    Program second = skipjack("jobs", "list", "--limit", "2", "--after", token);
    assertThat(second.exitCode()).isZero();
    assertThat(second.out()).hasLineCount(2);
    assertThat(second.err()).isEmpty();
  }

  @Test
  void aSignalMakesTheJobDueThatWaitsForIt() throws SQLException {
    JobId job = enqueue();
    Shop.execute(
        database,
        "UPDATE skipjack.jobs SET scheduled_at = now() + interval '7 days', awaits = 'review' WHERE id = "
            + job,
        "INSERT INTO skipjack.job_waits (job_id, address, name, ends_at) VALUES (%s, 'job/%s', 'review', now() + interval '7 days')"
            .formatted(job, job));

    Program sent = skipjack("signals", "send", job.toString(), "review", "{\"ok\": true}");

    assertThat(sent.err()).isEmpty();
    assertThat(sent.out())
        .isEqualTo("Sent the signal 'review'; the job that waits for it is due.\n");
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT sent_by, payload ->> 'ok', (SELECT scheduled_at <= clock_timestamp() FROM skipjack.jobs WHERE id = %s) FROM skipjack.job_signals"
                    .formatted(job))) {
      assertThat(row.next()).isTrue();
      assertThat(row.getString(1)).contains("@");
      assertThat(row.getString(2)).isEqualTo("true");
      assertThat(row.getBoolean(3)).as("due").isTrue();
    }
  }

  @Test
  void aSignalIsStoredForAKeyAndRefusedForAnEndedJob() {
    assertThat(skipjack("signals", "send", "--key=order 7", "paid").out())
        .isEqualTo("Stored the signal 'paid'; no suspended job waits for it now.\n");
    Program ended = skipjack("signals", "send", "4711", "paid");
    assertThat(ended.exitCode()).isEqualTo(ExitCodes.NOTHING_MATCHED);
    assertThat(ended.out() + ended.err()).contains("Job 4711 has ended or never existed");
  }

  @Test
  void aSignalNeedsAJobOrAKeyAndValidJson() {
    assertThat(skipjack("signals", "send", "paid").err()).contains("Give the id of a job or --key");
    assertThat(skipjack("signals", "send", "order-7", "paid").err())
        .contains("'order-7' is not the id of a job");
    assertThat(skipjack("signals", "send", "--key=k", "paid", "{").exitCode()).isNotZero();
  }

  @Test
  void aListOfSchedulesContinuesWhereItStopped() {
    for (String name : List.of("a", "b", "c")) {
      add(name);
    }
    Program first = skipjack("schedules", "list", "--limit", "2");
    assertThat(first.out()).hasLineCount(3);
    assertThat(first.err()).isEqualTo("There may be more schedules. Continue with --after b\n");

    Program second = skipjack("schedules", "list", "--limit", "2", "--after", "b", "--json");
    assertThat(second.exitCode()).isZero();
    assertThat(second.out()).contains("\"schedule\":\"c\"").contains("\"next\":null");
    assertThat(skipjack("schedules", "list", "--after", "c").exitCode()).isEqualTo(4);
  }

  private void add(String schedule) {
    queue
        .schedules()
        .add(Schedule.every(Duration.ofDays(1)).named(schedule).enqueue(Shop.RECEIPT, "{}"));
  }

  /**
   * Gives two rows values that the table would reject: an infinite time, and a date after the year
   * 9999.
   */
  @Test
  void aScheduleThatCannotBeReadIsShownWithItsReasonAndCanBePausedAndRemoved() throws SQLException {
    add("sound");
    add("time");
    add("list");
    Shop.execute(
        database,
        "ALTER DOMAIN skipjack.job_schedule_time DROP CONSTRAINT job_schedule_time_check;"
            + "ALTER TABLE skipjack.job_schedules DROP CONSTRAINT job_schedules_dates_check;"
            + "UPDATE skipjack.job_schedules SET next_at = '-infinity', due_at = '-infinity' WHERE name = 'time';"
            + "UPDATE skipjack.job_schedules SET except_dates = '{10000-01-01}' WHERE name = 'list'");

    Program list = skipjack("schedules", "list");
    assertThat(list.exitCode()).isZero();
    assertThat(list.out()).hasLineCount(4).contains("active, unreadable");
    assertThat(list.err())
        .contains("Schedule 'time' cannot be read. Column 'due_at'")
        .contains("Schedule 'list' cannot be read. Column 'except_dates'");
    assertThat(skipjack("schedules", "show", "time").out()).contains("unreadable");
    Program fire = skipjack("schedules", "fire", "time");
    assertThat(fire.exitCode()).isEqualTo(2);
    assertThat(fire.err()).contains("The row of schedule 'time' cannot be read.");
    for (String name : List.of("time", "list")) {
      assertThat(skipjack("schedules", "pause", name).exitCode()).isZero();
      assertThat(skipjack("schedules", "show", name).out()).contains("paused");
      assertThat(skipjack("schedules", "remove", name).exitCode()).isZero();
    }
    assertThat(skipjack("schedules", "list").err()).isEmpty();
  }

  @Test
  void theFiltersOfAListAreCombined() {
    JobId found =
        queue.enqueue(Shop.RECEIPT, "{}", job -> job.tags("vip").delay(Duration.ofHours(1)));
    queue.enqueue(Shop.CHARGE, "{}", job -> job.tags("vip"));
    enqueue();

    Program list =
        skipjack(
            "jobs",
            "list",
            "--queue=emails",
            "--kind=send-receipt",
            "--tag=vip",
            "--status=pending",
            "--json");
    assertThat(list.out()).startsWith("{\"jobs\":[{\"id\":%s,".formatted(found)).hasLineCount(1);
    assertThat(skipjack("jobs", "list", "--payload=order=1", "--json").out())
        .contains("\"kind\":\"send-receipt\"")
        .doesNotContain("charge-card");
    assertThat(skipjack("jobs", "list", "--payload", "order=2").exitCode()).isEqualTo(4);
    assertThat(skipjack("jobs", "list", "--since", "1h").out()).hasLineCount(4);
    assertThat(skipjack("jobs", "list", "--since", "2100-01-01T00:00:00Z").exitCode()).isEqualTo(4);
    assertThat(skipjack("jobs", "list", "--error", "declined").exitCode()).isEqualTo(4);
    assertThat(skipjack("jobs", "list", "--tag=none").exitCode()).isEqualTo(4);
    assertThat(skipjack("jobs", "list", "--ended").err()).isEqualTo("No job matches.\n");
  }

  @Test
  void theExitCodeOfAChangeIsThatOfItsWorstJob() {
    String pending = enqueue().toString();
    String other = enqueue().toString();

    assertThat(skipjack("jobs", "cancel", pending, other).exitCode()).isZero();
    Program again = skipjack("jobs", "cancel", pending);
    assertThat(again.exitCode()).isEqualTo(4);
    assertThat(again.out()).contains("has ended or never existed");
    Program mixed = skipjack("jobs", "redrive", enqueue().toString(), pending);
    assertThat(mixed.exitCode()).isEqualTo(1);
    assertThat(mixed.out()).contains("not dead");
  }

  @Test
  void anEditChangesOnlyWhatItNames() {
    JobId id = queue.enqueue(Shop.RECEIPT, "{\"order\": 1}", job -> job.delay(Duration.ofDays(1)));

    assertThat(
            skipjack("jobs", "edit", id.toString(), "--priority", "7", "--payload", "{\"order\":2}")
                .exitCode())
        .isZero();
    assertThat(queue.reader().find(id))
        .hasValueSatisfying(
            job -> {
              assertThat(job.summary().priority()).isEqualTo(7);
              assertThat(job.summary().status()).isEqualTo(JobStatus.PENDING);
              assertThat(job.payload()).isEqualTo("{\"order\": 2}");
            });
    Program invalid = skipjack("jobs", "edit", id.toString(), "--payload", "{order}");
    assertThat(invalid.exitCode()).isEqualTo(2);
    assertThat(invalid.err()).contains("is not JSON").hasLineCount(1);
  }

  @Test
  void settingsThatAreNotNamedRemain() {
    skipjack("queues", "set", "emails", "--priority", "5", "--archive-retention", "2d");
    Program second =
        skipjack("queues", "set", "emails", "--priority", "default", "--max-attempts", "4");

    assertThat(second.exitCode()).isZero();
    assertThat(queue.admin().settings("emails"))
        .hasValueSatisfying(
            settings -> {
              assertThat(settings.archiveRetention()).contains(Duration.ofDays(2));
              assertThat(settings.defaultPriority()).isEmpty();
              assertThat(settings.defaultMaxAttempts()).hasValue(4);
            });
  }

  @Test
  void aPauseOfAnUnknownQueuePrintsAWarning() {
    Program pause = skipjack("queues", "pause", "emials", "--for", "15m");
    assertThat(pause.exitCode()).isZero();
    assertThat(pause.out()).startsWith("Queue 'emials' is paused until ");
    assertThat(pause.err()).contains("check the spelling");
    assertThat(skipjack("queues", "resume", "emials").exitCode()).isZero();
    assertThat(skipjack("queues", "resume", "emials").exitCode()).isEqualTo(4);
  }

  @Test
  void aPausedQueueShowsWhoPausedItAndWhy() {
    JobId job = enqueue();
    queue.admin().pause("emails", QueuePause.untilResumed().by("anna").because("Wrong link"));

    Program second = skipjack("queues", "pause", "emails", "--for", "15m", "--reason", "Backup");
    assertThat(second.out())
        .isEqualToIgnoringNewLines("Queue 'emails' is paused by anna. Reason: Wrong link");
    assertThat(skipjack("queues", "show", "emails").out())
        .containsPattern("(?m)^paused by +anna$")
        .containsPattern("(?m)^pause reason +Wrong link$");
    assertThat(skipjack("queues", "list").out()).contains("PAUSED BY", "anna");
    assertThat(skipjack("queues", "list", "--json").out())
        .contains("\"paused_by\":\"anna\",\"pause_reason\":\"Wrong link\"");
    assertThat(skipjack("why", job.toString()).out())
        .startsWith("Queue emails has been paused by anna for ")
        .contains("until an operator resumes it. Reason: Wrong link");
    assertThat(skipjack("doctor").out()).contains("paused-queues").contains("paused by anna");

    skipjack("queues", "resume", "emails");
    Program own =
        Program.run(
            Map.of("SKIPJACK_ACTOR", "bob"),
            home,
            "queues",
            "pause",
            "emails",
            "--reason",
            "Backup",
            "--url",
            database.jdbcUrl());
    assertThat(own.out())
        .isEqualToIgnoringNewLines("Queue 'emails' is paused by bob. Reason: Backup");
  }

  @Test
  void aFileIsEnqueuedOnceHoweverOftenItIsRead() throws IOException {
    Path file = home.resolve("many.jsonl");
    StringBuilder lines = new StringBuilder();
    for (int i = 1; i <= 1_200; i++) {
      lines.append("{\"kind\": \"k%d\", \"payload\": [%d, \"ü\"]}\n".formatted(i % 2, i));
    }
    Files.writeString(file, lines);

    assertThat(skipjack("enqueue", "--file", file.toString(), "--json").out())
        .isEqualTo("{\"enqueued\":1200,\"skipped\":0}\n");
    Files.writeString(file, lines + "\n{\"payload\": 7, \"tags\": [\"last\"]}\n");
    assertThat(skipjack("enqueue", "default-kind", "--file", file.toString(), "--json").out())
        .isEqualTo("{\"enqueued\":1,\"skipped\":1200}\n");
    assertThat(queue.reader().list(JobQuery.live().tag("last")).jobs())
        .singleElement()
        .satisfies(job -> assertThat(job.kind()).isEqualTo("default-kind"));
    assertThat(
            skipjack("enqueue", "x", "--file", file.toString(), "--import", "again", "--json")
                .out())
        .isEqualTo("{\"enqueued\":1201,\"skipped\":0}\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"kind\": \"k\"}                                     | The member payload is missing.",
        "{\"payload\": 1}                                      | The member kind is missing.",
        "{\"kind\": \"K\", \"payload\": 1}                     | Kind name 'K' is not allowed.",
        "{\"kind\": \"k\", \"payload\": {\"a\": }}             | The line is not valid JSON (column ",
        "{\"kind\": \"k\", \"payload\": 1} {}                  | more than one JSON object",
        "{\"kind\": \"k\", \"payload\": null}                  | Payload of kind 'k' is null.",
        "{\"kind\": \"k\", \"payload\": \"\\u0000\"}            | U+0000",
        "{\"kind\": \"k\", \"payload\": 1, \"prio\": 2}         | The member 'prio' is unknown. Known are kind,",
        "{\"kind\": \"k\", \"payload\": 1, \"priority\": 1.5}   | The member priority must be a whole number.",
        "{\"kind\": \"k\", \"payload\": 1, \"priority\": 101}   | Priority 101 is not in -100..100.",
        "{\"kind\": \"k\", \"payload\": 1, \"at\": \"today\"}     | The member at is 'today'",
        "{\"kind\": \"k\", \"payload\": 1, \"tags\": \"a\"}       | The member tags must be an array of strings.",
        "{\"kind\": \"k\", \"payload\": 1, \"headers\": [\"a\"]}  | The member headers must be an object of strings.",
        "{\"kind\": \"k\", \"payload\": 1, \"headers\": {\"a\": 1}} | The member headers.a must be a string.",
        "{\"kind\": \"k\", \"payload\": 1, \"headers\": {\"A\": \"b\"}} | Header name 'A' is not allowed.",
        "{\"kind\": 5, \"payload\": 1}                         | The member kind must be a string.",
        "[]                                                 | The line must be a JSON object.",
      })
  void anInvalidLineIsReportedAndThoseBeforeItAreEnqueued(String line, String sentence)
      throws IOException {
    Path file = home.resolve("invalid.jsonl");
    String good = "{\"kind\": \"k\", \"payload\": {\"a\": [1, {}]}}\n";
    Files.writeString(file, good + good + line + "\n" + good);

    Program first = skipjack("enqueue", "--file", file.toString());
    assertThat(first.exitCode()).isEqualTo(2);
    assertThat(first.err())
        .contains("invalid.jsonl, line 3: ", sentence, " 2 jobs were enqueued.")
        .hasLineCount(1);

    Files.writeString(file, good + good + good + good);
    assertThat(skipjack("enqueue", "--file", file.toString(), "--json").out())
        .isEqualTo("{\"enqueued\":2,\"skipped\":2}\n");
  }

  @Test
  void headersAreEnqueuedAndShown() throws IOException {
    Path file = home.resolve("headers.jsonl");
    Files.writeString(
        file, "{\"kind\": \"k\", \"payload\": 1, \"headers\": {\"tenant\": \"a=\\\"b\\\"\"}}\n");

    skipjack("enqueue", "k", "1", "--header", "tenant=a=b", "--header", "user=7");
    skipjack("enqueue", "--file", file.toString());

    assertThat(queue.reader().list(JobQuery.live()).jobs())
        .extracting(job -> skipjack("jobs", "show", job.id().toString(), "--json").out())
        .satisfiesExactly(
            first -> assertThat(first).contains("\"tenant\": \"a=b\"", "\"user\": \"7\""),
            second -> assertThat(second).contains("\"headers\":{\"tenant\": \"a=\\\"b\\\"\"}"));
    assertThat(skipjack("enqueue", "k", "1", "--header", "tenant").exitCode()).isEqualTo(2);
    assertThat(skipjack("enqueue", "k", "1", "--header", "Tenant=a").err())
        .contains("Header name 'Tenant' is not allowed.");
    assertThat(skipjack("enqueue", "--file", file.toString(), "--header", "a=b").err())
        .contains("With --file, only KIND and --import apply to all lines.");
  }

  @Test
  void aChangeOfManyJobsNeedsAConfirmation() throws SQLException {
    for (int i = 0; i < 7; i++) {
      queue.enqueue(Shop.CHARGE, "{}");
    }
    Worker.on(queue)
        .handle(Shop.CHARGE, (payload, context) -> Outcome.dead("Card declined"))
        .queue("payments", 1)
        .build()
        .runUntilIdle();

    Program asked = skipjack("dead", "redrive");
    assertThat(asked.exitCode()).isEqualTo(2);
    assertThat(asked.out()).hasLineCount(6);
    assertThat(asked.err()).contains("Redrive 7 dead jobs, up to job ", "--yes");
    assertThat(skipjack("dead", "redrive", "--kind", "other", "--yes").exitCode()).isEqualTo(4);
    Program none = skipjack("dead", "prune", "--older-than", "1h", "--yes");
    assertThat(none)
        .isEqualTo(new Program(4, "", "skipjack dead prune: No dead job matches.%n".formatted()));
    Shop.execute(database, "UPDATE skipjack.jobs SET died_at = died_at - interval '2 h'");
    assertThat(skipjack("dead", "prune", "--older-than", "1h").err())
        .containsPattern("Delete 7 dead jobs that died before 20[^ ]+Z, up to job ");
    assertThat(skipjack("dead", "prune", "--older-than", "1h", "--yes", "--json").out())
        .contains("\"state\":\"finished\",\"done\":7,");
    assertThat(skipjack("operations", "list").out()).contains("DIED BEFORE", "prune");
    assertThat(skipjack("operations", "list", "--json").out())
        .containsPattern("\"died_before\":\"20[^\"]+Z\"");
  }

  @Test
  void thePreviewOfAPruneCountsJobsOfEveryError() throws SQLException {
    queue.enqueueAll(Shop.CHARGE, Collections.nCopies(1_100, "{}"));
    queue.enqueue(Shop.STOCK, "{}");
    Shop.execute(
        database,
        "UPDATE skipjack.jobs SET status = 'dead', died_at = now(), last_error = 'error ' || id");

    assertThat(skipjack("dead", "prune", "--queue", "payments").err())
        .contains("Delete 1100 dead jobs, up to job ");
    // The only error of this queue is not among the 1,000 most frequent ones.
    assertThat(skipjack("dead", "prune", "--queue", "stock").err()).contains("Delete 1 dead job, ");
    assertThat(skipjack("dead", "prune", "--queue", "payments", "--yes", "--json").out())
        .contains("\"state\":\"finished\",\"done\":1100,\"skipped\":0,\"failed\":0");
    assertThat(queue.reader().list(JobQuery.live()).jobs()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://oncall:s3cret@127.0.0.9x:5432/db",
        "jdbc:postgresql://127.0.0.1:x/db?user=u&password=ab s3cret'd",
        "jdbc:postgresql://127.0.0.1:1/db?user=u&password=ab s3cret'd",
      })
  void noMessageContainsAPassword(String url) {
    for (String command : List.of("jobs list", "jobs lsit", "jobs list --debug")) {
      List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
      arguments.addAll(List.of("--url", url));
      Program program = Program.run(Map.of(), home, arguments.toArray(String[]::new));
      assertThat(program.exitCode()).as(command).isNotZero();
      assertThat(program.out() + program.err()).as(command).doesNotContain("s3cret");
    }
  }

  @Test
  void aRescueTakesBackAJobWhoseLeaseHasExpired() {
    enqueue();
    List<Program> rescues = new ArrayList<>();
    Worker.on(queue)
        .handle(
            Shop.RECEIPT,
            (payload, context) -> {
              Shop.execute(
                  database, "UPDATE skipjack.jobs SET lease_expires_at = now() - interval '1 min'");
              rescues.add(skipjack("rescue", "--spread", "1h", "--json"));
              return Outcome.completed();
            })
        .queue("emails", 1)
        .build()
        .runNext();

    assertThat(rescues)
        .singleElement()
        .satisfies(
            rescue -> {
              assertThat(rescue.exitCode()).isZero();
              assertThat(rescue.out()).contains("\"queue\":\"emails\"", "\"status\":\"pending\"");
            });
  }

  @Test
  void aRunningHeadOfAKeyIsNotSkipped() {
    queue.enqueue(Shop.STOCK, "{}", job -> job.orderingKey("sku-7"));
    List<Program> skips = new ArrayList<>();
    Worker.on(queue)
        .handle(
            Shop.STOCK,
            (payload, context) -> {
              skips.add(skipjack("keys", "skip", "sku-7"));
              return Outcome.completed();
            })
        .queue("stock", 1)
        .build()
        .runNext();

    assertThat(skips)
        .singleElement()
        .satisfies(
            skip -> {
              assertThat(skip.exitCode()).isEqualTo(1);
              assertThat(skip.out()).contains("is running, so it was not skipped");
            });
  }

  @Test
  void aKeyIsTakenOnlyFromTheGivenJob() {
    JobId head = queue.enqueue(Shop.STOCK, "{}", job -> job.orderingKey("sku-7"));
    JobId next = queue.enqueue(Shop.STOCK, "{}", job -> job.orderingKey("sku-7"));

    Program late = skipjack("keys", "skip", "sku-7", "--job", next.toString());
    assertThat(late.exitCode()).isEqualTo(1);
    assertThat(late.out()).contains("Another job than " + next + " holds the key 'sku-7'");
    Program unblock = skipjack("keys", "unblock", "sku-7", "--job", head.toString());
    assertThat(unblock.exitCode()).isEqualTo(4);
    assertThat(unblock.err()).contains("Job " + head + " does not block the key 'sku-7'.");

    assertThat(skipjack("keys", "skip", "sku-7", "--job", head.toString()).exitCode()).isZero();
    assertThat(queue.reader().find(head).orElseThrow().summary().status())
        .isEqualTo(JobStatus.WAITING);
    assertThat(queue.reader().find(next).orElseThrow().summary().status())
        .isEqualTo(JobStatus.PENDING);
  }

  @Test
  void pruningDeletesWhatHasExpired() {
    queue.enqueueOnce(Shop.RECEIPT, "{}", job -> job.idempotencyKey("once"));
    database.timeTravel(Duration.ofDays(2));

    Program prune = skipjack("prune", "--json");
    assertThat(prune.exitCode()).isZero();
    assertThat(prune.out()).contains("\"keys_deleted\":1", "\"unfinished\":false");
  }

  @Test
  void rolesArePrintedUnlessTheyAreConfirmed() {
    Program printed = skipjack("roles", "--prefix", "cli_print");
    assertThat(printed.exitCode()).isZero();
    assertThat(printed.out()).contains("cli_print_viewer", "GRANT USAGE ON SCHEMA \"skipjack\" TO");
    assertThat(skipjack("roles", "--prefix", "X").exitCode()).isEqualTo(2);
  }

  @Test
  void statsWarnOfQueuesThatNeedAttention() throws SQLException {
    enqueue();
    queue.admin().pause("emails");
    Shop.execute(database, "UPDATE skipjack.jobs SET scheduled_at = now() - interval '1 min'");

    assertThat(skipjack("stats").out())
        .contains(
            "! Queue 'emails' is paused and has pending jobs.",
            "! Queue 'emails' has due jobs, but no worker.");
  }

  @Test
  void statsWarnOfWaitingAndDeadJobsAndOfAttemptsThatRunForHours() throws SQLException {
    Shop.execute(
        database,
        """
        INSERT INTO skipjack.jobs (queue, kind, payload, status, ordering_key) VALUES ('stock', 'k', '{}', 'waiting', 'a')
        """,
        """
        INSERT INTO skipjack.jobs (queue, kind, payload, status, died_at)
        VALUES ('stock', 'k', '{}', 'dead', now()), ('stock', 'k', '{}', 'dead', now())
        """,
        """
        INSERT INTO skipjack.jobs (queue, kind, payload, status, current_execution_id, lease_expires_at, started_at)
        VALUES ('stock', 'k', '{}', 'running', 1, now(), now() - interval '5 h')
        """);

    assertThat(skipjack("stats").out())
        .contains(
            "! Queue 'stock' has waiting jobs, but no worker.",
            "! 2 jobs are dead; 'skipjack dead list' shows why.")
        .containsPattern(
            "! 1 attempt has run for 2h or longer\\. Job \\d+ has run longest, for 5h\\.");
  }

  @Test
  void theJobsThatRunLongestAreListedWithTheirProcess() throws SQLException {
    WorkerId worker = WorkerId.boot("w");
    queue
        .workers()
        .announce(new WorkerRow(worker, "app-1", 4711, List.of("emails"), List.of("k"), "{}"));
    for (int hours = 1; hours <= 5; hours++) {
      Shop.execute(
          database,
          """
          INSERT INTO skipjack.jobs (queue, kind, payload, status, current_execution_id, lease_expires_at, started_at, locked_by)
          VALUES ('emails', 'k', '{}', 'running', %d, now(), now() - interval '%d h', '%s')
          """
              .formatted(hours, hours, worker));
    }

    Program longer = skipjack("jobs", "list", "--running-longer-than", "150m");
    assertThat(longer.out()).hasLineCount(4).contains("RUNNING FOR", "5h", "app-1", "4711");
    assertThat(longer.out().lines().skip(1).findFirst().orElse("")).contains("5h");
    assertThat(skipjack("jobs", "list", "--sort", "started", "--limit", "2").out()).hasLineCount(3);
    assertThat(skipjack("jobs", "list", "--running-longer-than", "10h").exitCode())
        .isEqualTo(ExitCodes.NOTHING_MATCHED);
    assertThat(skipjack("jobs", "list", "--running-longer-than", "1h", "--json").out())
        .contains("\"running_for_seconds\":", "\"pid\":4711");
  }

  @Test
  void jobsAreSortedByTheTimeAtWhichTheyAreDue() {
    JobId later = queue.enqueue(Shop.RECEIPT, "{}", job -> job.delay(Duration.ofHours(1)));
    JobId first = enqueue();

    String due = skipjack("jobs", "list", "--sort", "due", "--queue", "emails").out();

    assertThat(due.indexOf("\n" + first)).isLessThan(due.indexOf("\n" + later)).isPositive();
  }

  /** The role of a worker may archive jobs with any id. */
  @Test
  void anArchivedJobOfAnyIdIsShownAndExplained() throws SQLException {
    Shop.execute(
        database,
        """
        INSERT INTO skipjack.jobs_archive (id, status, queue, kind, payload, payload_version, priority, scheduled_at, created_at, attempts, uncounted_attempts, max_attempts)
        VALUES (-5, 'completed', 'emails', 'k', '{}', 1, 0, now(), now(), 1, 0, 3)
        """);

    String url = database.jdbcUrl();
    assertThat(Program.run(Map.of(), home, "jobs", "show", "--url", url, "--", "-5").out())
        .contains("completed");
    assertThat(Program.run(Map.of(), home, "why", "--url", url, "--", "-5").out())
        .startsWith("Completed at ");
    assertThat(skipjack("jobs", "list", "--ended").out()).contains("\n-5 ");
  }

  @Test
  void aWorkerThatHasNotBeenSeenForMinutesIsStale() throws SQLException {
    queue
        .workers()
        .announce(new WorkerRow(WorkerId.boot("w"), "h", 1, List.of("emails"), List.of("k"), "{}"));
    assertThat(skipjack("workers").out()).containsPattern(" alive +0?[0-9]*m?s ");

    Shop.execute(database, "UPDATE skipjack.job_workers SET seen_at = now() - interval '10 min'");

    assertThat(skipjack("workers").out()).containsPattern(" stale +10m ");
    assertThat(skipjack("workers", "--json").out()).contains("\"alive\":false");
    enqueue();
    assertThat(skipjack("stats").out()).contains("! Queue 'emails' has due jobs, but no worker.");

    Shop.execute(database, "UPDATE skipjack.job_workers SET seen_at = '9999-12-31'");

    assertThat(skipjack("workers", "--json").out()).contains("\"alive\":false");
    assertThat(skipjack("stats").out()).contains("! Queue 'emails' has due jobs, but no worker.");
  }

  @Test
  void aDatabaseThatAcceptsNoConnectionIsUnreachable() throws SQLException {
    String role = "cli_full";
    Shop.execute(database, "CREATE ROLE %s LOGIN CONNECTION LIMIT 0".formatted(role));
    try {
      Program doctor =
          Program.run("doctor", "--json", "--url", database.jdbcUrl() + "&user=" + role);
      assertThat(doctor.exitCode()).as(doctor.out()).isEqualTo(ExitCodes.UNREACHABLE);
      assertThat(doctor.out()).isEmpty();
    } finally {
      Shop.execute(database, "DROP ROLE " + role);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "schema-version, false",
    "leases, false",
    "workers, false",
    "kinds, false",
    "schedules, false",
    "pooler, true",
    "vacuum-horizon, true",
    "dead-rows, true"
  })
  void aDoctorThatCouldNotCheckTheQueueIsNotHealthy(String check, boolean healthy) {
    Finding unchecked = new Finding(check, Finding.Level.NOT_CHECKED, "s", "m", null);
    Finding green = new Finding("b", Finding.Level.GREEN, "s", "m", null);

    assertThat(queue.doctor().run()).extracting(Finding::check).contains(check);
    assertThat(DoctorCommand.isHealthy(List.of(unchecked, green))).isEqualTo(healthy);
  }

  @Test
  void aRedCheckIsNotHealthy() {
    Finding green = new Finding("b", Finding.Level.GREEN, "s", "m", null);

    assertThat(DoctorCommand.isHealthy(List.of(green))).isTrue();
    assertThat(
            DoctorCommand.isHealthy(
                List.of(green, new Finding("c", Finding.Level.RED, "s", "m", null))))
        .isFalse();
  }

  @Test
  void aRedCheckOfTheDoctorIsExitCodeOne() throws SQLException {
    Program before = skipjack("doctor", "--json");
    boolean healthy = before.out().contains("\"healthy\":true");
    assertThat(before.exitCode()).isEqualTo(healthy ? 0 : 1);
    assertThat(before.out())
        .startsWith("{\"checks\":[{\"check\":\"")
        .contains("\"check\":\"partitions\",\"level\":\"green\"")
        .contains("\"check\":\"dead-events\"", "\"check\":\"relays\"")
        .hasLineCount(1);

    dropPartitions();
    try {
      Program red = skipjack("doctor");
      assertThat(red.exitCode()).isEqualTo(1);
      assertThat(red.out()).containsPattern("red +partitions +\\S").contains("Fix: ");
    } finally {
      assertThat(skipjack("prune").exitCode()).isZero();
    }
    assertThat(skipjack("doctor", "--json").out())
        .contains("\"check\":\"partitions\",\"level\":\"green\"");
  }

  /** Drops the empty partitions of the audit, as if no worker had created any for weeks. */
  private void dropPartitions() throws SQLException {
    Shop.execute(
        database,
        """
        DO $$
        DECLARE
          part regclass;
        BEGIN
          FOR part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'skipjack.job_executions'::regclass LOOP
            EXECUTE format('DROP TABLE %s', part);
          END LOOP;
        END
        $$
        """);
  }

  @Test
  void aWatchWithoutATerminalPrintsALineForEachRefresh() {
    enqueue();
    Program text = skipjack("stats", "--watch", "--times", "2", "--interval", "1s");
    assertThat(text.out())
        .hasLineCount(2)
        .contains("Z Pending 1, running 0, waiting 0, dead 0, workers 0");
    assertThat(skipjack("stats", "--watch", "--times", "1", "--json").out())
        .startsWith("{\"queues\":[{\"queue\":\"emails\"")
        .hasLineCount(1);
  }

  @Test
  void storedTextCannotControlTheTerminal() throws SQLException {
    JobId id = enqueue();
    Shop.execute(
        database,
        "UPDATE skipjack.jobs SET last_error = E'first\\nsecond \\x1b[2J' WHERE id = " + id);

    assertThat(skipjack("jobs", "list").out()).contains("first second  [2J").hasLineCount(2);
  }

  @Test
  void aMissingSchemaIsReportedWithItsFix() {
    Program list = skipjack("jobs", "list", "--schema", "other");
    assertThat(list.exitCode()).isEqualTo(2);
    assertThat(list.err())
        .isEqualTo(
            "skipjack jobs list: The database has no queue in this schema. Create it with 'skipjack migrate', or name another schema with --schema.\n");
  }

  @Test
  void aMigrationCreatesTheSchemaThatWasMissing() {
    Program missing = skipjack("migrate", "--check", "--schema", "second");
    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(missing.out()).contains("has no queue");
    assertThat(skipjack("migrate", "--print", "--schema", "second").out())
        .startsWith("CREATE SCHEMA IF NOT EXISTS \"second\";\nSET search_path = \"second\";\n")
        .contains("-- V001__create_jobs.sql", "CREATE TABLE jobs");

    assertThat(skipjack("migrate", "--schema", "second", "--json").out())
        .startsWith("{\"")
        .contains("\"schema\":\"second\"");
    assertThat(skipjack("migrate", "--check", "--schema", "second").exitCode()).isZero();
    assertThat(skipjack("migrate", "--print", "--schema", "second").out())
        .isEqualTo("-- Schema 'second' is up to date.\n");
  }

  @Test
  void jobsAreCancelledByFilterAndTheChangeIsRecorded() {
    enqueue();
    enqueue();
    JobId other = queue.enqueue(Shop.CHARGE, "{\"order\": 2}");

    Program dryRun =
        skipjack("jobs", "cancel", "--payload", "order=1", "--since", "1h", "--dry-run", "--json");
    assertThat(dryRun.exitCode()).isZero();
    assertThat(dryRun.out())
        .startsWith("{\"jobs\":2,\"at_least\":false,\"newest_id\":" + other + ",\"sample\":[{");
    assertThat(queue.operations().list(1)).isEmpty();

    assertThat(skipjack("jobs", "cancel", "--kind", "send-receipt").err())
        .contains("Cancel 2 jobs, up to job " + other + "? Add --yes to confirm");
    Program cancel = skipjack("jobs", "cancel", "--kind", "send-receipt", "--yes");
    assertThat(cancel.exitCode()).isZero();
    assertThat(cancel.out()).endsWith("Cancelled 2 jobs.\n");
    assertThat(queue.reader().list(JobQuery.live()).jobs())
        .extracting(JobSummary::id)
        .containsExactly(other);
    assertThat(queue.operations().list(1).get(0).actor())
        .isEqualTo(new Environment(Map.of(), home, false).actor())
        .contains("@");
    assertThat(skipjack("jobs", "cancel", "--kind", "send-receipt", "--yes").exitCode())
        .isEqualTo(4);
  }

  @Test
  void aStoppedOperationIsContinued() {
    queue.enqueue(Shop.RECEIPT, "{}", job -> job.delay(Duration.ofHours(1)));
    OperationPreview preview =
        queue.operations().preview(OperationAction.RUN_NOW, JobQuery.live().queue("emails"));
    String id = Long.toString(queue.operations().start(preview, "anna").id());

    assertThat(skipjack("operations", "list").out())
        .contains("running", "run_now", "anna", "--queue emails --status pending");
    assertThat(skipjack("operations", "stop", id).exitCode()).isZero();
    assertThat(skipjack("operations", "stop", id).err())
        .contains("Operation %s is not running; its state is 'stopped'.".formatted(id));
    Program continued = skipjack("operations", "continue", id);
    assertThat(continued.out()).isEqualTo("Made 1 job due.\n");
    assertThat(continued.exitCode()).isZero();
    assertThat(skipjack("operations", "continue", id))
        .isEqualTo(
            new Program(
                4, "", "skipjack operations continue: Operation %s has finished.\n".formatted(id)));
    assertThat(skipjack("operations", "stop", "99").err()).contains("There is no operation 99.");
  }

  @Test
  void aDryRunOfAPruneDeletesNothing() throws SQLException {
    queue.enqueue(Shop.CHARGE, "{}");
    Worker.on(queue)
        .handle(Shop.CHARGE, (payload, context) -> Outcome.dead("Card declined"))
        .queue("payments", 1)
        .build()
        .runUntilIdle();
    Shop.execute(database, "UPDATE skipjack.jobs SET died_at = died_at - interval '2 h'");
    for (String age : List.of("0s", "1h")) {
      assertThat(skipjack("dead", "prune", "--older-than", age, "--dry-run").out())
          .endsWith("1 job matches. Nothing was changed.\n");
    }
    assertThat(skipjack("dead", "prune", "--older-than", "3h", "--dry-run").exitCode())
        .isEqualTo(4);
    assertThat(queue.reader().list(JobQuery.live().status(JobStatus.DEAD)).jobs()).hasSize(1);
  }

  @Test
  void aServerThatDoesNotRespondIsReported() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      Program program =
          Program.run(
              Map.of(),
              home,
              "queues",
              "list",
              "--url",
              "jdbc:postgresql://127.0.0.1:%d/x?user=u&loginTimeout=1"
                  .formatted(silent.getLocalPort()));
      assertThat(program.exitCode()).isEqualTo(3);
      assertThat(program.err())
          .contains(
              "The server at 127.0.0.1:%d accepted no connection and login in time (connectTimeout 10 s, loginTimeout 1 s)."
                  .formatted(silent.getLocalPort()))
          .hasLineCount(1);
    }
  }

  @Test
  void aCommandThatWaitsForALockNamesTheTable() throws SQLException {
    queue.admin().pause("emails");
    try (Connection other = database.connection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT 1 FROM skipjack.job_queues WHERE queue = 'emails' FOR UPDATE");
      Program resume =
          Program.run(
              Map.of(),
              home,
              "queues",
              "resume",
              "emails",
              "--url",
              database.jdbcUrl() + "&options=-c%20lock_timeout=100ms");
      assertThat(resume.exitCode()).isEqualTo(1);
      assertThat(resume.err())
          .contains("gave up waiting for a lock on a row of job_queues")
          .hasLineCount(1);
      other.rollback();
    }
  }

  @Test
  void everyCommandLimitsItsWaiting() throws SQLException {
    assertThat(waits(DatabaseAction.Access.READ, "")).isEqualTo("socket 15000 ms, lock 0");
    assertThat(waits(DatabaseAction.Access.WRITE, "")).isEqualTo("socket 60000 ms, lock 10s");
    assertThat(waits(DatabaseAction.Access.MIGRATE, "")).isEqualTo("socket 0 ms, lock 0");
    assertThat(waits(DatabaseAction.Access.WRITE, "&socketTimeout=7&options=-c%20lock_timeout=3s"))
        .as("the user's own limits")
        .isEqualTo("socket 7000 ms, lock 3s");
  }

  private String waits(DatabaseAction.Access access, String parameters) throws SQLException {
    DatabaseAddress address =
        DatabaseAddress.of(database.jdbcUrl() + parameters, Map.of()).orElseThrow();
    try (KeptConnection connections = new KeptConnection(address, access);
        Connection connection = connections.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      try (ResultSet row = statement.executeQuery("SHOW lock_timeout")) {
        row.next();
        return "socket %d ms, lock %s".formatted(connection.getNetworkTimeout(), row.getString(1));
      }
    }
  }

  @Test
  void rolesArePrintedWithoutADatabase() throws IOException {
    Program script = Program.run(Map.of(), home, "roles", "--schema", "second");
    assertThat(script.exitCode()).isZero();
    assertThat(script.out()).startsWith("-- Roles").contains("REVOKE CREATE ON SCHEMA \"second\"");

    Path profiles = Files.createDirectories(home.resolve(".config/skipjack")).resolve("config");
    Files.writeString(profiles, "[default]\nurl = jdbc:postgresql://127.0.0.1:1/x\nschema = third");
    assertThat(Program.run(Map.of(), home, "roles").out()).contains("SCHEMA \"third\"");
    assertThat(Program.run(Map.of(), home, "roles", "--profile", "other").err())
        .contains("Profile 'other' is not in ");
    assertThat(Program.run(Map.of(), home, "roles", "--yes").exitCode()).isEqualTo(3);
  }

  @Test
  void aReadingCommandCannotWriteAndIsLimitedInTime() throws SQLException {
    DatabaseAddress address = DatabaseAddress.of(database.jdbcUrl(), Map.of()).orElseThrow();
    try (KeptConnection connections = new KeptConnection(address, DatabaseAction.Access.READ);
        var connection = connections.getConnection();
        var statement = connection.createStatement()) {
      assertThat(statement.getQueryTimeout()).isEqualTo(KeptConnection.READ_SECONDS);
      connection.setAutoCommit(false);
      try (var row = statement.executeQuery("SHOW transaction_read_only")) {
        row.next();
        assertThat(row.getString(1)).isEqualTo("on");
      }
    }
  }

  @Test
  void aRoleWithoutTheRightIsReportedInOneSentence() throws SQLException {
    Shop.execute(
        database,
        "DROP ROLE IF EXISTS cli_stranger",
        "CREATE ROLE cli_stranger LOGIN PASSWORD 'stranger'",
        "GRANT USAGE ON SCHEMA skipjack TO cli_stranger");
    try {
      String url =
          database.jdbcUrl().replaceFirst("\\?.*", "") + "?user=cli_stranger&password=stranger";
      Program list = Program.run(Map.of(), home, "jobs", "list", "--url", url);
      assertThat(list.exitCode()).isEqualTo(1);
      assertThat(list.err()).contains("permission denied", "docs/guides/roles.md").hasLineCount(1);

      Program login =
          Program.run(
              Map.of(), home, "jobs", "list", "--url", url.replace("cli_stranger", "cli_absent"));
      assertThat(login.exitCode()).isEqualTo(3);
      assertThat(login.err()).contains("rejected the login").doesNotContain("=stranger");
    } finally {
      Shop.execute(database, "DROP OWNED BY cli_stranger", "DROP ROLE cli_stranger");
    }
  }

  @Test
  void aProfileNamesTheDatabaseAndTheSchema() throws IOException {
    Path file = home.resolve(".config/skipjack/config");
    Files.createDirectories(file.getParent());
    Files.writeString(
        file,
        "# two databases\n[default]\nurl = jdbc:postgresql://127.0.0.1:1/x\n\n[test]\nurl = %s\nschema = skipjack\n"
            .formatted(database.jdbcUrl()));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    enqueue();

    assertThat(Program.run(Map.of(), home, "jobs", "list", "--profile", "test").exitCode())
        .isZero();
    assertThat(Program.run(Map.of(), home, "jobs", "list").exitCode()).isEqualTo(3);
    Program absent = Program.run(Map.of(), home, "jobs", "list", "--profile", "prod");
    assertThat(absent.exitCode()).isEqualTo(2);
    assertThat(absent.err()).contains("Profile 'prod' is not in " + file);
  }

  @Test
  void aProfileWithAPasswordMustBePrivate() throws IOException {
    Path file = home.resolve(".config/skipjack/config");
    Files.createDirectories(file.getParent());
    Files.writeString(
        file, "[default]\nurl = jdbc:postgresql://127.0.0.1:1/x\nuser = me\npassword = secret\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    Program open = Program.run(Map.of(), home, "jobs", "list");
    assertThat(open.exitCode()).isEqualTo(2);
    assertThat(open.err()).contains("chmod 600 " + file).doesNotContain("secret");

    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    Program refused = Program.run(Map.of(), home, "jobs", "list");
    assertThat(refused.exitCode()).isEqualTo(3);
    assertThat(refused.err()).contains("127.0.0.1:1").doesNotContain("secret").hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jobs show x                       | 'x' is not the id of a job, which is a number.",
        "jobs show                         | Missing required parameter: 'JOB'",
        "jobs cancel                       | No jobs are named. Give their ids, or select them with a filter,",
        "jobs cancel 1 --queue emails      | Filters and --dry-run do not apply to jobs that are named by their ids.",
        "jobs cancel --status completed    | ",
        "jobs run-now --status dead        | ",
        "jobs redrive                      | Missing required parameter: 'JOB'",
        "operations list --limit 0         | Limit 0 is not in 1..500.",
        "jobs list --status broken         | expected one of [PENDING, RUNNING, WAITING, DEAD, COMPLETED, CANCELLED] (case-insensitive) but was 'broken'",
        "jobs list --limit 501             | Page limit 501 is not in 1..500.",
        "jobs list --queue UPPER           | Queue name 'UPPER' is not allowed.",
        "jobs list --after !               | Page token '!' is not valid.",
        "jobs list --sort due              | --sort due needs --queue.",
        "jobs list --sort due --ended      | --sort orders live jobs;",
        "jobs list --sort age              | expected one of [ID, DUE, STARTED]",
        "jobs list --sort started --queue a | --sort started does not combine with filters,",
        "jobs list --running-longer-than 1h --sort due | --running-longer-than lists by start;",
        "jobs list --running-longer-than 1h --kind a | --running-longer-than does not combine with filters,",
        "jobs list --running-longer-than x | 'x' is not a duration.",
        "jobs list --since lately          | --since is 'lately', but must be a time such as",
        "jobs list --payload user          | --payload is 'user', but must be a field",
        "why x                             | 'x' is not the id of a job",
        "stats --watch --interval 10ms     | '10ms' is not a duration.",
        "stats --watch --interval 0s       | --interval is 0s, but must be at least 1s.",
        "stats --watch --times 0           | --times is 0, but must be at least 1.",
        "jobs edit 5                       | Nothing to change.",
        "jobs edit 5 --at=2026-12-01T08:00:00Z --delay=5m | Use one of them.",
        "jobs edit 5 --delay soon          | 'soon' is not a duration.",
        "queues pause emails --for 0s      | Duration PT0S of a pause must be positive",
        "queues pause emails --reason=     | Reason '' of a pause must have 1 to 500 characters",
        "queues set emails                 | Nothing to set.",
        "queues set emails --priority high | --priority is 'high', but must be a number or 'default'.",
        "queues set emails --priority 101  | Priority 101 is not in -100..100.",
        "queues set emails --ordering-policy=no | --ordering-policy is 'no', but must be",
        "queues set emails --dead-retention x   | --dead-retention: 'x' is not a duration.",
        "enqueue                           | Nothing to enqueue. Give KIND and PAYLOAD, or --file.",
        "enqueue k {order}                 | is not JSON",
        "enqueue K {}                      | Kind name 'K' is not allowed.",
        "enqueue k {} --priority 500       | Priority 500 is not in -100..100.",
        "enqueue k {} --import x           | --import needs --file.",
        "enqueue --file no.jsonl           | no.jsonl: no such file, or not readable.",
        "enqueue --file .                  | .: is a folder.",
        "enqueue --file . --priority 1     | Set everything else in each line.",
        "schedules add s --kind k          | Give either --cron or --every.",
        "schedules add s --every 5m        | Missing required option: '--kind=KIND'",
        "schedules add s --kind k --cron x | ",
        "schedules add s --kind k --every 1m --zone Mars | Time zone 'Mars' is unknown.",
        "schedules add s --kind k --every 1m --jitter 2h | Jitter PT2H of schedule 's' is not in",
        "schedules add s --kind k --every 1m --missed no | expected one of [SKIP, ONCE, ALL]",
        "schedules list --limit 501        | Limit 501 is not in 1..500.",
        "schedules pause S                 | Schedule name 'S' is not allowed.",
        "keys skip                         | No key is named.",
        "dead list --queue A               | Queue name 'A' is not allowed.",
        "rescue --spread x                 | 'x' is not a duration.",
        "prune --archive 40000d            | Archive retention",
        "migrate --print --check           | Use one of them.",
        "jobs list --profile a             | --url and --profile both name a database.",
      })
  void wrongInputIsReportedInASentence(String arguments, String sentence) {
    Program program = skipjack(arguments.split(" +"));
    assertThat(program.exitCode()).isEqualTo(2);
    assertThat(program.out()).isEmpty();
    assertThat(program.err()).contains(sentence == null ? "" : sentence);
    assertThat(program.err().lines().count()).isBetween(1L, 2L);
  }

  @Test
  void aGroupOfCommandsListsThem() {
    assertThat(Program.run("jobs").err())
        .contains("No command was given. Available commands: list, show,");
    Program unknown = Program.run("jobs", "lsit", "--url", "jdbc:postgresql:d?password=secret");
    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.err())
        .contains("Unknown command 'lsit ", "Available commands: list, show,")
        .doesNotContain("secret");
  }

  @Test
  void withoutADatabaseTheWaysToNameOneAreListed() {
    Program list = Program.run(Map.of(), home, "jobs", "list");
    assertThat(list.exitCode()).isEqualTo(2);
    assertThat(list.err()).contains("--url", "PGHOST", "[default]");
  }

  @Test
  void aUrlThatTheDriverRejectsIsReportedWithoutItsPassword() {
    Program list =
        Program.run(
            Map.of(), home, "jobs", "list", "--url", "jdbc:postgresql://h:x/d?password=secret");
    assertThat(list.exitCode()).isEqualTo(2);
    assertThat(list.err()).contains("cannot parse").doesNotContain("secret");
  }

  @Test
  void debugPrintsTheStackTrace() {
    Program list =
        Program.run(
            Map.of(), home, "jobs", "list", "--debug", "--url", "jdbc:postgresql://127.0.0.1:1/x");
    assertThat(list.exitCode()).isEqualTo(3);
    assertThat(list.err()).contains("    at dev.skipjack.").contains("skipjack jobs list: ");
  }
}
