package dev.skipjack.cli;

import dev.skipjack.dashboard.Dashboard;
import dev.skipjack.dashboard.DashboardServer;
import dev.skipjack.dashboard.EnvironmentColour;
import dev.skipjack.dashboard.Role;
import dev.skipjack.store.jooq.JobQueue;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code skipjack dashboard}. */
@Command(
    name = "dashboard",
    description = {
      "Serve the dashboard as web pages until Ctrl-C is pressed.",
      "The printed address contains a token, without which no page opens. Its holder may do what"
          + " the database role may do. Pauses and changes of many jobs are recorded with your"
          + " name."
    })
final class DashboardCommand extends QueueAction {

  private static final int TOKEN_BYTES = 24;
  private static final String SLOWEST_SECONDS = "30";
  private static final int LARGEST_PORT = 65_535;

  private final Environment environment;

  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "8080",
      description = "Port to listen on; 0 for any free one. Default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description =
          "Address to listen on. Connections are not encrypted, so put a proxy with TLS in front of"
              + " any other than the default. Default: ${DEFAULT-VALUE}.")
  private String bind;

  @Option(
      names = "--read-only",
      description = "Change nothing, and hide payloads and the values in error messages.")
  private boolean readOnly;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description =
          "File with the token, at least 16 characters. Default: a new token at each start.")
  private @Nullable Path tokenFile;

  @Option(
      names = "--environment",
      paramLabel = "NAME",
      description =
          "Name that every page shows, for example production, which is red. Default: none.")
  private @Nullable String name;

  @SuppressWarnings("NullAway.Init") // picocli sets options that have defaults
  DashboardCommand(Environment environment) {
    super(DatabaseAction.Access.WRITE);
    this.environment = environment;
  }

  @Override
  DatabaseAction.Access access() {
    return readOnly ? DatabaseAction.Access.READ : DatabaseAction.Access.WRITE;
  }

  @Override
  void check() {
    if (port < 0 || port > LARGEST_PORT) {
      throw CommandFailure.input(
          "--port is %d, but must be from 0 to %d.".formatted(port, LARGEST_PORT));
    }
  }

  @Override
  int run(JobQueue queue, Output output) throws IOException, InterruptedException {
    limitSlowClients();
    String token = tokenFile == null ? random() : read(tokenFile);
    Dashboard.Builder builder = Dashboard.on(queue).token(token, user());
    if (name != null) {
      builder.environment(name, colour(name));
    }
    try (Dashboard dashboard = builder.build();
        DashboardServer server =
            DashboardServer.start(dashboard, new InetSocketAddress(address(), port))) {
      String url = server.address() + "login" + (tokenFile == null ? "?token=" + token : "");
      output.done("Dashboard: " + url, Map.of("url", url));
      new CountDownLatch(1).await();
    }
    return ExitCodes.DONE;
  }

  /** Without a limit, a client that sends or reads nothing blocks a thread of the JDK's server. */
  private static void limitSlowClients() {
    for (String limit : List.of("maxReqTime", "maxRspTime")) {
      String property = "sun.net.httpserver." + limit;
      if (System.getProperty(property) == null) {
        System.setProperty(property, SLOWEST_SECONDS);
      }
    }
  }

  private dev.skipjack.dashboard.Access user() {
    return readOnly
        ? dev.skipjack.dashboard.Access.of(environment.actor(), Role.VIEWER)
        : dev.skipjack.dashboard.Access.of(environment.actor(), Role.ADMIN).payloads(true);
  }

  private static EnvironmentColour colour(String environment) {
    return environment.startsWith("prod") ? EnvironmentColour.RED : EnvironmentColour.BLUE;
  }

  private InetAddress address() {
    try {
      return InetAddress.getByName(bind);
    } catch (UnknownHostException unknown) {
      throw CommandFailure.input(
          "--bind is '%s', which is not an address of this machine.".formatted(Cell.safe(bind)));
    }
  }

  private static String read(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw CommandFailure.input("The file %s cannot be read.".formatted(file));
    }
    return Files.readString(file).strip();
  }

  private static String random() {
    byte[] bytes = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
