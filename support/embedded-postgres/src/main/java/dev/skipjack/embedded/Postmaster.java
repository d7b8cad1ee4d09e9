package dev.skipjack.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The server of a data folder, as described by its {@code postmaster.pid}.
 *
 * @param pid the process id
 * @param port the port, or 0 if the server has not written it yet
 * @param ready whether the server reports that it accepts connections
 */
record Postmaster(long pid, int port, boolean ready) {

  static final String FILE = "postmaster.pid";

  private static final int PORT_LINE = 3;
  private static final int STATUS_LINE = 7;
  private static final int ANSWER_LIMIT_MS = 2_000;
  private static final int SSL_REQUEST = 80_877_103;

  /** Reads the file in the data folder. Returns empty if there is no file or only part of one. */
  static Optional<Postmaster> readFrom(Path data) {
    Path file = data.resolve(FILE);
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    try {
      List<String> lines = List.of(Files.readString(file, UTF_8).split("\n", -1));
      long pid = Long.parseLong(lines.get(0).strip());
      int port = lines.size() > PORT_LINE + 1 ? Integer.parseInt(lines.get(PORT_LINE).strip()) : 0;
      boolean ready = lines.size() > STATUS_LINE && lines.get(STATUS_LINE).strip().equals("ready");
      return Optional.of(new Postmaster(pid, port, ready));
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Returns whether a live process has the process id, whether or not it is the server. */
  boolean isAlive() {
    return hasEntry() && !isZombie();
  }

  /**
   * Returns whether the process id is in use. PostgreSQL assumes that any such process is a server.
   */
  boolean hasEntry() {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }

  /**
   * Returns whether the process has died but has not been reaped by its parent. In a container, the
   * init process may never reap it.
   */
  private boolean isZombie() {
    try {
      String status = Files.readString(Path.of("/proc", String.valueOf(pid), "stat"), UTF_8);
      // The state follows the program's name, which is in parentheses and may contain others.
      return status.startsWith("Z", status.lastIndexOf(')') + 2);
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Returns whether a PostgreSQL server responds on the port. The check sends a request for TLS, to
   * which a server responds with a single letter before any login. A frozen server accepts the
   * connection but does not respond.
   */
  boolean answers() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(loopback(), port), ANSWER_LIMIT_MS);
      socket.setSoTimeout(ANSWER_LIMIT_MS);
      socket.getOutputStream().write(ByteBuffer.allocate(8).putInt(8).putInt(SSL_REQUEST).array());
      int answer = socket.getInputStream().read();
      return answer == 'N' || answer == 'S';
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Returns the address that the servers listen on. {@link InetAddress#getLoopbackAddress()} may
   * return that of IPv6.
   */
  static InetAddress loopback() throws IOException {
    return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
  }
}
