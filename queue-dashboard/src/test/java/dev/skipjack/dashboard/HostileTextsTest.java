package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that texts with markup stay texts, in every field of every page. */
@QueueTest
class HostileTextsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "</textarea></title></pre><svg onload=alert(1)>",
        "javascript:alert(1)//\"",
        "<!--<a href=\"javascript:alert(1)\">",
        "&lt;script&gt;&#60;b&#62;",
        "{{7*7}}${7*7}\u2028\u202Etxt.exe\\u003cscript\\u003e"
      })
  void textsStayTexts(String text, QueueDatabase database) throws Exception {
    try (Fixture fixture = new Fixture(database)) {
      fixture.fillWith(text);
      fixture.runWithStack("\tat " + text + "(B.java:1)\n" + text);
      fixture
          .queue
          .operations()
          .start(
              fixture
                  .queue
                  .operations()
                  .preview(OperationAction.REDRIVE, JobQuery.live().tag(text).error(text)),
              text);
      for (String access :
          List.of("<b>\"'&x admin * payloads", Fixture.VIEWER, "carl operator emails payloads")) {
        Browser browser = fixture.browser(access);
        for (String address : addresses(fixture, text)) {
          Response response = browser.get(address);
          assertThat(response.status())
              .as("%s %s", address, response.text())
              .isIn(200, 400, 403, 404);
          if (address.startsWith("/api/")) {
            assertThat(new JsonMapper().readTree(response.body()).isObject()).isTrue();
            assertThat(response.text()).doesNotContain("<");
          } else {
            Markup.check(response.text());
          }
        }
      }
      assertThat(Browser.plain(fixture.browser(Fixture.ADMIN).page("/operations")))
          .contains(text.replace('\u2028', '\uFFFD').replace('\u202E', '\uFFFD'));
    }
  }

  /** Returns an address of each page for each kind of job, and some that repeat the text. */
  private static Iterable<String> addresses(Fixture fixture, String text) {
    TreeSet<String> addresses = new TreeSet<>();
    String encoded = URLEncoder.encode(text, StandardCharsets.UTF_8);
    List<JobId> jobs =
        Stream.concat(
                fixture.queue.reader().list(JobQuery.live()).jobs().stream(),
                fixture.queue.reader().list(JobQuery.archived()).jobs().stream())
            .map(JobSummary::id)
            .toList();
    assertThat(jobs).hasSizeGreaterThan(4);
    String operation = Long.toString(fixture.queue.operations().list(1).get(0).id());
    for (Route route : Routes.all()) {
      if (route.method().equals("GET")) {
        for (String value : List.of("", encoded)) {
          String parameters =
              "?q="
                  + value
                  + "&name=emails"
                  + value
                  + "&after="
                  + value
                  + "&note="
                  + value
                  + "&action=redrive"
                  + value;
          if (route.path().contains("{id}")) {
            String parent =
                route.path().contains("operations") ? operation : jobs.get(0).toString();
            addresses.add(route.path().replace("{id}", parent) + parameters);
          } else if (!(route.path().endsWith("/queue") && !value.isEmpty())) {
            addresses.add(route.path() + parameters);
          }
        }
      }
    }
    jobs.forEach(job -> addresses.add("/jobs/" + job));
    for (JobStatus status : JobStatus.values()) {
      addresses.add("/jobs?q=status:" + status.literal());
    }
    addresses.add(
        "/jobs?q=" + URLEncoder.encode("tag:" + FilterText.quoted(text), StandardCharsets.UTF_8));
    return addresses;
  }
}
