package dev.skipjack.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a dashboard with the JDK's HTTP server, which needs the module {@code jdk.httpserver}. It
 * has no TLS: if others than this machine may connect, put a proxy with TLS in front of it.
 *
 * <p>A dashboard without an access rule and without a token can only be bound to the loopback
 * address. A dashboard without a token refuses requests whose Host header is a name that {@link
 * Dashboard.Builder#hosts} does not have, because a page of another site could otherwise reach it
 * through a name that resolves to this machine.
 */
public final class DashboardServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(DashboardServer.class);

  private static final int THREADS = 8;
  private static final int WAITING_REQUESTS = 100;
  private static final int LARGEST_FORM = 1 << 20;

  private final Dashboard dashboard;
  private final HttpServer server;
  private final ExecutorService threads;

  private DashboardServer(Dashboard dashboard, InetSocketAddress address) throws IOException {
    this.dashboard = dashboard;
    this.server = HttpServer.create(address, WAITING_REQUESTS);
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            1,
            TimeUnit.MINUTES,
            new LinkedBlockingQueue<>(WAITING_REQUESTS),
            task -> {
              Thread thread = new Thread(task, "skipjack-dashboard-http");
              thread.setDaemon(true);
              return thread;
            });
    server.setExecutor(threads);
    server.createContext("/", this::serve);
  }

  /**
   * Starts a server.
   *
   * @param dashboard the dashboard
   * @param address the address and port to listen on
   * @return the running server
   * @throws IllegalArgumentException if users of other machines could use the dashboard without a
   *     login
   * @throws UncheckedIOException if the address is in use or not of this machine
   */
  public static DashboardServer start(Dashboard dashboard, InetSocketAddress address) {
    InetAddress host = address.getAddress();
    if (!dashboard.isGuarded() && (host == null || !host.isLoopbackAddress())) {
      throw new IllegalArgumentException(
          "Every visitor could use the dashboard at %s. Set an access rule or a token, or bind it to 127.0.0.1."
              .formatted(address));
    }
    try {
      DashboardServer server = new DashboardServer(dashboard, address);
      server.server.start();
      LOG.info("Dashboard started address={}", server.address());
      return server;
    } catch (IOException failure) {
      throw new UncheckedIOException("The dashboard cannot listen on " + address + ".", failure);
    }
  }

  /** {@return the address of the first page} */
  public URI address() {
    InetSocketAddress bound = server.getAddress();
    InetAddress host = bound.getAddress();
    String name = host.isAnyLocalAddress() ? "localhost" : host.getHostAddress();
    return URI.create(
        "http://%s:%d/".formatted(name.contains(":") ? "[" + name + "]" : name, bound.getPort()));
  }

  private void serve(HttpExchange exchange) {
    try (exchange) {
      Response response = respond(exchange);
      response
          .headers()
          .forEach(header -> exchange.getResponseHeaders().add(header.name(), header.value()));
      byte[] body = response.body();
      boolean hasBody = body.length > 0 && !exchange.getRequestMethod().equals("HEAD");
      exchange.sendResponseHeaders(response.status(), hasBody ? body.length : -1);
      if (hasBody) {
        try (OutputStream out = exchange.getResponseBody()) {
          out.write(body);
        }
      }
    } catch (IOException closed) {
      LOG.debug("Browser closed the connection", closed);
    } catch (Throwable failure) {
      LOG.error("Dashboard server failed", failure);
    }
  }

  private Response respond(HttpExchange exchange) throws IOException {
    HostNames hosts = dashboard.hosts();
    String host = String.valueOf(exchange.getRequestHeaders().getFirst("Host"));
    if (hosts != null && !hosts.accept(host)) {
      return Response.plain(403, HostNames.REFUSED);
    }
    Optional<Request> request;
    try {
      request = request(exchange);
    } catch (Refusal refusal) {
      return Response.plain(refusal.status(), refusal.sentence());
    }
    return request
        .map(dashboard::handle)
        .orElseGet(() -> Response.plain(413, "The form is too large."));
  }

  /** Returns the request, or empty if its form is too large. */
  private static Optional<Request> request(HttpExchange exchange) throws IOException {
    byte[] body;
    try (InputStream in = exchange.getRequestBody()) {
      body = in.readNBytes(LARGEST_FORM + 1);
    }
    if (body.length > LARGEST_FORM) {
      return Optional.empty();
    }
    String type = exchange.getRequestHeaders().getFirst("Content-Type");
    boolean isForm = type != null && type.startsWith("application/x-www-form-urlencoded");
    URI uri = exchange.getRequestURI();
    return Optional.of(
        new Request(
            exchange.getRequestMethod(),
            uri.getPath() == null ? "" : uri.getPath(),
            exchange.getRequestHeaders(),
            Parameters.of(uri.getRawQuery()),
            isForm ? Parameters.of(new String(body, UTF_8)) : Map.of(),
            null,
            role -> false,
            false));
  }

  /** Stops the server. The dashboard stays open. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdown();
  }
}
