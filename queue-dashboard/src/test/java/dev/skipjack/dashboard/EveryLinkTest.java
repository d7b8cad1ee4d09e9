package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Follows the links of all pages, and sends odd parameters to all routes. */
@QueueTest
class EveryLinkTest {

  private static final int MOST_PAGES = 300;

  @Test
  void everyLinkLeadsToAPage(QueueDatabase database) throws Exception {
    try (Fixture fixture = new Fixture(database)) {
      fixture.fillWith("it's \"a\" text & 100 % <of> it?");
      for (String access : List.of(Fixture.ADMIN, Fixture.VIEWER, "carl operator emails")) {
        Browser browser = fixture.browser(access);
        Set<String> seen = new TreeSet<>(List.of("/"));
        Deque<String> open = new ArrayDeque<>(seen);
        while (!open.isEmpty() && seen.size() < MOST_PAGES) {
          String address = open.remove();
          Response response = browser.get(address);
          assertThat(response.status()).as("%s %s", access, address).isEqualTo(200);
          if (address.startsWith("/assets/")) {
            continue;
          }
          for (String link : Markup.check(response.text())) {
            String next = Browser.resolve(address, link).split("#", 2)[0];
            if (isPage(next) && seen.add(next)) {
              open.add(next);
            }
          }
        }
        assertThat(seen)
            .contains("/queues", "/jobs", "/running", "/dead", "/workers", "/operations")
            .hasSizeGreaterThan(25);
      }
    }
  }

  /**
   * Returns whether an address is that of a page; forms that change something are sent to others.
   */
  private static boolean isPage(String address) {
    String path = address.split("\\?", 2)[0];
    return path.startsWith("/assets/")
        || Routes.all().stream()
            .anyMatch(route -> route.method().equals("GET") && route.matches(path).isPresent());
  }

  @Test
  void noParameterLeadsToAFailure(QueueDatabase database) throws Exception {
    try (Fixture fixture = new Fixture(database)) {
      fixture.fillWith("text");
      Browser browser = fixture.browser(Fixture.ADMIN);
      Random random = new Random(7);
      List<String> odd =
          List.of(
              "",
              "0",
              "-1",
              "9223372036854775807",
              "99999999999999999999",
              "null",
              "%00",
              "%F0%9F%90%9F",
              "%27%22%3C%3E",
              "queue:emails",
              "status:dead",
              "status:",
              "error-group:%22%22",
              "a".repeat(3_000),
              "error:%22%5C%22",
              "since:99999999999d",
              "since:-1h",
              "payload.:x",
              "payload.a..b:1",
              "queue:emails+status:pending+error-group:%22x%22",
              "status:ended+class:X",
              "tag:%00",
              "%0d%0aSet-Cookie:x");
      for (Route route : Routes.all()) {
        for (int i = 0; i < 25; i++) {
          StringBuilder address =
              new StringBuilder(route.path().replace("{id}", Integer.toString(random.nextInt(12))));
          String separator = "?";
          for (String name : List.of("q", "name", "after", "action", "note", "token", "target")) {
            address
                .append(separator)
                .append(name)
                .append('=')
                .append(odd.get(random.nextInt(odd.size())));
            separator = "&";
          }
          Response response = browser.get(address.toString());
          assertThat(response.status()).as("%s", address).isIn(200, 303, 400, 404, 405);
          assertThat(response.headers())
              .noneMatch(header -> header.value().contains("\n") || header.value().contains("\r"));
        }
      }
    }
  }
}
