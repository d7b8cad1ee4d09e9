package dev.skipjack.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.skipjack.torture.Destination.Response;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Receives events over HTTP, on one port for each manner, and passes them on to the destination.
 * Safe for any number of threads.
 */
final class DestinationServer implements AutoCloseable {

  private final Destination destination;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<Manner, HttpServer> servers = new EnumMap<>(Manner.class);
  private final Map<String, Integer> sends = new ConcurrentHashMap<>();

  DestinationServer(Destination destination) {
    this.destination = destination;
    try {
      for (Manner manner : Manner.values()) {
        HttpServer server =
            HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> respond(manner, exchange));
        server.start();
        servers.put(manner, server);
      }
    } catch (IOException failure) {
      close();
      throw new UncheckedIOException(failure);
    }
  }

  URI uri(Manner manner) {
    HttpServer server = Objects.requireNonNull(servers.get(manner));
    return URI.create("http://127.0.0.1:%d/".formatted(server.getAddress().getPort()));
  }

  private void respond(Manner manner, HttpExchange exchange) throws IOException {
    try (exchange) {
      String event = exchange.getRequestHeaders().getFirst("webhook-id");
      String text = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      int failures = sends.merge(event, 1, Integer::sum) - 1;
      Optional<Response> response = destination.receive(manner, event, text, failures);
      if (response.isPresent()) { // otherwise the connection is closed
        exchange.sendResponseHeaders(status(response.get()), -1);
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private static int status(Response response) {
    return switch (response) {
      case ACCEPTED -> 200;
      case REJECTED -> 422;
      case BUSY -> 500;
    };
  }

  @Override
  public void close() {
    servers.values().forEach(server -> server.stop(0));
    threads.shutdownNow();
  }
}
