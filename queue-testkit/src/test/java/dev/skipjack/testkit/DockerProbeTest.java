package dev.skipjack.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DockerProbeTest {

  @ParameterizedTest
  @ValueSource(strings = {"unix:///no/such/socket", "npipe:////./pipe/docker", "what is this"})
  void nothingThere(String host) {
    assertThat(DockerProbe.of(host).answers()).isFalse();
  }

  @Test
  void daemonThatAnswers(@TempDir Path folder) throws Exception {
    Path socket = folder.resolve("docker.sock");
    try (ServerSocketChannel daemon = listenOn(socket)) {
      Thread answering = new Thread(() -> answerOnce(daemon));
      answering.start();

      assertThat(DockerProbe.of("unix://" + socket).answers()).isTrue();
      answering.join();
    }
  }

  @Test
  @Timeout(10)
  void daemonThatStaysSilentIsGivenUp(@TempDir Path folder) throws IOException {
    Path socket = folder.resolve("docker.sock");
    try (ServerSocketChannel daemon = listenOn(socket)) {
      long begin = System.nanoTime();

      assertThat(daemon.isOpen()).isTrue();
      assertThat(DockerProbe.of("unix://" + socket).answers()).isFalse();
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
    }
  }

  private static ServerSocketChannel listenOn(Path socket) throws IOException {
    return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
        .bind(UnixDomainSocketAddress.of(socket));
  }

  private static void answerOnce(ServerSocketChannel daemon) {
    try (SocketChannel client = daemon.accept()) {
      client.read(ByteBuffer.allocate(100));
      client.write(ByteBuffer.wrap("HTTP/1.1 200 OK\r\n\r\nOK".getBytes(US_ASCII)));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
