package dev.skipjack.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.store.jooq.JobQueue;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Proxy;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests what the servlet reads from requests and sends as responses. */
class DashboardServletTest {

  private final List<Request> requests = new ArrayList<>();

  private final Dashboard dashboard =
      Dashboard.on(JobQueue.on(new PGSimpleDataSource()))
          .access(
              request -> {
                requests.add(request);
                return Optional.empty();
              })
          .build();

  private final DashboardServlet servlet = new DashboardServlet(dashboard);

  @AfterEach
  void close() {
    dashboard.close();
  }

  /** The response of the servlet. */
  private static final class Sent {
    private int status;
    private final Map<String, String> headers = new TreeMap<>();
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();

    HttpServletResponse response() {
      return (HttpServletResponse)
          Proxy.newProxyInstance(
              Sent.class.getClassLoader(),
              new Class<?>[] {HttpServletResponse.class},
              (proxy, method, arguments) -> {
                switch (method.getName()) {
                  case "setStatus" -> status = (int) arguments[0];
                  case "addHeader" -> headers.put((String) arguments[0], (String) arguments[1]);
                  case "getOutputStream" -> {
                    return output();
                  }
                  default -> {}
                }
                return null;
              });
    }

    private ServletOutputStream output() {
      return new ServletOutputStream() {
        @Override
        public boolean isReady() {
          return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
          throw new UnsupportedOperationException();
        }

        @Override
        public void write(int b) {
          body.write(b);
        }
      };
    }
  }

  private static ServletInputStream input(String text) {
    ByteArrayInputStream bytes = new ByteArrayInputStream(text.getBytes(UTF_8));
    return new ServletInputStream() {
      @Override
      public boolean isFinished() {
        return bytes.available() == 0;
      }

      @Override
      public boolean isReady() {
        return true;
      }

      @Override
      public void setReadListener(ReadListener listener) {
        throw new UnsupportedOperationException();
      }

      @Override
      public int read() {
        return bytes.read();
      }

      @Override
      public int read(byte[] target, int start, int length) {
        return bytes.read(target, start, length);
      }
    };
  }

  private static HttpServletRequest request(Map<String, @Nullable Object> values, String body) {
    return (HttpServletRequest)
        Proxy.newProxyInstance(
            Sent.class.getClassLoader(),
            new Class<?>[] {HttpServletRequest.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getHeaderNames" -> Collections.enumeration(List.of("X-Forwarded-For"));
                  case "getHeaders" -> Collections.enumeration(List.of("a", "b"));
                  case "getInputStream" -> input(body);
                  case "isUserInRole" -> "on-call".equals(arguments[0]);
                  case "isSecure" -> true;
                  default -> values.get(method.getName());
                });
  }

  private Sent send(Map<String, @Nullable Object> values, String body) throws Exception {
    Map<String, @Nullable Object> all = new HashMap<>();
    all.put("getMethod", "GET");
    all.put("getServletPath", "/ops/skipjack");
    all.putAll(values);
    Sent sent = new Sent();
    servlet.service(request(all, body), sent.response());
    return sent;
  }

  @Test
  void thePathWithoutASlashLeadsToTheFirstPage() throws Exception {
    Sent sent = send(Map.of(), "");

    assertThat(sent.status).isEqualTo(303);
    assertThat(sent.headers).containsEntry("Location", "skipjack/");
  }

  @Test
  void theUserOfTheContainerIsPassedOn() throws Exception {
    Principal anna = () -> "anna";

    send(
        Map.of("getPathInfo", "/jobs", "getQueryString", "q=a+b&q=c", "getUserPrincipal", anna),
        "");

    Request request = requests.get(0);
    assertThat(request.path()).isEqualTo("/jobs");
    assertThat(request.user()).isEqualTo("anna");
    assertThat(request.roles().test("on-call")).isTrue();
    assertThat(request.roles().test("admin")).isFalse();
    assertThat(request.query()).containsEntry("q", List.of("a b", "c"));
    assertThat(request.headers()).containsEntry("x-forwarded-for", List.of("a", "b"));
    assertThat(request.secure()).isTrue();
  }

  @Test
  void aDashboardWithoutAnAccessRuleRespondsOnlyToThisMachine() throws Exception {
    try (Dashboard open = Dashboard.on(JobQueue.on(new PGSimpleDataSource())).build()) {
      Sent remote = new Sent();
      new DashboardServlet(open)
          .service(
              request(
                  Map.of(
                      "getMethod", "GET", "getServletPath", "/ops", "getRemoteAddr", "192.0.2.7"),
                  ""),
              remote.response());

      assertThat(remote.status).isEqualTo(403);
      assertThat(remote.body.toString(UTF_8)).contains("no access rule");
    }
  }

  @Test
  void formsAreReadFromTheBodyOrFromTheContainer() throws Exception {
    String type = "application/x-www-form-urlencoded; charset=UTF-8";
    send(
        Map.of("getMethod", "POST", "getPathInfo", "/theme", "getContentType", type),
        "theme=dark&token=%C3%A4");
    send(
        Map.of(
            "getMethod",
            "POST",
            "getPathInfo",
            "/theme",
            "getContentType",
            type,
            "getParameterMap",
            Map.of("theme", new String[] {"light"})),
        "");

    assertThat(requests.get(0).form())
        .isEqualTo(Map.of("theme", List.of("dark"), "token", List.of("ä")));
    assertThat(requests.get(1).form()).isEqualTo(Map.of("theme", List.of("light")));
  }

  @Test
  void responsesAreSentWithTheirHeaders() throws Exception {
    Sent sent = send(Map.of("getPathInfo", "/"), "");

    assertThat(sent.status).isEqualTo(403);
    assertThat(sent.headers).containsKeys("Content-Security-Policy", "Content-Type");
    assertThat(sent.body.toString(UTF_8)).contains("You may not use this dashboard.");
  }

  @Test
  void largeAndMalformedFormsAreRefused() throws Exception {
    String type = "application/x-www-form-urlencoded";
    Map<String, @Nullable Object> post =
        Map.of("getMethod", "POST", "getPathInfo", "/theme", "getContentType", type);

    assertThat(send(post, "a=" + "x".repeat(1 << 20)).status).isEqualTo(413);
    assertThat(send(post, "a=%ZZ").status).isEqualTo(400);
    assertThat(requests).isEmpty();
  }
}
