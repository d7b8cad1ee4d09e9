package dev.skipjack.examples.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerHealth;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.function.Predicate;

/**
 * Serves the worker's health to liveness and readiness probes, on {@code /live} and {@code /ready}.
 */
final class Probes implements AutoCloseable {

  private final HttpServer server;

  // snippet: probes
  /** Creates a server on {@code port}; 0 selects a free port. */
  Probes(int port, Worker worker) {
    try {
      server = HttpServer.create(new InetSocketAddress(port), 0);
    } catch (IOException taken) {
      throw new UncheckedIOException("Port %d is not free.".formatted(port), taken);
    }
    serve("/live", worker, WorkerHealth::alive);
    serve("/ready", worker, WorkerHealth::ready);
  }

  /** Responds with 200 or 503, and with the reasons if the worker is not healthy. */
  private void serve(String path, Worker worker, Predicate<WorkerHealth> isWell) {
    server.createContext(
        path,
        probe -> {
          WorkerHealth health = worker.health();
          byte[] text = (String.join("\n", health.reasons()) + "\n").getBytes(UTF_8);
          probe.sendResponseHeaders(isWell.test(health) ? 200 : 503, text.length);
          probe.getResponseBody().write(text);
          probe.close();
        });
  }

  // end of snippet

  /** Starts serving requests, in a thread that keeps the process alive. */
  void start() {
    server.start();
  }

  /** Returns the port that the server listens on. */
  int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
