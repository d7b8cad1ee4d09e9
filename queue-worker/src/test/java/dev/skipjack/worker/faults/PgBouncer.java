package dev.skipjack.worker.faults;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs PgBouncer in transaction mode in front of a database, if PgBouncer is installed. */
final class PgBouncer implements AutoCloseable {

  private final Process process;
  private final String jdbcUrl;

  private PgBouncer(Process process, String jdbcUrl) {
    this.process = process;
    this.jdbcUrl = jdbcUrl;
  }

  /** Starts PgBouncer, or skips the test if it is not installed. */
  static PgBouncer before(String jdbcUrl, Path folder) throws IOException {
    Optional<Path> program = program();
    assumeTrue(program.isPresent(), "pgbouncer is not on the PATH (Debian: pgbouncer)");
    URI address = URI.create(jdbcUrl.substring("jdbc:".length()));
    Map<String, String> login =
        Arrays.stream(address.getQuery().split("&"))
            .map(parameter -> parameter.split("=", 2))
            .collect(Collectors.toMap(parameter -> parameter[0], parameter -> parameter[1]));
    int port = freePort();
    Path file = folder.resolve("pgbouncer.ini");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.writeString(
        file,
        """
        [databases]
        bounced = host=%s port=%d dbname=%s user=%s password=%s
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %d
        unix_socket_dir =
        auth_type = any
        pool_mode = transaction
        default_pool_size = 5
        ignore_startup_parameters = extra_float_digits
        """
            .formatted(
                address.getHost(),
                address.getPort(),
                address.getPath().substring(1),
                login.get("user"),
                login.get("password"),
                port));
    List<String> command = new ArrayList<>(List.of(program.get().toString(), file.toString()));
    if (System.getProperty("user.name").equals("root")) {
      command.addAll(1, List.of("-u", "nobody")); // it refuses to run as root
    }
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("pgbouncer.log").toFile())
            .start();
    return new PgBouncer(
        process,
        "jdbc:postgresql://127.0.0.1:%d/bounced?user=%s&password=any&prepareThreshold=0"
            .formatted(port, login.get("user")));
  }

  private static Optional<Path> program() {
    return Stream.concat(Arrays.stream(System.getenv("PATH").split(":")), Stream.of("/usr/sbin"))
        .map(folder -> Path.of(folder, "pgbouncer"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Returns the URL of the pooler, with server-side prepared statements disabled. */
  String jdbcUrl() {
    return jdbcUrl;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
