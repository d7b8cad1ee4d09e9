package dev.skipjack.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skipjack.embedded.Commands.Result;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A data folder and its server. It may be used only by the holder of the folder's slot, and by one
 * thread at a time.
 *
 * <p>The folder of the slot contains {@code data} (which exists only once it is fully initialized),
 * {@code password}, {@code settings} (of the server that was started last) and {@code server.log}.
 * All of them belong to the user that the server runs as.
 */
final class Cluster {

  static final String SUPERUSER = "postgres";
  static final Duration STOP_LIMIT = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);

  private static final int START_ATTEMPTS = 5;
  private static final int START_LIMIT_SECONDS = 60;
  private static final int IMMEDIATE_STOP_LIMIT_SECONDS = 5;
  private static final int LOG_TAIL_LINES = 20;
  private static final Duration INITIALISE_LIMIT = Duration.ofMinutes(3);
  private static final Duration FILES_LIMIT = Duration.ofMinutes(1);
  private static final Duration SLACK = Duration.ofSeconds(10);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final Path PROCESSES = Path.of("/proc");

  private final Path folder;
  private final PostgresBinaries binaries;
  private final Unprivileged who;
  private final IntSupplier ports;

  /**
   * @param ports supplies the number of a port that is currently free and probably still is when
   *     the server binds it
   */
  Cluster(Path folder, PostgresBinaries binaries, Unprivileged who, IntSupplier ports) {
    this.folder = folder;
    this.binaries = binaries;
    this.who = who;
    this.ports = ports;
  }

  /**
   * A running server.
   *
   * @param adopted whether the server was already running when it was requested
   */
  record Running(Postmaster postmaster, boolean adopted) {}

  Path data() {
    return folder.resolve("data");
  }

  /**
   * Starts the server or adopts a running one, whatever state the folder is in.
   *
   * @param settings the settings of the server; a running server with other settings is restarted
   * @param fresh whether to delete the content of the folder
   */
  Running start(SortedMap<String, String> settings, boolean fresh) {
    makeFolder();
    String wanted = describe(settings);
    Optional<Postmaster> live = live();
    if (live.isPresent()) {
      Optional<Postmaster> usable =
          !fresh && wanted.equals(recordedSettings()) ? awaitReady() : Optional.empty();
      if (usable.isPresent()) {
        return new Running(usable.get(), true);
      }
      stop();
    }
    awaitOrphans();
    if (fresh || !isInitialised()) {
      discardData();
      initialise(settings);
    }
    return new Running(startServer(settings, wanted), false);
  }

  /**
   * Stops the server with a fast shutdown, which terminates sessions and rolls back transactions.
   * If that takes longer than {@link #STOP_LIMIT}, the server is stopped by force.
   */
  void stop() {
    Optional<Postmaster> live = live();
    if (live.isEmpty()) {
      return;
    }
    if (!stop("fast", (int) STOP_LIMIT.toSeconds())
        && !stop("immediate", IMMEDIATE_STOP_LIMIT_SECONDS)) {
      who.script("kill -9 \"$1\"", "", SLACK, live.get().pid());
    }
    if (!await(() -> !live.get().isAlive(), SLACK)) {
      throw new EmbeddedPostgresException(
          "The embedded PostgreSQL with process id %d did not stop; end it by hand.%s"
              .formatted(live.get().pid(), logTail()));
    }
  }

  /** Returns the running server of this folder, whether or not it accepts connections yet. */
  Optional<Postmaster> live() {
    return Postmaster.readFrom(data()).filter(Postmaster::isAlive).filter(this::servesThisFolder);
  }

  String password() {
    return read(folder.resolve("password"));
  }

  private boolean stop(String mode, int seconds) {
    return program(
            "pg_ctl",
            Duration.ofSeconds(seconds).plus(SLACK),
            "stop",
            "-D",
            data().toString(),
            "-m",
            mode,
            "-w",
            "-t",
            String.valueOf(seconds))
        .ok();
  }

  /** Checks more than the process id, which may belong to another process after a crash. */
  private boolean servesThisFolder(Postmaster postmaster) {
    Path process = PROCESSES.resolve(String.valueOf(postmaster.pid()));
    try {
      return Files.readSymbolicLink(process.resolve("cwd")).equals(data());
    } catch (IOException | UnsupportedOperationException e) {
      // There is no /proc, or this process may not read it.
      return program("pg_ctl", SLACK, "status", "-D", data().toString()).ok()
          && (postmaster.port() == 0 || postmaster.answers());
    }
  }

  private Optional<Postmaster> awaitReady() {
    boolean ready =
        await(
            () -> live().map(Postmaster::ready).orElse(true),
            Duration.ofSeconds(START_LIMIT_SECONDS));
    return ready ? live().filter(Postmaster::ready).filter(Postmaster::answers) : Optional.empty();
  }

  /**
   * Waits for the children of a postmaster that has died, which exit on their own within moments.
   * PostgreSQL refuses to start before that. If another process has reused the postmaster's process
   * id, PostgreSQL would refuse forever, so this method removes the stale {@code postmaster.pid}.
   */
  private void awaitOrphans() {
    if (!await(() -> processesInFolder() == 0, SLACK)) {
      throw new EmbeddedPostgresException(
          "Processes of a dead server still work in %s; end them by hand.".formatted(data()));
    }
    boolean takenOver =
        Postmaster.readFrom(data())
            .filter(Postmaster::hasEntry)
            .filter(postmaster -> Files.isReadable(PROCESSES))
            .isPresent();
    if (takenOver) {
      check(
          who.script("rm -f \"$1\"", "", FILES_LIMIT, data().resolve(Postmaster.FILE)),
          "Could not remove a stale " + Postmaster.FILE);
    }
  }

  private long processesInFolder() {
    if (!Files.isReadable(PROCESSES)) {
      return 0;
    }
    try (Stream<Path> processes = Files.list(PROCESSES)) {
      return processes
          .filter(process -> process.getFileName().toString().matches("\\d+"))
          .filter(this::worksInFolder)
          .count();
    } catch (IOException e) {
      return 0;
    }
  }

  private boolean worksInFolder(Path process) {
    try {
      return Files.readSymbolicLink(process.resolve("cwd")).equals(data());
    } catch (IOException e) {
      return false;
    }
  }

  private void makeFolder() {
    check(
        who.script(
            // An interrupted start may have left these folders. Its initdb may still be running,
            // which does no harm: its folder has a unique name, and initdb fails when its files are
            // deleted.
            "umask 077; mkdir -p \"$1\" && cd \"$1\" && rm -rf initialising-* discarded-* || :; test -d \"$1\"",
            "",
            FILES_LIMIT,
            folder),
        "Could not make " + folder);
  }

  private boolean isInitialised() {
    return Files.isRegularFile(data().resolve("PG_VERSION"))
        && Files.isRegularFile(data().resolve("global/pg_control"));
  }

  private void discardData() {
    if (Files.notExists(data(), LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    LOG.debug("Embedded PostgreSQL data discarded folder={}", data());
    check(
        who.script(
            // The folder is renamed first, so that an interrupted removal does not leave something
            // that looks like data.
            "mv \"$1/data\" \"$1/discarded-$2\" && rm -rf \"$1/discarded-$2\"",
            "",
            FILES_LIMIT,
            folder,
            token()),
        "Could not remove " + data());
  }

  private void initialise(Map<String, String> settings) {
    write("password", token());
    Path unfinished = folder.resolve("initialising-" + token());
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-D",
                unfinished.toString(),
                "-U",
                SUPERUSER,
                "--pwfile=" + folder.resolve("password"),
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C"));
    if ("off".equals(settings.get("fsync"))) {
      arguments.add("--no-sync");
    }
    check(
        program("initdb", INITIALISE_LIMIT, arguments.toArray(String[]::new)),
        "PostgreSQL could not be initialised in " + folder);
    // The rename comes last, so that a folder with this name is always complete.
    check(
        who.script("mv \"$1\" \"$2\"", "", FILES_LIMIT, unfinished, data()),
        "Could not make " + data());
  }

  private Postmaster startServer(Map<String, String> settings, String description) {
    check(
        who.script("cd \"$1\" && mv -f server.log server.log.1 2>&1 || :", "", FILES_LIMIT, folder),
        "Could not rename the old log");
    write("settings", description);
    for (int attempt = 1; ; attempt++) {
      int port = ports.getAsInt();
      Result result =
          program(
              "pg_ctl",
              Duration.ofSeconds(START_LIMIT_SECONDS).plus(SLACK),
              // pg_ctl starts the server in a session of its own, so that Ctrl-C in the terminal
              // does not reach it.
              "start",
              "-D",
              data().toString(),
              "-l",
              logFile().toString(),
              "-w",
              "-t",
              String.valueOf(START_LIMIT_SECONDS),
              "-o",
              options(settings, port));
      Optional<Postmaster> live = live();
      if (result.ok() && live.isPresent()) {
        return live.get();
      }
      String log = logTail();
      if (attempt < START_ATTEMPTS && log.contains("could not bind")) {
        LOG.debug("Embedded PostgreSQL lost its port port={} attempt={}", port, attempt);
        continue;
      }
      stop();
      throw new EmbeddedPostgresException(
          "The embedded PostgreSQL did not start in %s: %s.%s"
              .formatted(data(), result.lastLine(), log));
    }
  }

  /** Returns a port that is free now. */
  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, Postmaster.loopback())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new EmbeddedPostgresException("This machine has no free port: " + e, e);
    }
  }

  private static String options(Map<String, String> settings, int port) {
    List<String> options = new ArrayList<>();
    settings.forEach((name, value) -> options.add(name + "=" + value));
    options.add("port=" + port);
    options.add("listen_addresses=127.0.0.1");
    options.add("unix_socket_directories=");
    return options.stream()
        .map(option -> "-c " + Shell.quote(option))
        .collect(Collectors.joining(" "));
  }

  private static String describe(SortedMap<String, String> settings) {
    return settings.entrySet().stream()
        .map(setting -> setting.getKey() + "=" + setting.getValue())
        .collect(Collectors.joining("\n"));
  }

  private String recordedSettings() {
    Path file = folder.resolve("settings");
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) ? read(file) : "";
  }

  private Path logFile() {
    return folder.resolve("server.log");
  }

  /**
   * Returns the end of the log for use in a message, preceded by a line break; empty if there is no
   * log.
   */
  private String logTail() {
    if (!Files.isRegularFile(logFile(), LinkOption.NOFOLLOW_LINKS)) {
      return "";
    }
    List<String> lines = List.of(read(logFile()).split("\n", -1));
    return "\nThe end of %s:\n%s"
        .formatted(
            logFile(),
            String.join(
                "\n", lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size())));
  }

  private Result program(String name, Duration limit, String... arguments) {
    List<String> command = new ArrayList<>(List.of(binaries.program(name)));
    command.addAll(List.of(arguments));
    return who.run(command, "", limit);
  }

  private void write(String name, String content) {
    check(
        who.script("umask 077; cat > \"$1\"", content, FILES_LIMIT, folder.resolve(name)),
        "Could not write " + name);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, UTF_8);
    } catch (IOException e) {
      throw new EmbeddedPostgresException("Could not read %s: %s.".formatted(file, e), e);
    }
  }

  private static void check(Result result, String otherwise) {
    if (!result.ok()) {
      throw new EmbeddedPostgresException(otherwise + ": " + result.output().strip());
    }
  }

  private static boolean await(BooleanSupplier condition, Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
    return true;
  }

  private static String token() {
    byte[] bytes = new byte[16];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
