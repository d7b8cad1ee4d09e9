package dev.skipjack.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DockerProbeTest {

  @ParameterizedTest
  @ValueSource(strings = {"unix:///no/such/socket", "npipe:////./pipe/docker", "what is this"})
  void anAddressWithoutDaemonDoesNotRespond(String host) {
    assertThat(DockerProbe.of(host).answers()).isFalse();
  }

  @Test
  void aDaemonOnASocketIsFound(@TempDir Path folder) throws Exception {
    Path socket = folder.resolve("docker.sock");
    try (ServerSocketChannel daemon = listenOn(socket)) {
      Thread answering = new Thread(() -> answerOnce(daemon, "HTTP/1.1 200 OK\r\n\r\nOK"));
      answering.start();

      assertThat(DockerProbe.of("unix://" + socket).answers()).isTrue();
      answering.join();
    }
  }

  @Test
  void aDaemonOnAPortIsFound() throws Exception {
    try (ServerSocketChannel daemon = ServerSocketChannel.open().bind(loopback())) {
      Thread answering = new Thread(() -> answerOnce(daemon, "HTTP/1.1 400 Bad Request\r\n"));
      answering.start();

      int port = ((InetSocketAddress) daemon.getLocalAddress()).getPort();
      assertThat(DockerProbe.of("tcp://127.0.0.1:" + port).answers()).isTrue();
      answering.join();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "HTTP", "SSH-2.0-OpenSSH_9.6\r\n"})
  void anotherServerIsNotMistakenForDocker(String answer, @TempDir Path folder) throws Exception {
    Path socket = folder.resolve("docker.sock");
    try (ServerSocketChannel other = listenOn(socket)) {
      Thread answering = new Thread(() -> answerOnce(other, answer));
      answering.start();

      assertThat(DockerProbe.of("unix://" + socket).answers()).isFalse();
      answering.join();
    }
  }

  @Test
  @Timeout(60)
  void theProbeOfASilentDaemonTimesOut(@TempDir Path folder) throws IOException {
    Path socket = folder.resolve("docker.sock");
    try (ServerSocketChannel daemon = listenOn(socket)) {
      assertThat(daemon.isOpen()).isTrue();
      assertThat(DockerProbe.of("unix://" + socket).answers()).isFalse();
    }
  }

  private static ServerSocketChannel listenOn(Path socket) throws IOException {
    return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
        .bind(UnixDomainSocketAddress.of(socket));
  }

  private static InetSocketAddress loopback() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  private static void answerOnce(ServerSocketChannel daemon, String answer) {
    try (SocketChannel client = daemon.accept()) {
      client.read(ByteBuffer.allocate(100));
      client.write(ByteBuffer.wrap(answer.getBytes(US_ASCII)));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
