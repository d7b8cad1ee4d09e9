package dev.skipjack.dashboard;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class DashboardServerTest {

  private static final String TOKEN = "correct-horse-battery";

  private final HttpClient client = HttpClient.newHttpClient();
  private JobQueue queue;

  @BeforeEach
  void connect(QueueDatabase database) {
    queue = JobQueue.on(database.dataSource());
  }

  private HttpResponse<String> get(URI address, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(address);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  /** Sends a request with any headers, and returns the whole response. */
  private static String raw(URI address, String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), address.getPort())) {
      socket.getOutputStream().write(request.getBytes(US_ASCII));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  @Test
  void aDashboardWithoutARuleListensOnThisMachineOnly() {
    try (Dashboard dashboard = Dashboard.on(queue).build()) {
      for (String host : List.of("0.0.0.0", "192.0.2.1")) {
        assertThatThrownBy(() -> DashboardServer.start(dashboard, new InetSocketAddress(host, 0)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("Set an access rule or a token");
      }
    }
  }

  @Test
  void aNameThatOnlyResolvesToThisMachineIsRefused() throws Exception {
    try (Dashboard dashboard = Dashboard.on(queue).build();
        DashboardServer server = dashboard.serve(0)) {
      URI address = server.address();
      assertThat(get(address).statusCode()).isEqualTo(200);
      for (String host : List.of("evil.example", "localhost.evil.example", "127.0.0.1.evil")) {
        assertThat(
                raw(address, "GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"))
            .startsWith("HTTP/1.1 403");
      }
    }
  }

  private static String requestOf(String host) {
    return "GET /queues HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
  }

  @Test
  void anAccessRuleAloneDoesNotOpenTheDashboardToNamesOfOtherSites() throws Exception {
    Access admin = Access.of("anna", Role.ADMIN);
    try (Dashboard dashboard = Dashboard.on(queue).access(all -> Optional.of(admin)).build();
        DashboardServer server = dashboard.serve(0)) {
      URI address = server.address();
      for (String host : List.of("evil.example", "localhost.evil.example", "1.2.3.4.evil", "")) {
        assertThat(raw(address, requestOf(host))).as(host).startsWith("HTTP/1.1 403");
      }
      for (String host :
          List.of("localhost", "127.0.0.1:80", "[::1]:80", "192.0.2.7", "LocalHost")) {
        assertThat(raw(address, requestOf(host))).as(host).startsWith("HTTP/1.1 200");
      }
    }
  }

  @Test
  void theNamesOfADashboardAreAccepted() throws Exception {
    Access admin = Access.of("anna", Role.ADMIN);
    try (Dashboard dashboard =
            Dashboard.on(queue)
                .access(all -> Optional.of(admin))
                .hosts("Ops.example.com", "ops2.example.com")
                .build();
        DashboardServer server = dashboard.serve(0)) {
      URI address = server.address();
      assertThat(raw(address, requestOf("ops.EXAMPLE.com:8443"))).startsWith("HTTP/1.1 200");
      assertThat(raw(address, requestOf("ops2.example.com"))).startsWith("HTTP/1.1 200");
      assertThat(raw(address, requestOf("evil.example"))).startsWith("HTTP/1.1 403");
      Browser browser = new Browser(dashboard, "");
      assertThat(browser.header("Host", "evil.example").get("/").status()).isEqualTo(403);
      assertThat(browser.header("Host", null).get("/").status()).isEqualTo(403);
      assertThat(browser.header("Host", "ops.example.com").get("/").status()).isEqualTo(200);
    }
  }

  @Test
  void pagesAndFilesAreServed() throws Exception {
    try (Dashboard dashboard = Dashboard.on(queue).build();
        DashboardServer server = dashboard.serve(0)) {
      HttpResponse<String> page = get(server.address());
      assertThat(page.body()).contains("<h1>Now</h1>");
      assertThat(page.headers().firstValue("Cache-Control")).contains("no-store");
      HttpResponse<String> style =
          get(server.address().resolve("/" + Assets.STYLE.link(0).text().substring(2)));
      assertThat(style.headers().firstValue("Content-Type")).contains("text/css; charset=utf-8");
      assertThat(style.headers().firstValue("Cache-Control").orElseThrow()).contains("immutable");
    }
  }

  @Test
  void aPageThatTheBrowserHasIsNotSentAgain() throws Exception {
    try (Dashboard dashboard = Dashboard.on(queue).build();
        DashboardServer server = dashboard.serve(0)) {
      URI address = server.address().resolve("/api/v1/queues");
      String tag = get(address).headers().firstValue("ETag").orElseThrow();
      // The response contains the time at which it was read, which is the same while it is fresh.
      assertThat(get(address, "If-None-Match", tag).statusCode()).isIn(200, 304);
      assertThat(get(address, "If-None-Match", "\"other\"").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aHeadRequestHasNoBody() throws Exception {
    try (Dashboard dashboard = Dashboard.on(queue).build();
        DashboardServer server = dashboard.serve(0)) {
      assertThat(
              raw(
                  server.address(),
                  "HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
          .startsWith("HTTP/1.1 200")
          .doesNotContain("<html");
    }
  }

  @Test
  void aTokenIsRequired() throws Exception {
    try (Dashboard dashboard =
            Dashboard.on(queue).token(TOKEN, Access.of("ops", Role.ADMIN)).build();
        DashboardServer server = dashboard.serve(0)) {
      URI address = server.address();

      HttpResponse<String> first = get(address);
      assertThat(first.statusCode()).isEqualTo(303);
      assertThat(first.headers().firstValue("Location")).contains("./login");
      assertThat(get(address.resolve("/login")).body()).contains("type=\"password\"");
      assertThat(get(address.resolve("/login?token=wrong")).statusCode()).isEqualTo(401);
      assertThat(get(address.resolve("/api/v1/queues")).statusCode()).isEqualTo(401);
      assertThat(get(address.resolve("/api/v1/queues"), "Authorization", "Bearer no").statusCode())
          .isEqualTo(401);

      HttpResponse<String> login = get(address.resolve("/login?token=" + TOKEN));
      assertThat(login.statusCode()).isEqualTo(303);
      String cookie = login.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
      assertThat(get(address, "Cookie", cookie).statusCode()).isEqualTo(200);
      assertThat(get(address, "Cookie", cookie + "x").statusCode()).isEqualTo(303);
      assertThat(
              get(address.resolve("/api/v1/queues"), "Authorization", "Bearer " + TOKEN)
                  .statusCode())
          .isEqualTo(200);
    }
  }

  @Test
  void aLoginEndsAfterTwelveHours() {
    TestClock clock = new TestClock(Instant.parse("2026-11-27T12:00:00Z"));
    try (Dashboard dashboard =
        Dashboard.on(queue).token(TOKEN, Access.of("ops", Role.ADMIN)).clock(clock).build()) {
      Browser browser = new Browser(dashboard, "");
      browser.get("/login?token=" + TOKEN);
      assertThat(browser.get("/").status()).isEqualTo(200);
      clock.advance(Duration.ofHours(12));

      assertThat(browser.get("/").status()).isEqualTo(303);
    }
  }

  @Test
  void shortTokensAndKeysAreRefused() {
    assertThatThrownBy(() -> Dashboard.on(queue).token("short", Access.of("ops", Role.VIEWER)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("16");
    assertThatThrownBy(() -> Dashboard.on(queue).signingKey(new byte[31]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("32");
  }

  @Test
  void oddRequestsGetAResponse() throws Exception {
    try (Dashboard dashboard = Dashboard.on(queue).build();
        DashboardServer server = dashboard.serve(0)) {
      for (String line :
          List.of(
              "GET /jobs?q=%ZZ HTTP/1.1",
              "GET /%2e%2e/etc/passwd HTTP/1.1",
              "GET /jobs/99999999999999999999 HTTP/1.1",
              "GET /jobs/-1 HTTP/1.1",
              "GET //jobs HTTP/1.1",
              "BREW / HTTP/1.1",
              "GET /?" + "a=1&".repeat(200) + " HTTP/1.1")) {
        assertThat(raw(server.address(), line + "\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
            .as(line)
            .containsPattern("^HTTP/1.1 (200|400|404|405)");
      }
    }
  }
}
