package dev.skipjack.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Checks quickly and without logging whether Docker responds, because many machines do not have it.
 */
final class DockerProbe {

  private static final String USUAL_HOST = "unix:///var/run/docker.sock";
  private static final int USUAL_PORT = 2375;
  private static final Duration LIMIT = Duration.ofSeconds(2);

  private final @Nullable SocketAddress address;

  private DockerProbe(@Nullable SocketAddress address) {
    this.address = address;
  }

  static DockerProbe ofThisMachine() {
    String host = System.getenv("DOCKER_HOST");
    return of(host == null || host.isBlank() ? USUAL_HOST : host);
  }

  /**
   * @param host the address, as in {@code DOCKER_HOST}: {@code unix:///path} or {@code
   *     tcp://host:port}. For any other address, Docker is considered absent
   */
  static DockerProbe of(String host) {
    try {
      URI uri = URI.create(host);
      if ("unix".equals(uri.getScheme()) && uri.getPath() != null) {
        return new DockerProbe(UnixDomainSocketAddress.of(Path.of(uri.getPath())));
      }
      if ("tcp".equals(uri.getScheme()) && uri.getHost() != null) {
        int port = uri.getPort() < 0 ? USUAL_PORT : uri.getPort();
        return new DockerProbe(new InetSocketAddress(uri.getHost(), port));
      }
    } catch (IllegalArgumentException e) {
      return new DockerProbe(null);
    }
    return new DockerProbe(null);
  }

  /** Returns whether Docker responds, after at most two seconds. */
  boolean answers() {
    if (address == null) {
      return false;
    }
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    Thread asking = new Thread(() -> answer.complete(ask(address)), "skipjack-docker-probe");
    asking.setDaemon(true);
    asking.start();
    try {
      return answer.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (TimeoutException | ExecutionException e) {
      // Ends the thread's wait: its channel closes when interrupted.
      asking.interrupt();
      return false;
    }
  }

  /**
   * Returns whether there is any HTTP response. Even a daemon that requires TLS reports this
   * requirement in plain HTTP.
   */
  private static boolean ask(SocketAddress address) {
    try (SocketChannel channel = SocketChannel.open(address)) {
      ByteBuffer request =
          ByteBuffer.wrap("GET /_ping HTTP/1.1\r\nHost: docker\r\n\r\n".getBytes(US_ASCII));
      while (request.hasRemaining()) {
        channel.write(request);
      }
      ByteBuffer answer = ByteBuffer.allocate("HTTP/1.".length());
      while (answer.hasRemaining() && channel.read(answer) >= 0) {
        // A response may arrive in pieces.
      }
      return new String(answer.array(), 0, answer.position(), US_ASCII).equals("HTTP/1.");
    } catch (IOException | RuntimeException e) {
      return false;
    }
  }
}
