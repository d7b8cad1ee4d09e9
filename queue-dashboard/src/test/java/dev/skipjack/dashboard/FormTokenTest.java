package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a form changes something only if a page of the dashboard contained it, for exactly
 * this change.
 */
@QueueTest
class FormTokenTest {

  private Fixture fixture;
  private Browser browser;
  private JobId job;
  private Map<String, List<String>> form;

  @BeforeEach
  void open(QueueDatabase database) {
    fixture = new Fixture(database);
    browser = fixture.browser(Fixture.ADMIN);
    fixture.queue.admin().pause("emails");
    job = fixture.enqueue("mail", "emails", Map.of());
    form = browser.fields(browser.page("/jobs/" + job), "/jobs/" + job + "/cancel");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private String path() {
    return "/jobs/" + job + "/cancel";
  }

  private void assertRefused(Response response) {
    assertThat(response.status()).isEqualTo(403);
    assertThat(fixture.queue.reader().find(job).orElseThrow().summary().status())
        .isEqualTo(JobStatus.PENDING);
  }

  @Test
  void theFormOfAPageIsAccepted() {
    assertThat(browser.send("POST", path(), form).status()).isEqualTo(303);
    assertThat(fixture.queue.reader().find(job).orElseThrow().summary().status())
        .isEqualTo(JobStatus.CANCELLED);
  }

  @Test
  void aTokenIsValidForItsAddressOnly() {
    JobId other = fixture.enqueue("mail", "emails", Map.of());

    assertThat(browser.send("POST", "/jobs/" + other + "/cancel", form).status()).isEqualTo(403);
  }

  @Test
  void aTokenIsValidForItsTargetOnly() {
    Map<String, List<String>> pause =
        new LinkedHashMap<>(browser.fields(browser.page("/queue?name=emails"), "/queue/resume"));
    pause.put("target", List.of("billing"));

    assertThat(browser.send("POST", "/queue/resume", pause).status()).isEqualTo(403);
  }

  @Test
  void aTokenIsValidInItsBrowserOnly() {
    Browser other = fixture.browser(Fixture.ADMIN);
    other.page("/jobs/" + job);

    assertRefused(other.send("POST", path(), form));
  }

  @Test
  void aTokenIsValidForItsUserOnly() {
    assertRefused(browser.header("x-access", "bert admin *").send("POST", path(), form));
  }

  @Test
  void aTokenOfAnotherDashboardIsRefused() {
    try (Dashboard restarted = Dashboard.on(fixture.queue).access(Fixture::access).build()) {
      Browser other = new Browser(restarted, Fixture.ADMIN);
      other.page("/jobs/" + job);

      assertRefused(other.send("POST", path(), form));
    }
  }

  @Test
  void formsOfOtherSitesAreRefused() {
    for (String site : List.of("cross-site", "same-site", "none")) {
      assertRefused(browser.header("Sec-Fetch-Site", site).send("POST", path(), form));
    }
  }

  @Test
  void withoutFetchMetadataTheOriginDecides() {
    browser.header("Sec-Fetch-Site", null);
    for (String origin : List.of("https://evil.example", "null", "http://dashboard.example.evil")) {
      assertRefused(browser.header("Origin", origin).send("POST", path(), form));
    }
    assertThat(
            browser
                .header("Origin", "https://dashboard.example")
                .send("POST", path(), form)
                .status())
        .isEqualTo(303);
  }

  @Test
  void cookiesBehindAProxyWithTlsAreSecure() {
    assertThat(isCookieSecure("https")).isTrue();
    assertThat(isCookieSecure("HTTPS, http")).isTrue();
    assertThat(isCookieSecure("http, https")).isFalse();
    assertThat(isCookieSecure(null)).isFalse();
  }

  private boolean isCookieSecure(@Nullable String protocol) {
    Browser fresh = fixture.browser(Fixture.VIEWER).header("X-Forwarded-Proto", protocol);
    return fresh.get("/").headers().stream()
        .filter(header -> header.name().equals("Set-Cookie"))
        .anyMatch(header -> header.value().endsWith("; Secure"));
  }

  @Test
  void cookiesOverTlsCannotBeSetByOtherHostsOfTheDomain() {
    String known = "a".repeat(32);
    Browser foreign =
        fixture
            .browser(Fixture.VIEWER)
            .header("X-Forwarded-Proto", "https")
            .header("Cookie", "skipjack_session=" + known);

    assertThat(foreign.get("/").headers())
        .filteredOn(header -> header.name().equals("Set-Cookie"))
        .singleElement()
        .satisfies(
            header ->
                assertThat(header.value())
                    .startsWith("__Host-skipjack_session=")
                    .contains("; Path=/;")
                    .endsWith("; Secure")
                    .doesNotContain(known, "Domain"));
    Browser own =
        fixture
            .browser(Fixture.VIEWER)
            .header("X-Forwarded-Proto", "https")
            .header("Cookie", "__Host-skipjack_session=" + known);
    assertThat(own.get("/").headers()).noneMatch(header -> header.name().equals("Set-Cookie"));
  }

  @Test
  void theLoginOverTlsHasACookieOfThisHostOnly() {
    try (Dashboard dashboard =
        Dashboard.on(fixture.queue)
            .token("correct-horse-battery", Access.of("ops", Role.VIEWER))
            .build()) {
      Browser browser = new Browser(dashboard, "").header("X-Forwarded-Proto", "https");

      assertThat(browser.get("/login?token=correct-horse-battery").headers())
          .anyMatch(header -> header.value().startsWith("__Host-skipjack_login="));
      assertThat(browser.get("/").status()).isEqualTo(200);
    }
  }

  @Test
  void theSessionCookieIsForThisSiteAndNotForScripts() {
    assertThat(fixture.browser(Fixture.VIEWER).get("/").headers())
        .anyMatch(
            header ->
                header.name().equals("Set-Cookie")
                    && header.value().startsWith("skipjack_session=")
                    && header.value().endsWith("; HttpOnly; SameSite=Strict"));
  }
}
