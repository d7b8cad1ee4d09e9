package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@QueueTest
class DashboardCommandTest {

  private static String get(HttpClient client, URI address) throws Exception {
    HttpResponse<String> response =
        client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
    return response.statusCode() + " " + response.body();
  }

  private static HttpClient browser() {
    return HttpClient.newBuilder()
        .followRedirects(HttpClient.Redirect.ALWAYS)
        .cookieHandler(new CookieManager())
        .build();
  }

  /** Starts the command, opens the printed address, and stops the command. */
  private static String firstPage(QueueDatabase database, Path home, String... options)
      throws Exception {
    Environment environment = new Environment(Map.of("SKIPJACK_ACTOR", "anna"), home, false);
    StringWriter out = new StringWriter();
    CommandLine commandLine = Skipjack.commandLine(environment);
    commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(out, true));
    String[] arguments = new String[options.length + 5];
    arguments[0] = "dashboard";
    arguments[1] = "--url";
    arguments[2] = database.jdbcUrl();
    arguments[3] = "--port";
    arguments[4] = "0";
    System.arraycopy(options, 0, arguments, 5, options.length);
    AtomicInteger exitCode = new AtomicInteger(-1);
    Thread command = new Thread(() -> exitCode.set(commandLine.execute(arguments)));
    command.start();
    try {
      await().until(() -> out.toString().contains("Dashboard: http") || exitCode.get() >= 0);
      assertThat(out.toString()).startsWith("Dashboard: http://127.0.0.1:");
      URI address = URI.create(out.toString().substring("Dashboard: ".length()).strip());
      assertThat(get(browser(), address.resolve("/"))).contains("Log in").doesNotContain("anna");
      return get(browser(), address);
    } finally {
      command.interrupt();
      command.join();
    }
  }

  @Test
  void thePrintedAddressOpensTheDashboard(QueueDatabase database, @TempDir Path home)
      throws Exception {
    assertThat(firstPage(database, home, "--environment", "production"))
        .startsWith("200")
        .contains("<h1>Now</h1>", "anna", "admin", "env-red");
    assertThat(System.getProperty("sun.net.httpserver.maxReqTime")).isEqualTo("30");
    assertThat(System.getProperty("sun.net.httpserver.maxRspTime")).isEqualTo("30");
  }

  @Test
  void aReadOnlyDashboardHasOnlyViewers(QueueDatabase database, @TempDir Path home)
      throws Exception {
    assertThat(firstPage(database, home, "--read-only")).startsWith("200").contains("viewer");
  }

  @Test
  void theTokenOfAFileIsNotPrinted(QueueDatabase database, @TempDir Path home) throws Exception {
    Path file = home.resolve("token");
    Files.writeString(file, "correct-horse-battery\n");

    assertThat(firstPage(database, home, "--token-file", file.toString()))
        .startsWith("200")
        .contains("Log in");
  }

  @Test
  void badOptionsAreExplained(QueueDatabase database, @TempDir Path home) throws Exception {
    Path file = home.resolve("token");
    Files.writeString(file, "short");

    for (String[] options :
        new String[][] {
          {"--token-file", file.toString(), "at least 16"},
          {"--token-file", home.resolve("none").toString(), "cannot be read"},
          {"--port", "70000", "from 0 to 65535"}
        }) {
      Program program =
          Program.run("dashboard", "--url", database.jdbcUrl(), options[0], options[1]);
      assertThat(program.exitCode()).isEqualTo(2);
      assertThat(program.err()).contains(options[2]);
    }
  }
}
