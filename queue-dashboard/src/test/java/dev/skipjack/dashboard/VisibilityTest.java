package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that no page and no document contains what the user may not see. */
@QueueTest
class VisibilityTest {

  private static final String SECRET = "Lundqvist-4711";

  private Fixture fixture;

  @BeforeEach
  void connect(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private List<String> addresses() {
    List<String> addresses = new ArrayList<>();
    List<JobSummary> jobs =
        Stream.concat(
                fixture.queue.reader().list(JobQuery.live()).jobs().stream(),
                fixture.queue.reader().list(JobQuery.archived()).jobs().stream())
            .toList();
    assertThat(jobs).isNotEmpty();
    for (Route route : Routes.all()) {
      if (route.method().equals("GET") && !route.path().endsWith("}")) {
        addresses.add(route.path() + "?name=emails&action=redrive");
      }
    }
    for (JobSummary job : jobs) {
      addresses.add("/jobs/" + job.id());
      addresses.add("/api/v1/jobs/" + job.id());
    }
    addresses.add("/jobs?q=status:dead");
    addresses.add("/jobs?q=status:ended");
    for (JobOperation operation : fixture.queue.operations().list(10)) {
      addresses.add("/operations/" + operation.id());
      addresses.add("/api/v1/operations/" + operation.id());
    }
    return addresses;
  }

  private String everythingFor(String access) {
    Browser browser = fixture.browser(access);
    StringBuilder all = new StringBuilder();
    addresses().forEach(address -> all.append(browser.get(address).text()).append('\n'));
    return Browser.plain(all.toString());
  }

  private JobId enqueueAndFail(String message) {
    JobId failed =
        fixture.enqueue(
            "mail", "emails", Map.of("name", SECRET, "password", "hunter2", "IBAN", "DE-iban"));
    fixture.fail("mail", "emails", message);
    fixture.enqueue("mail", "emails", Map.of("name", SECRET));
    fixture.complete("mail", "emails", Map.of("result", SECRET));
    return failed;
  }

  @Test
  void usersWithoutTheRightSeeNoValuesOfPayloads() throws Exception {
    enqueueAndFail("Customer '%s' of anna@firm.example is unknown: %s".formatted(SECRET, SECRET));
    fixture.failToFire("Payload: %s is no name".formatted(SECRET));

    assertThat(everythingFor(Fixture.VIEWER))
        .doesNotContain("Lundqvist")
        .doesNotContain("4711")
        .doesNotContain("firm.example")
        .contains("Customer * of * is unknown: *")
        .contains("Schedule failing has failed to fire 3 times: Payload: * is no name")
        .contains("java.lang.IllegalStateException");
    assertThat(everythingFor(Fixture.ADMIN)).contains(SECRET);
  }

  @Test
  void maskedFieldsAreHiddenFromAllUsers() {
    enqueueAndFail("Login failed: password=hunter2, \"iban\": \"DE-iban\", user=anna");

    assertThat(everythingFor(Fixture.ADMIN))
        .doesNotContain("hunter2")
        .doesNotContain("DE-iban")
        .contains("user=anna")
        .contains(Redaction.MASK);
  }

  @Test
  void payloadsWithMaskedFieldsCannotBeEdited() {
    JobId masked = fixture.enqueue("mail", "emails", Map.of("password", "hunter2"));
    JobId plain = fixture.enqueue("mail", "emails", Map.of("name", "x"));
    Browser admin = fixture.browser(Fixture.ADMIN);

    assertThat(admin.page("/jobs/" + masked)).doesNotContain("<textarea").contains("masked fields");
    assertThat(admin.page("/jobs/" + plain)).contains("<textarea");
  }

  @Test
  void usersSeeOnlyTheirQueues() {
    fixture.enqueue("salary", "payroll", Map.of("name", "x"));
    fixture.fail("salary", "payroll", "Salary failed");
    JobId hidden = fixture.enqueue("salary", "payroll", Map.of("name", "x"));
    fixture.queue.admin().pause("payroll");
    fixture
        .queue
        .operations()
        .start(
            fixture
                .queue
                .operations()
                .preview(OperationAction.REDRIVE, JobQuery.live().queue("payroll")),
            "boss");
    enqueueAndFail("Mail failed");
    String some = "carl admin emails payloads";

    assertThat(everythingFor(some))
        .doesNotContain("payroll")
        .doesNotContain("alary")
        .contains("mail");
    Browser carl = fixture.browser(some);
    assertThat(carl.get("/jobs/" + hidden).text().replace("job " + hidden, "job ID"))
        .isEqualTo(carl.get("/jobs/999999").text().replace("job 999999", "job ID"));
    assertThat(carl.get("/queue?name=payroll").status()).isEqualTo(404);
    assertThat(carl.get("/api/v1/jobs?q=queue:payroll").status()).isEqualTo(404);
    assertThat(carl.get("/preview?action=redrive&q=status:dead").status()).isEqualTo(403);
    assertThat(carl.get("/preview?action=redrive&q=queue:payroll").status()).isEqualTo(404);
    assertThat(fixture.browser("nobody viewer none").page("/queues")).contains("No queue yet");
  }

  @Test
  void deadJobsAreChangedTogetherOnlyByUsersWhoSeeTheirError() {
    enqueueAndFail("Customer anna@firm.example is unknown");
    enqueueAndFail("Mail server timed out");
    Browser blind = fixture.browser(Fixture.OPERATOR);

    assertThat(blind.page("/dead"))
        .containsOnlyOnce("action=redrive")
        .containsOnlyOnce("Needs the right to see payloads");
    assertThat(fixture.browser(Fixture.ADMIN).page("/dead"))
        .doesNotContain("Needs the right to see payloads");
    assertThat(fixture.browser(Fixture.VIEWER).page("/dead"))
        .doesNotContain("action=redrive")
        .doesNotContain("Needs the right to see payloads");
  }

  @Test
  void searchesByHiddenValuesAreRefused() {
    JobId job = enqueueAndFail("Customer %s is unknown".formatted(SECRET));
    Browser viewer = fixture.browser(Fixture.VIEWER);

    assertThat(viewer.get("/api/v1/jobs?q=payload.name:" + SECRET).status()).isEqualTo(403);
    assertThat(viewer.get("/api/v1/jobs?q=error:Lund").status()).isEqualTo(403);
    assertThat(viewer.get("/preview?action=redrive&q=error:Lund").status()).isEqualTo(403);
    assertThat(viewer.page("/jobs?q=error:Lund")).contains("needs the right to see payloads");
    assertThat(viewer.page("/jobs?q=class:IllegalStateException+status:dead")).contains("#" + job);
  }

  @Test
  void maskedFieldsCannotBeSearched() {
    assertThat(
            fixture.browser(Fixture.ADMIN).get("/api/v1/jobs?q=payload.password:hunter2").status())
        .isEqualTo(403);
    assertThat(fixture.browser(Fixture.ADMIN).get("/api/v1/jobs?q=payload.name:x").status())
        .isEqualTo(200);
  }

  @Test
  void filtersOfOperationsHideTheirValues() {
    enqueueAndFail("Customer %s is unknown".formatted(SECRET));
    fixture
        .queue
        .operations()
        .start(
            fixture
                .queue
                .operations()
                .preview(
                    OperationAction.REDRIVE, JobQuery.live().error(SECRET).payload("name", SECRET)),
            "boss");

    assertThat(everythingFor(Fixture.VIEWER)).doesNotContain("Lundqvist").contains("payload.name:");
    assertThat(everythingFor(Fixture.ADMIN)).contains("payload.name:" + SECRET);
  }

  @Test
  void filtersOfOperationsAreRedactedLikeErrors() {
    enqueueAndFail("Mail failed");
    String error = "Login of anna@firm.example failed, password=hunter2";
    for (JobQuery filter :
        List.of(JobQuery.live().errorGroup(error), JobQuery.live().error(error))) {
      fixture
          .queue
          .operations()
          .start(fixture.queue.operations().preview(OperationAction.REDRIVE, filter), "boss");
    }

    assertThat(everythingFor(Fixture.VIEWER))
        .doesNotContain("firm.example")
        .doesNotContain("hunter2")
        .contains("error-group:\"Login of * failed, password=" + Redaction.MASK);
    assertThat(everythingFor(Fixture.ADMIN))
        .doesNotContain("hunter2")
        .contains("error:\"Login of anna@firm.example failed, password=" + Redaction.MASK);
  }

  @Test
  void groupsWithHiddenValuesCannotBeSearched() {
    Browser viewer = fixture.browser(Fixture.VIEWER);
    String shown = "/api/v1/jobs?q=error-group:%22Order+*+failed%22";
    String hidden = "/api/v1/jobs?q=error-group:%22password=hunter2%22";

    assertThat(viewer.get(shown).status()).isEqualTo(200);
    assertThat(viewer.get(hidden).status()).isEqualTo(403);
    assertThat(fixture.browser(Fixture.ADMIN).get(hidden).status()).isEqualTo(403);
  }

  @Test
  void withoutARuleAllVisitorsAreViewersWithoutPayloads() {
    JobId job = enqueueAndFail("Customer %s is unknown".formatted(SECRET));
    try (Dashboard open = Dashboard.on(fixture.queue).build()) {
      Browser browser = new Browser(open, "anna admin * payloads");
      String page = browser.page("/jobs/" + job);

      assertThat(page)
          .doesNotContain("Lundqvist")
          .contains("viewer")
          .doesNotContain("Redrive</button>");
    }
  }
}
