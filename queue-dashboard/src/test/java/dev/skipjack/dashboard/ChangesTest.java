package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.api.operations.GroupSettings;
import dev.skipjack.api.operations.JobChange;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.operations.QueueState;
import dev.skipjack.api.operations.Rate;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the changes that the forms of the pages make. */
@QueueTest
class ChangesTest {

  private Fixture fixture;
  private Browser admin;

  @BeforeEach
  void connect(QueueDatabase database) {
    fixture = new Fixture(database);
    admin = fixture.browser(Fixture.ADMIN);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private JobId dead() {
    JobId job = fixture.enqueue("mail", "emails", Map.of("to", "anna"));
    fixture.fail("mail", "emails", "Mail server timed out");
    return job;
  }

  private JobDetails read(JobId job) {
    return fixture.queue.reader().find(job).orElseThrow();
  }

  private JobStatus status(JobId job) {
    return read(job).summary().status();
  }

  @Test
  void theIdOfAJobAsFilterOpensTheJob() {
    JobId job = dead();

    Response response = admin.get("/jobs?q=%23" + job);

    assertThat(admin.page(Browser.target("/jobs", response))).contains("Why is it dead?");
  }

  @Test
  void aDeadJobIsRedriven() {
    JobId job = dead();

    String page = admin.submit("/jobs/" + job, "/jobs/" + job + "/redrive");

    assertThat(page).contains("The job is pending again").contains("Why is it pending?");
    assertThat(status(job)).isEqualTo(JobStatus.PENDING);
  }

  @Test
  void aPendingJobIsMadeDueAndCancelled() {
    JobId job =
        fixture.queue.enqueue(
            Fixture.type("mail", "emails"), Map.of(), options -> options.delay(Duration.ofDays(1)));

    assertThat(admin.submit("/jobs/" + job, "/jobs/" + job + "/run-now"))
        .contains("The job is due now.");
    assertThat(read(job).summary().scheduledAt()).isBefore(Instant.now().plusSeconds(60));

    assertThat(admin.submit("/jobs/" + job, "/jobs/" + job + "/cancel"))
        .contains("The job was cancelled.");
    assertThat(status(job)).isEqualTo(JobStatus.CANCELLED);
  }

  @Test
  void anEditChangesOnlyWhatIsGiven() {
    JobId job = fixture.enqueue("mail", "emails", Map.of("to", "anna"));

    admin.submit(
        "/jobs/" + job, "/jobs/" + job + "/edit", "priority", "7", "payload", "{\"to\": \"bert\"}");
    assertThat(read(job).summary().priority()).isEqualTo(7);
    assertThat(read(job).payload()).isEqualTo("{\"to\": \"bert\"}");

    admin.submit("/jobs/" + job, "/jobs/" + job + "/edit", "at", "2027-01-01T08:00:00Z");
    assertThat(read(job).summary().scheduledAt()).isEqualTo("2027-01-01T08:00:00Z");
    assertThat(read(job).summary().priority()).isEqualTo(7);
    assertThat(read(job).payload()).isEqualTo("{\"to\": \"bert\"}");
  }

  @Test
  void badInputIsExplainedAndChangesNothing() {
    JobId job = fixture.enqueue("mail", "emails", Map.of("to", "anna"));
    String edit = "/jobs/" + job + "/edit";

    for (List<String> wrong :
        List.of(
            List.of("priority", "x", "must be a number"),
            List.of("priority", "101", "101"),
            List.of("at", "tomorrow", "must have the form"),
            List.of("payload", "{broken", "JSON"))) {
      Response response = admin.sendForm("/jobs/" + job, edit, "", wrong.get(0), wrong.get(1));
      assertThat(response.status()).as("%s", wrong).isEqualTo(400);
      assertThat(response.text()).contains(wrong.get(2));
    }
    assertThat(read(job).payload()).isEqualTo("{\"to\": \"anna\"}");
  }

  @Test
  void usersWithoutPayloadsCannotReplaceThem() {
    JobId job = fixture.enqueue("mail", "emails", Map.of("to", "anna"));
    Browser blind = fixture.browser("bert admin *");

    Response response =
        blind.sendForm("/jobs/" + job, "/jobs/" + job + "/edit", "", "payload", "{}");

    assertThat(response.status()).isEqualTo(403);
    assertThat(read(job).payload()).isEqualTo("{\"to\": \"anna\"}");
  }

  @Test
  void aFormEnqueuesAJobOnce() {
    Map<String, List<String>> form = new HashMap<>(admin.fields(admin.page("/new"), "/new"));
    form.putAll(
        Map.of(
            "kind", List.of("mail"),
            "queue", List.of("emails"),
            "payload", List.of("{\"to\": \"bert\"}"),
            "priority", List.of("3"),
            "key", List.of("customer-1"),
            "tags", List.of("a, b")));

    String first = Browser.target("/new", admin.send("POST", "/new", form));
    String second = Browser.target("/new", admin.send("POST", "/new", form));

    assertThat(second).isEqualTo(first);
    assertThat(admin.page(first)).contains("The job was enqueued.", "customer-1");
    JobDetails job = newest();
    assertThat(job.payload()).isEqualTo("{\"to\": \"bert\"}");
    assertThat(job.summary().tags()).containsExactly("a", "b");
    assertThat(job.summary().priority()).isEqualTo(3);
  }

  private JobDetails newest() {
    List<JobSummary> jobs = fixture.queue.reader().list(JobQuery.live()).jobs();
    return read(jobs.get(jobs.size() - 1).id());
  }

  /** A job of an application with a codec that encrypts and an interceptor that adds a header. */
  private JobId enqueueEncrypted(String payload) {
    return JobQueue.builder(fixture.queue.dataSource())
        .codec(new RawJson())
        .interceptor(
            (jobs, next) ->
                next.enqueue(
                    jobs.stream().map(job -> job.withHeaders(Map.of("tenant", "acme"))).toList()))
        .build()
        .enqueue(
            JobType.of("mail", String.class).payloadVersion(7).onQueue("emails"),
            payload,
            options ->
                options
                    .tags("vip", "a, b")
                    .priority(5)
                    .maxAttempts(3)
                    .orderingKey(" customer 1 ")
                    .group(" tenant 1 "));
  }

  @Test
  void aCopyHasThePayloadVersionAndHeadersOfTheStoredJob() {
    JobId source = enqueueEncrypted("{\"encrypted\": \"c2VjcmV0\", \"n\": 12345678901234567890}");

    assertThat(admin.submit("/new?like=" + source, "/new")).contains("The job was enqueued.");

    JobDetails copy = newest();
    assertThat(copy.summary().id()).isNotEqualTo(source);
    JobDetails stored = read(source);
    assertThat(copy).usingRecursiveComparison().ignoringFields("summary").isEqualTo(stored);
    assertThat(copy.headers()).containsEntry("tenant", "acme");
    assertThat(copy.summary())
        .usingRecursiveComparison()
        .comparingOnlyFields("queue", "kind", "group", "priority", "maxAttempts", "tags")
        .isEqualTo(stored.summary());
  }

  @Test
  void aCopyHasMaskedFieldsThatTheFormDoesNotShow() {
    JobId source = fixture.enqueue("mail", "emails", Map.of("password", "hunter2", "to", "anna"));
    assertThat(admin.page("/new?like=" + source)).doesNotContain("hunter2", "<textarea");

    assertThat(admin.submit("/new?like=" + source, "/new")).contains("The job was enqueued.");

    assertThat(newest().payload()).isEqualTo(read(source).payload()).contains("hunter2");
    assertThat(newest().summary().id()).isNotEqualTo(source);
  }

  @Test
  void theFormOfACopyChangesOnlyWhatItShows() {
    JobId source = fixture.enqueue("mail", "emails", Map.of("to", "anna"));

    admin.submit(
        "/new?like=" + source,
        "/new",
        "kind",
        "other",
        "queue",
        "payroll",
        "payload",
        "{\"to\": \"bert\"}",
        "tags",
        "again");

    assertThat(newest().payload()).isEqualTo("{\"to\": \"bert\"}");
    assertThat(newest().summary().kind()).isEqualTo("mail");
    assertThat(newest().summary().queue()).isEqualTo("emails");
    assertThat(newest().summary().tags()).containsExactly("again");
  }

  @Test
  void aJobCannotBeEnqueuedIntoAHiddenQueue() {
    Browser carl = fixture.browser("carl admin emails payloads");

    Response response =
        carl.sendForm("/new", "/new", "", "kind", "mail", "queue", "payroll", "payload", "{}");

    assertThat(response.status()).isEqualTo(404);
    assertThat(fixture.queue.reader().list(JobQuery.live()).jobs()).isEmpty();
  }

  @Test
  void singleChangesAreRecordedWithWhoMadeThemAndWhy() {
    JobId job = dead();
    fixture
        .queue
        .schedules()
        .add(
            Schedule.cron("0 9 * * *")
                .named("daily")
                .enqueue(Fixture.type("mail", "emails"), Map.of()));
    String page = "/jobs/" + job;
    admin.submit(page, page + "/redrive");
    admin.submit(page, page + "/edit", "priority", "7", "reason", "A customer waits");
    admin.submit("/queue?name=emails", "/queue/pause", "for", "HOUR", "reason", "Deployment");
    admin.submit("/schedules", "/schedules/fire");
    admin.submit(page, page + "/cancel", "reason", "Wrong address");

    assertThat(fixture.queue.operations().changes(10))
        .extracting(JobChange::actor, JobChange::action, JobChange::target, JobChange::reason)
        .containsExactly(
            tuple("anna", "cancel", job.toString(), "Wrong address"),
            tuple("anna", "fire_schedule", "daily", null),
            tuple("anna", "pause", "emails", "Deployment"),
            tuple("anna", "edit", job.toString(), "A customer waits"),
            tuple("anna", "redrive", job.toString(), null));
    assertThat(admin.page("/operations")).contains("Wrong address", "fire schedule", "daily");
    assertThat(fixture.browser("carl viewer others").page("/operations"))
        .doesNotContain("Wrong address", "emails", "daily");
  }

  @Test
  void aPrunedJobIsGone() {
    JobId job = dead();

    assertThat(admin.submit("/jobs/" + job, "/jobs/" + job + "/prune"))
        .contains("The job was deleted.")
        .contains("No dead jobs.");
    assertThat(fixture.queue.reader().find(job)).isEmpty();
  }

  @Test
  void aChangeOfAJobThatHasEndedIsExplained() {
    JobId job = dead();
    Map<String, List<String>> form =
        admin.fields(admin.page("/jobs/" + job), "/jobs/" + job + "/redrive");
    fixture.queue.admin().redrive(List.of(job));

    Response response = admin.send("POST", "/jobs/" + job + "/redrive", form);

    assertThat(admin.page(Browser.target("/jobs/" + job + "/redrive", response)))
        .contains("The job is no longer dead");
  }

  @Test
  void aQueueIsPausedWithActorAndReason() {
    fixture.enqueue("mail", "emails", Map.of());

    String page =
        admin.submit(
            "/queue?name=emails", "/queue/pause", "for", "HOUR", "reason", "Server <down>");

    assertThat(page).contains("by anna").contains("Server &lt;down&gt;").contains("Resume");
    QueueState state = fixture.queue.reader().queues().get(0);
    assertThat(state.pausedBy()).isEqualTo("anna");
    assertThat(state.pauseReason()).isEqualTo("Server <down>");
    assertThat(state.pausedUntil()).isNotNull();

    assertThat(admin.submit("/queue?name=emails", "/queue/resume")).contains("no longer paused");
    assertThat(fixture.queue.reader().queues().get(0).paused()).isFalse();
  }

  @Test
  void theSettingsOfAQueueAreChanged() {
    fixture.queue.admin().limit("mail-server", Limit.none().running(3));
    fixture
        .queue
        .admin()
        .configure("emails", QueueSettings.defaults().limitedBy("mail-server").fair());
    String page =
        admin.submit(
            "/queue?name=emails",
            "/queue/settings",
            "archive",
            "0d",
            "dead",
            "36h",
            "priority",
            "5",
            "policy",
            "BLOCK");

    assertThat(page)
        .contains("The settings were changed.", "deleted after 1 d 12 h", "value=\"36h\"");
    assertThat(fixture.queue.admin().settings("emails"))
        .contains(
            QueueSettings.defaults()
                .noArchive()
                .deadRetention(Duration.ofHours(36))
                .defaultPriority(5)
                .orderingPolicy(OrderingPolicy.BLOCK)
                .limitedBy("mail-server")
                .fair());
    assertThat(admin.sendForm("/queue?name=emails", "/queue/settings", "", "dead", "soon").text())
        .contains("must have the form");
  }

  @Test
  void aFormThatWasNotChangedKeepsFractionsOfASecond() {
    QueueSettings settings = QueueSettings.defaults().archiveRetention(Duration.ofMillis(500));
    fixture.queue.admin().configure("emails", settings);

    admin.submit("/queue?name=emails", "/queue/settings");

    assertThat(fixture.queue.admin().settings("emails")).contains(settings);
  }

  @Test
  void aQueueIsPutUnderALimitAndServesItsGroupsInTurn() {
    fixture.queue.admin().limit("mail-server", Limit.none().running(3));

    admin.submit(
        "/queue?name=emails",
        "/queue/settings",
        "limit",
        "mail-server",
        "groups",
        "in_turn",
        "reason",
        "The server is slow");

    assertThat(fixture.queue.admin().settings("emails"))
        .contains(QueueSettings.defaults().limitedBy("mail-server").fair());
    assertThat(admin.page("/operations")).contains("configure", "The server is slow");
    assertThat(
            admin.sendForm("/queue?name=emails", "/queue/settings", "", "limit", "other").status())
        .isEqualTo(400);
    admin.submit("/queue?name=emails", "/queue/settings", "limit", "", "groups", "");
    assertThat(fixture.queue.admin().settings("emails")).contains(QueueSettings.defaults());
  }

  @Test
  void aUserOfSomeQueuesCannotTakeFromTheLimitOfOthers() {
    fixture.queue.admin().limit("mail-server", Limit.none().running(3));
    fixture.queue.admin().limit("shared", Limit.none().running(3));
    fixture.queue.admin().configure("emails", QueueSettings.defaults().limitedBy("mail-server"));
    Browser some = fixture.browser("sara admin emails payloads");

    assertThat(some.page("/queue?name=emails")).doesNotContain("name=\"limit\"");
    some.submit("/queue?name=emails", "/queue/settings", "limit", "shared", "priority", "5");

    assertThat(fixture.queue.admin().settings("emails"))
        .contains(QueueSettings.defaults().defaultPriority(5).limitedBy("mail-server"));
  }

  @Test
  void aBlockedKeyIsSkipped() {
    for (int i = 0; i < 2; i++) {
      fixture.queue.enqueue(
          Fixture.type("mail", "emails"), Map.of(), options -> options.orderingKey("customer-1"));
    }
    fixture.fail("mail", "emails", "Failed");
    assertThat(admin.page("/held")).contains("customer-1");

    assertThat(admin.submit("/held", "/keys/unblock"))
        .contains("no longer blocked")
        .contains("No key is blocked.");
    assertThat(fixture.queue.reader().blockedKeys()).isEmpty();
  }

  @Test
  void aLimitIsCreatedChangedResetAndRemoved() {
    assertThat(
            admin.submitContaining(
                "/limits", "/limits/set", "Create", "limit", "stripe", "running", "50"))
        .contains("The limit was changed.", "0 of 50", "none; it has no effect");
    assertThat(
            admin.submitContaining(
                "/limits",
                "/limits/set",
                "Save",
                "running",
                "",
                "per-group",
                "3",
                "count",
                "100",
                "period",
                "PT0.5S",
                "burst",
                "10",
                "rate-per-group",
                "true"))
        .contains("100 in 500 ms, 10 at once after a pause, for each group", "PT0.5S");
    assertThat(fixture.queue.admin().limit("stripe"))
        .contains(
            Limit.none()
                .runningPerGroup(3)
                .rate(Rate.bucket(100, Duration.ofMillis(500)).burst(10).perGroup()));
    // A form that is not changed keeps the numbers.
    admin.submitContaining("/limits", "/limits/set", "Save", "rate-per-group", "true");
    assertThat(fixture.queue.admin().limit("stripe").orElseThrow().rate().orElseThrow().burst())
        .isEqualTo(10);
    assertThat(admin.submit("/limits", "/limits/reset")).contains("The rate begins again");
    assertThat(admin.submit("/limits", "/limits/remove"))
        .contains("The limit was removed.", "No limits.");
    assertThat(fixture.queue.operations().changes(10))
        .extracting(JobChange::actor, JobChange::action, JobChange::target)
        .containsExactly(
            tuple("anna", "remove_limit", "stripe"),
            tuple("anna", "reset_limit", "stripe"),
            tuple("anna", "limit", "stripe"),
            tuple("anna", "limit", "stripe"),
            tuple("anna", "limit", "stripe"));
  }

  @Test
  void wrongNumbersOfALimitAreExplained() {
    for (List<String> wrong :
        List.of(
            List.of("limit", "No spaces", "No spaces"),
            List.of("limit", "", "needs a name"),
            List.of("running", "-1", "is negative"),
            List.of("running", "many", "must be a number"),
            List.of("count", "5", "needs both"),
            List.of("period", "PTx", "needs both"))) {
      Response response =
          admin.sendForm(
              "/limits", "/limits/set", "Create", "limit", "stripe", wrong.get(0), wrong.get(1));
      assertThat(response.status()).as("%s", wrong).isEqualTo(400);
      assertThat(response.text()).contains(wrong.get(2));
    }
    assertThat(fixture.queue.reader().limits()).isEmpty();
  }

  @Test
  void aGroupIsPausedConfiguredAndResumed() {
    fixture.queue.admin().limit("mail-server", Limit.none().running(5));
    fixture
        .queue
        .admin()
        .configure("emails", QueueSettings.defaults().fair().limitedBy("mail-server"));
    fixture.queue.enqueue(
        Fixture.type("mail", "emails"), Map.of(), options -> options.group("big one"));

    assertThat(
            admin.submitContaining(
                "/groups?name=emails", "/groups/pause", "Pause", "group", "big one"))
        .contains("The group is paused.", "big one");
    assertThat(admin.page("/held")).contains("The group is paused", "big one", "Resume the group");
    assertThat(
            admin.submitContaining(
                "/groups?name=emails", "/groups/settings", "big one", "weight", "7", "most", "2"))
        .contains("The settings of the group were changed.");
    assertThat(fixture.queue.admin().groupSettings("emails", "big one"))
        .contains(GroupSettings.defaults().weight(7).maxRunning(2));
    assertThat(admin.submit("/held", "/groups/resume")).contains("The group is not paused.");
    assertThat(fixture.queue.reader().held()).isEmpty();
    assertThat(
            admin
                .sendForm("/groups?name=emails", "/groups/settings", "big one", "weight", "101")
                .text())
        .contains("Weight 101 is not in 1..100.");
  }

  @Test
  void aScheduleIsPausedResumedAndFired() throws Exception {
    fixture.fillWith("text");

    assertThat(admin.submit("/schedules", "/schedules/pause")).contains("The schedule is paused.");
    assertThat(fixture.queue.schedules().find("daily").orElseThrow().isPaused()).isTrue();
    assertThat(admin.submit("/schedules", "/schedules/resume")).contains("no longer paused");
    assertThat(fixture.queue.schedules().find("daily").orElseThrow().isPaused()).isFalse();
    assertThat(admin.submit("/schedules", "/schedules/fire")).contains("fires the schedule");
  }

  @Test
  void deadEventsAreRedrivenAndAggregatesUnblocked() throws Exception {
    fixture.fillWith("text");

    assertThat(admin.submit("/outbox", "/outbox/redrive")).contains("Relays try the events again.");
    assertThat(admin.page("/outbox")).contains("No dead events.");
  }

  @Test
  void allJobsOfAFilterAreRedrivenInTheBackground() {
    JobId first = dead();
    JobId second = dead();
    JobId other = fixture.enqueue("report", "reports", Map.of());
    fixture.fail("report", "reports", "Other error");
    String preview = "/preview?action=redrive&q=queue:emails";
    assertThat(admin.page(preview)).contains("2 jobs match").contains("Redrive 2 jobs");

    String page = admin.submit(preview, "/operations");

    assertThat(page).contains("The operation runs.").contains("anna");
    await()
        .until(
            () -> fixture.queue.operations().list(1).get(0).state() == JobOperation.State.FINISHED);
    JobOperation operation = fixture.queue.operations().list(1).get(0);
    assertThat(operation.actor()).isEqualTo("anna");
    assertThat(operation.done()).isEqualTo(2);
    assertThat(List.of(status(first), status(second), status(other)))
        .containsExactly(JobStatus.PENDING, JobStatus.PENDING, JobStatus.DEAD);
    await().until(() -> admin.page("/operations/" + operation.id()).contains("finished"));
  }

  @Test
  void jobsThatDieAfterThePreviewAreNotChanged() {
    JobId before = dead();
    String preview = "/preview?action=redrive&q=queue:emails";
    Map<String, List<String>> form = admin.fields(admin.page(preview), "/operations");
    JobId after = dead();

    admin.send("POST", "/operations", form);

    await().until(() -> status(before) == JobStatus.PENDING);
    assertThat(status(after)).isEqualTo(JobStatus.DEAD);
  }

  @Test
  void theNumberOfOneFilterIsNotShownForASimilarOne() {
    dead();
    assertThat(admin.page("/preview?action=redrive&q=queue:emails+status:dead"))
        .contains("1 job matches");

    assertThat(admin.page("/preview?action=redrive&q=queue:emails+status:dead+error-group:null"))
        .contains("none matches");
    assertThat(admin.page("/jobs?q=queue:emails+status:dead")).contains("Mail server");
    assertThat(admin.page("/jobs?q=queue:emails+status:dead+error-group:null"))
        .doesNotContain("Mail server");
  }

  @Test
  void pruningNeedsTheNumberOfJobs() {
    JobId job = dead();
    String preview = "/preview?action=prune&q=queue:emails";

    Response refused = admin.sendForm(preview, "/operations", "", "count", "2");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.text()).contains("type the number of jobs: 1");
    assertThat(fixture.queue.operations().list(10)).isEmpty();

    admin.submit(preview, "/operations", "count", "1");
    await().until(() -> fixture.queue.reader().find(job).isEmpty());
  }

  @Test
  void theFormOfAPreviewExpires() {
    JobId job = dead();
    TestClock clock = new TestClock(Instant.now());
    try (Dashboard dashboard =
        Dashboard.on(fixture.queue).access(Fixture::access).clock(clock).build()) {
      Browser browser = new Browser(dashboard, Fixture.ADMIN);
      Map<String, List<String>> form =
          browser.fields(browser.page("/preview?action=redrive&q=queue:emails"), "/operations");

      clock.advance(Duration.ofMinutes(11));
      Response refused = browser.send("POST", "/operations", form);
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.text()).contains("Preview again.");
      assertThat(status(job)).isEqualTo(JobStatus.DEAD);
      assertThat(fixture.queue.operations().list(10)).isEmpty();

      browser.submit("/preview?action=redrive&q=queue:emails", "/operations");
      await().until(() -> status(job) == JobStatus.PENDING);
    }
  }

  @Test
  void theFormOfAPreviewCannotBeUsedForOtherJobs() {
    dead();
    Map<String, List<String>> form =
        new HashMap<>(
            admin.fields(admin.page("/preview?action=redrive&q=queue:emails"), "/operations"));
    String target = Objects.requireNonNull(form.get("target")).get(0);

    for (String other :
        List.of(
            target.replace("redrive", "prune"),
            target.replace("queue:emails ", ""),
            target.replaceFirst(" [0-9]+ ", " 999999 "))) {
      form.put("target", List.of(other));
      assertThat(admin.send("POST", "/operations", form).status()).as(other).isEqualTo(403);
    }
  }

  @Test
  void relativeTimesOfAFilterAreFixedByThePreview() {
    dead();
    String page = admin.page("/preview?action=redrive&q=since:2h");

    assertThat(page).containsPattern("since:20[0-9-]+T").doesNotContain("since:2h");
  }

  @Test
  void aStoppedOperationIsContinued() {
    dead();
    JobOperation operation =
        fixture
            .queue
            .operations()
            .start(
                fixture
                    .queue
                    .operations()
                    .preview(OperationAction.REDRIVE, JobQuery.live().queue("emails")),
                "bert");
    String address = "/operations/" + operation.id();
    assertThat(admin.page(address)).contains("Another process runs the operation.");

    assertThat(admin.submit(address, address + "/stop")).contains("stops after its current batch");
    assertThat(admin.submit(address, address + "/continue")).contains("The operation runs.");
    await()
        .until(
            () -> fixture.queue.operations().list(1).get(0).state() == JobOperation.State.FINISHED);
    assertThat(fixture.queue.operations().changes(10))
        .extracting(JobChange::actor, JobChange::action, JobChange::queue, JobChange::target)
        .containsExactly(
            tuple("anna", "continue_operation", "emails", "operation " + operation.id()),
            tuple("anna", "stop_operation", "emails", "operation " + operation.id()));
  }
}
