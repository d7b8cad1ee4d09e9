package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.operations.QueuePause;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Users who see only the queue emails learn nothing about the queue zebra. Everything in it has the
 * word zebra, which occurs nowhere else.
 */
@QueueTest
class QueueScopeTest {

  private static final String HIDDEN = "zebra";
  private static final int MORE_THAN_A_PAGE = 60;
  private static final int MORE_SCHEDULES_THAN_A_PAGE = Reads.ROWS + 1;

  private Fixture fixture;
  private QueueDatabase database;

  @BeforeEach
  void fill(QueueDatabase given) throws Exception {
    database = given;
    fixture = new Fixture(given);
    fillHiddenQueue();
    changeHiddenQueue();
    fillVisibleQueue();
    holdJobsOfBoth();
  }

  private void holdJobsOfBoth() {
    QueueAdmin admin = fixture.queue.admin();
    admin.limit("zebra-limit", Limit.none().running(1_000));
    admin.limit("shared-limit", Limit.none().running(1_000));
    admin.configure("zebra", QueueSettings.defaults().limitedBy("shared-limit"));
    admin.configure("zebra-two", QueueSettings.defaults().limitedBy("zebra-limit"));
    admin.configure("emails", QueueSettings.defaults().limitedBy("shared-limit"));
    hold("zebra", "zebra-kind", "zebra-group");
    hold("emails", "mail", "visible-group");
  }

  private void hold(String name, String kind, String group) {
    fixture.queue.admin().pauseGroup(name, group);
    fixture.queue.enqueue(
        Fixture.type(kind, name), Map.of("name", "x"), options -> options.group(group));
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private void fillHiddenQueue() throws Exception {
    Map<String, Object> payload = Map.of("name", "zebra");
    for (int i = 0; i < MORE_THAN_A_PAGE; i++) {
      fixture.enqueue("zebra-kind", "zebra", payload);
    }
    fixture.fail("zebra-kind", "zebra", "zebra failed");
    fixture.queue.enqueue(
        Fixture.type("zebra-kind", "zebra"),
        payload,
        options -> options.orderingKey("shared").tags("zebra").header("note", "zebra"));
    fixture.fail("zebra-kind", "zebra", "zebra blocks");
    fixture.queue.enqueue(
        Fixture.type("zebra-kind", "zebra"), payload, options -> options.orderingKey("zebra-key"));
    fixture.enqueue("zebra-kind", "zebra", payload);
    fixture.complete("zebra-kind", "zebra", Map.of("result", "zebra"));
    fixture.enqueue("zebra-kind", "zebra", payload);
    fixture
        .queue
        .admin()
        .pause("zebra", QueuePause.untilResumed().by("zebra-boss").because("zebra reason"));
    for (int i = 0; i < MORE_SCHEDULES_THAN_A_PAGE; i++) {
      fixture
          .queue
          .schedules()
          .add(
              Schedule.cron("0 9 * * *")
                  .named("a-zebra-%04d".formatted(i))
                  .enqueue(Fixture.type("zebra-kind", "zebra"), payload)
                  .description("zebra"));
    }
    fixture
        .queue
        .operations()
        .start(
            fixture
                .queue
                .operations()
                .preview(OperationAction.REDRIVE, JobQuery.live().queue("zebra").tag("zebra")),
            "zebra-boss");
    fixture
        .queue
        .operations()
        .start(
            fixture.queue.operations().preview(OperationAction.REDRIVE, JobQuery.live()),
            "zebra-boss");
  }

  private void changeHiddenQueue() {
    fixture.queue.admin().as("zebra-boss", "zebra reason").resume("zebra");
    fixture.queue.operations().record("zebra-boss", null, "redrive_event", null, "zebra-event");
  }

  private void fillVisibleQueue() throws Exception {
    fixture.enqueue("mail", "emails", Map.of("name", "x"));
    fixture.fail("mail", "emails", "Mail failed");
    fixture.enqueue("mail", "emails", Map.of("name", "x"));
    fixture.complete("mail", "emails", Map.of("result", "x"));
    fixture.enqueue("mail", "emails", Map.of("name", "x"));
    JobId behind =
        fixture.queue.enqueue(
            Fixture.type("mail", "emails"),
            Map.of("name", "x"),
            options -> options.orderingKey("shared"));
    fixture.enqueue("report", "emails", Map.of("name", "x"));
    fixture
        .queue
        .schedules()
        .add(
            Schedule.cron("0 9 * * *")
                .named("daily-mail")
                .enqueue(Fixture.type("mail", "emails"), Map.of()));
    assertThat(fixture.queue.reader().why(behind).orElseThrow().sentence())
        .contains("zebra blocks");
    addWorker("shared", List.of("emails", "zebra"), List.of("mail", "zebra-kind"));
    addWorker("zebra-worker", List.of("zebra"), List.of("report", "zebra-kind"));
    execute("UPDATE jobs SET unique_key = 'k' WHERE kind = 'zebra-kind' AND status = 'pending'");
    execute("UPDATE jobs SET freed_unique_key = 'k' WHERE kind = 'mail' AND status = 'dead'");
    execute(
        """
        UPDATE job_executions SET queue = 'zebra', worker_id = 'zebra-worker', error_message = 'zebra'
         WHERE kind = 'mail'
        """);
  }

  private void addWorker(String name, List<String> queues, List<String> kinds) throws SQLException {
    execute(
        """
        INSERT INTO job_workers (name, boot_id, host, pid, queues, kinds, settings)
        VALUES ('%s', gen_random_uuid(), '%s-host', 1, '{%s}', '{%s}',
                '{"version": "1", "concurrency": {"zebra": 7, "emails": 3}}')
        """
            .formatted(name, name, String.join(",", queues), String.join(",", kinds)));
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      connection.setSchema(database.schema());
      statement.execute(sql);
    }
  }

  private List<JobId> jobs() {
    return Stream.of(JobStatus.values())
        .map(
            status ->
                (status.isLive() ? JobQuery.live() : JobQuery.archived())
                    .status(status)
                    .limit(JobQuery.LARGEST))
        .flatMap(query -> fixture.queue.reader().list(query).jobs().stream())
        .map(JobSummary::id)
        .toList();
  }

  /** Returns an address of each page for each job, operation, status and parameter. */
  private List<String> addresses() {
    List<String> addresses = new ArrayList<>();
    List<String> parameters = new ArrayList<>(List.of("", "?name=emails", "?after=a"));
    Stream.of(
            "", "queue:emails", "kind:mail", "status:ended", "since:1h", "class:X", "error-group:Y")
        .forEach(filter -> parameters.add("?q=" + filter));
    for (JobStatus status : JobStatus.values()) {
      parameters.add("?q=status:" + status.literal());
      parameters.add("?q=queue:emails+status:" + status.literal());
    }
    for (OperationAction action : OperationAction.values()) {
      parameters.add("?q=queue:emails&action=" + action.literal());
    }
    jobs().forEach(job -> parameters.add("?like=" + job));
    for (Route route : Routes.all()) {
      if (!route.method().equals("GET")) {
        continue;
      }
      if (!route.path().contains("{id}")) {
        parameters.forEach(parameter -> addresses.add(route.path() + parameter));
      } else {
        jobs().forEach(job -> addresses.add(route.path().replace("{id}", job.toString())));
        for (JobOperation operation : fixture.queue.operations().list(10)) {
          addresses.add(route.path().replace("{id}", Long.toString(operation.id())));
        }
      }
    }
    return addresses;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "carl viewer emails",
        "carl operator emails",
        "carl admin emails payloads",
        "carl admin emails,others payloads"
      })
  void noPageShowsAnythingOfAHiddenQueue(String access) {
    Browser browser = fixture.browser(access);

    for (String address : addresses()) {
      Response response = browser.get(address);

      assertThat(response.text().toLowerCase(Locale.ROOT)).as(address).doesNotContain(HIDDEN);
      assertThat(response.headers()).noneMatch(header -> header.value().contains(HIDDEN));
      assertThat(response.status()).as(address).isIn(200, 303, 400, 403, 404);
    }
    assertThat(browser.page("/jobs")).contains("mail");
    assertThat(browser.page("/schedules")).contains("daily-mail");
    assertThat(browser.page("/workers")).contains("shared").contains("of 3");
    assertThat(browser.page("/held")).contains("visible-group");
    assertThat(browser.page("/limits")).contains("shared-limit").contains("hidden of 1,000");
    assertThat(browser.page("/groups?name=emails")).contains("visible-group");
  }

  @Test
  void aFormOfAVisibleQueueChangesNoGroupOfAHiddenOne() {
    Browser browser = fixture.browser("carl admin emails payloads");
    browser.page("/");

    for (String change : List.of("/groups/pause", "/groups/settings")) {
      Response response =
          browser.sendForm("/groups?name=emails", change, "", "target", "zebra zebra-group");
      assertThat(response.status()).as(change).isEqualTo(403);
    }
    assertThat(browser.page("/limits")).doesNotContain("/limits/set").doesNotContain("Change the");
  }

  /** The same filters with names of a hidden queue and with names that do not exist. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "queue:%s",
        "queue:%s kind:mail",
        "kind:%s-kind",
        "kind:%s-kind status:pending",
        "kind:%s-kind status:dead",
        "kind:%s-kind status:ended",
        "status:dead error:%s",
        "error:%s",
        "error-group:\"%s failed\"",
        "status:dead error-group:\"%s failed\"",
        "tag:%s",
        "payload.name:%s",
        "payload.name:%s status:ended"
      })
  void aFilterWithAHiddenNameIsLikeOneWithAnUnknownName(String filter) {
    for (String access : List.of("carl admin emails payloads", "carl viewer emails")) {
      Browser browser = fixture.browser(access);
      browser.page("/");
      for (String path : List.of("/jobs?q=", "/api/v1/jobs?q=", "/preview?action=redrive&q=")) {
        String hidden = response(browser, path, filter.formatted(HIDDEN));
        String unknown = response(browser, path, filter.formatted("otter"));

        assertThat(hidden.replace(HIDDEN, "otter")).as("%s%s", path, filter).isEqualTo(unknown);
      }
    }
  }

  @Test
  void pagesOfAHiddenQueueAreLikeThoseOfAnUnknownOne() {
    Browser browser = fixture.browser("carl admin emails payloads");
    browser.page("/");

    for (String path :
        List.of("/queue?name=", "/api/v1/queue?name=", "/groups?name=", "/api/v1/groups?name=")) {
      assertThat(response(browser, path, HIDDEN)).isEqualTo(response(browser, path, "otter"));
    }
    String unknown = "9999";
    for (JobId job : jobs()) {
      if (fixture.queue.reader().find(job).orElseThrow().summary().queue().equals(HIDDEN)) {
        for (String path : List.of("/jobs/", "/api/v1/jobs/", "/new?like=")) {
          assertThat(response(browser, path, job.toString()).replace(job.toString(), unknown))
              .isEqualTo(response(browser, path, unknown));
        }
      }
    }
  }

  @Test
  void whyNamesNoWorkersOfOtherQueues() {
    Browser browser = fixture.browser("carl viewer emails");
    JobId report = fixture.queue.reader().list(JobQuery.live().kind("report")).jobs().get(0).id();

    assertThat(browser.page("/jobs/" + report))
        .contains("No living worker that serves the queue emails has a handler for the kind report")
        .doesNotContain("are alive");
    assertThat(fixture.browser(Fixture.VIEWER).page("/jobs/" + report))
        .contains("they serve zebra");
  }

  @Test
  void whyNamesTheHeadOfAKeyToUsersWhoSeeIt() {
    JobId behind =
        fixture.queue.reader().list(JobQuery.live().status(JobStatus.WAITING)).jobs().stream()
            .filter(job -> job.queue().equals("emails"))
            .findFirst()
            .orElseThrow()
            .id();

    assertThat(fixture.browser("carl viewer emails").page("/jobs/" + behind))
        .contains(
            "Behind a job of another queue, which is dead and blocks the ordering key shared.");
    assertThat(fixture.browser("carl viewer emails,zebra").page("/jobs/" + behind))
        .contains("zebra blocks");
  }

  /** Returns the status and the text of a response without its times. */
  private static String response(Browser browser, String path, String value) {
    Response response = browser.get(path + URLEncoder.encode(value, StandardCharsets.UTF_8));
    return response.status()
        + response
            .text()
            .replaceAll("<time[^>]*>[^<]*</time>", "")
            .replaceAll("\"asOf\":\"[^\"]*\"", "")
            .replaceAll("name=\"(token|target)\" value=\"[^\"]*\"", "")
            .replaceAll("[0-9-]+T[0-9:.]+Z", "");
  }
}
