package dev.skipjack.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A private PostgreSQL server on the local machine, which keeps its data between starts.
 *
 * <pre>{@code
 * try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().purpose("demo").start()) {
 *   DriverManager.getConnection(postgres.jdbcUrl("postgres"));
 * }
 * }</pre>
 *
 * <p>If several programs with the same purpose run at the same time, each has its own server and
 * data folder. If a JVM is killed, its server keeps running, and the next start with the same
 * purpose and settings adopts it.
 *
 * <p>Binaries and data are stored in {@code $XDG_CACHE_HOME/skipjack}, in {@code ~/.cache/skipjack}
 * or, if there is no usable home directory, in {@code skipjack-<user>} in the directory for
 * temporary files. If the JVM runs as root, the server runs as the user {@code postgres} or {@code
 * nobody}, and its data is stored in {@code /var/tmp/skipjack-<user>} or {@code
 * /tmp/skipjack-<user>}. The binaries are unpacked into {@code skipjack-binaries} in the same
 * directory; root owns that folder. The system property {@code skipjack.embedded.folder} sets a
 * different directory (for root, the parent of {@code skipjack-<user>}), and {@code
 * skipjack.embedded.user} sets a different unprivileged user.
 *
 * <p>An archive is used only if its SHA-256 checksum is known to this version (14.22.0, 14.23.0,
 * 15.19.0, 16.15.0, 17.11.0 and 18.6.0 of {@code io.zonky.test.postgres}) or is listed, separated
 * by commas, in the system property {@code skipjack.embedded.sha256}. Any other archive is rejected
 * before it is unpacked.
 *
 * <p>This class is thread-safe.
 */
public final class EmbeddedPostgres implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedPostgres.class);

  private final Slot slot;
  private final Cluster cluster;
  private final SortedMap<String, String> settings;
  private volatile Cluster.Running running;
  private final String password;
  private final String version;
  private final Thread stopAtExit;
  private boolean closed;

  private EmbeddedPostgres(
      Slot slot,
      Cluster cluster,
      SortedMap<String, String> settings,
      Cluster.Running running,
      String version,
      boolean stopsAtExit) {
    this.slot = slot;
    this.cluster = cluster;
    this.settings = settings;
    this.running = running;
    this.password = cluster.password();
    this.version = version;
    this.stopAtExit = new Thread(this::stop, "skipjack-embedded-postgres-stop");
    if (stopsAtExit) {
      Runtime.getRuntime().addShutdownHook(stopAtExit);
    }
  }

  /**
   * {@return a builder for a server with the purpose {@code "default"}, the time zone UTC, and
   * otherwise PostgreSQL's default settings}
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * {@return the URL of a database for PostgreSQL's JDBC driver} The URL contains the user and the
   * password as parameters, so do not log it.
   *
   * @param database the name of the database, which need not exist yet; {@code postgres} always
   *     exists
   */
  public String jdbcUrl(String database) {
    // String.format would use the digits of the default locale.
    return "jdbc:postgresql://127.0.0.1:"
        + port()
        + "/"
        + URLEncoder.encode(database, UTF_8)
        + "?user="
        + user()
        + "&password="
        + password;
  }

  /** {@return the name of the server's superuser} */
  public String user() {
    return Cluster.SUPERUSER;
  }

  /**
   * {@return the TCP port on 127.0.0.1} It may change whenever the server is started, but not when
   * a running server is adopted.
   */
  public int port() {
    return running.postmaster().port();
  }

  /**
   * {@return the absolute path of the server's data directory, which belongs to the user that the
   * server runs as}
   */
  public Path dataFolder() {
    return cluster.data();
  }

  /** {@return the process id of the postmaster, the server's main process} */
  public long postmasterPid() {
    return running.postmaster().pid();
  }

  /** {@return the version that the server reports, for example {@code 18.6}} */
  public String version() {
    return version;
  }

  /**
   * {@return whether the server was already running, for example because the JVM that started it
   * was killed}
   */
  public boolean adopted() {
    return running.adopted();
  }

  /**
   * Stops the server and releases its folder, which keeps the data. Open connections are terminated
   * and their transactions rolled back. Stopping usually takes a tenth of a second. If the server
   * does not stop within ten seconds, it is stopped by force. Closing it again has no effect.
   *
   * @throws EmbeddedPostgresException if the server cannot be stopped
   */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(stopAtExit);
    } catch (IllegalStateException e) {
      LOG.debug("Embedded PostgreSQL is closed while the JVM ends");
    }
    stop();
  }

  /**
   * Stops the server as {@link #close()} does, but keeps its folder locked, so that no other
   * program starts a server there. Use {@link #resume()} to start it again. This method has no
   * effect if the server is not running.
   *
   * @throws IllegalStateException if {@link #close()} has been called
   * @throws EmbeddedPostgresException if the server cannot be stopped
   */
  public synchronized void pause() {
    requireOpen();
    cluster.stop();
  }

  /**
   * Starts the server again after {@link #pause()} or a crash, with the same data but usually on
   * another port. This method returns when the server accepts connections.
   *
   * @throws IllegalStateException if {@link #close()} has been called
   * @throws EmbeddedPostgresException if the server does not start
   */
  public synchronized void resume() {
    requireOpen();
    running = cluster.start(settings, false);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("The embedded PostgreSQL is closed. Start another one.");
    }
  }

  private synchronized void stop() {
    if (closed) {
      return;
    }
    closed = true;
    try (slot) {
      cluster.stop();
      LOG.info("Embedded PostgreSQL stopped pid={} folder={}", postmasterPid(), dataFolder());
    }
  }

  /** A builder for a server. Builders are not thread-safe. */
  public static final class Builder {

    private static final Pattern PURPOSE = Pattern.compile("[a-z0-9-]+");
    private static final Pattern SETTING = Pattern.compile("[a-z_][a-z0-9_.]*");
    private static final Set<String> OURS =
        Set.of(
            "port",
            "listen_addresses",
            "unix_socket_directories",
            "data_directory",
            "hba_file",
            "ident_file",
            "config_file",
            "external_pid_file",
            "logging_collector");

    private final SortedMap<String, String> settings = new TreeMap<>();
    private String purpose = "default";
    private boolean fresh;
    private boolean stopAtExit = true;
    private Commands commands = new SystemCommands();
    private IntSupplier ports = Cluster::freePort;
    private @Nullable Path folder;

    private Builder() {
      settings.put("timezone", "UTC");
    }

    /**
     * Sets the purpose of the server, which determines its data folder. Programs with different
     * purposes never share data. Defaults to {@code default}.
     *
     * @param purpose a name of lowercase letters, digits and hyphens
     * @return this builder
     */
    public Builder purpose(String purpose) {
      if (!PURPOSE.matcher(purpose).matches()) {
        throw new IllegalArgumentException(
            "purpose '%s' is not made of a-z, 0-9 and '-'".formatted(purpose));
      }
      this.purpose = purpose;
      return this;
    }

    /**
     * Sets a configuration parameter of the server. The server of a killed JVM is adopted only if
     * it has exactly the requested settings; otherwise it is restarted. With {@code fsync} set to
     * {@code off}, the data may not survive a power failure.
     *
     * @param name the name of the parameter, as in {@code postgresql.conf}; addresses, port, file
     *     locations and the log collector cannot be set
     * @param value the value, without control characters
     * @return this builder
     */
    public Builder setting(String name, String value) {
      String key = name.toLowerCase(Locale.ROOT);
      if (!SETTING.matcher(key).matches() || OURS.contains(key)) {
        throw new IllegalArgumentException("'%s' cannot be set".formatted(name));
      }
      if (value.chars().anyMatch(Character::isISOControl)) {
        throw new IllegalArgumentException(
            "the value of '%s' has control characters".formatted(name));
      }
      settings.put(key, value);
      return this;
    }

    /**
     * Sets whether to delete the contents of the folder and start with an empty server. Defaults to
     * false.
     *
     * @param fresh whether the data of earlier starts is deleted
     * @return this builder
     */
    public Builder fresh(boolean fresh) {
      this.fresh = fresh;
      return this;
    }

    /**
     * Sets whether the server is stopped when the JVM exits. Because the JVM runs all shutdown
     * hooks concurrently, a program whose own hook still needs the server should pass false and
     * call {@link EmbeddedPostgres#close()} at the end of the hook. Defaults to true.
     *
     * @param stopAtExit whether the server stops when this JVM ends
     * @return this builder
     */
    public Builder stopAtExit(boolean stopAtExit) {
      this.stopAtExit = stopAtExit;
      return this;
    }

    Builder commands(Commands commands) {
      this.commands = commands;
      return this;
    }

    Builder ports(IntSupplier ports) {
      this.ports = ports;
      return this;
    }

    Builder folder(Path folder) {
      this.folder = folder;
      return this;
    }

    /**
     * Starts a server, or adopts the one that is still running in the folder. This method returns
     * when the server accepts connections. This takes about a tenth of a second if the folder
     * exists, two or three seconds if it must be created, and longer if the binaries must be
     * unpacked.
     *
     * @return the server
     * @throws EmbeddedPostgresException if the server cannot be started; the message states the
     *     reason and the fix
     */
    public EmbeddedPostgres start() {
      long begin = System.nanoTime();
      Unprivileged who =
          Unprivileged.choose(commands, System.getProperty(Unprivileged.USER_PROPERTY));
      Path base = BaseFolder.open(who, wantedFolder(), System::getenv);
      PostgresBinaries binaries = PostgresBinaries.under(base, who, classLoader());
      Path family =
          base.resolve(purpose + "-" + binaries.major() + "-" + binaries.hash().substring(0, 8));
      makeFamily(who, family);
      Slot slot = Slot.lowestFree(family);
      try {
        Cluster cluster = new Cluster(slot.folder(), binaries, who, ports);
        Cluster.Running running = cluster.start(settings, fresh);
        EmbeddedPostgres postgres =
            new EmbeddedPostgres(
                slot, cluster, new TreeMap<>(settings), running, binaries.version(), stopAtExit);
        LOG.info(
            "Embedded PostgreSQL {} version={} port={} pid={} user={} folder={} tookMs={}",
            running.adopted() ? "adopted" : "started",
            binaries.version(),
            postgres.port(),
            postgres.postmasterPid(),
            who.user(),
            postgres.dataFolder(),
            Duration.ofNanos(System.nanoTime() - begin).toMillis());
        return postgres;
      } catch (RuntimeException | Error e) {
        slot.close();
        throw e;
      } finally {
        stopAbandoned(family, binaries, who);
      }
    }

    private @Nullable Path wantedFolder() {
      String property = System.getProperty(BaseFolder.FOLDER_PROPERTY);
      return folder != null || property == null ? folder : Path.of(property);
    }

    private static ClassLoader classLoader() {
      return Objects.requireNonNullElseGet(
          EmbeddedPostgres.class.getClassLoader(), ClassLoader::getSystemClassLoader);
    }

    private static void makeFamily(Unprivileged who, Path family) {
      Commands.Result made =
          who.script("umask 077; mkdir -p \"$1\"", "", Duration.ofSeconds(10), family);
      if (!made.ok()) {
        throw new EmbeddedPostgresException(
            "Could not make %s: %s".formatted(family, made.output().strip()));
      }
    }

    /**
     * Stops servers that were started by JVMs that have since been killed. A server in a higher
     * slot would otherwise run until its slot is used again.
     */
    private void stopAbandoned(Path family, PostgresBinaries binaries, Unprivileged who) {
      for (int number = 0; number < Slot.MAX_SLOTS; number++) {
        Path data = family.resolve(number + "/data");
        if (Files.exists(data.resolve(Postmaster.FILE))) {
          try {
            Optional<Slot> free = Slot.tryTake(family, number);
            if (free.isPresent()) {
              try (Slot abandoned = free.get()) {
                new Cluster(abandoned.folder(), binaries, who, ports).stop();
              }
            }
          } catch (EmbeddedPostgresException e) {
            LOG.warn("Embedded PostgreSQL left behind did not stop folder={}", data, e);
          }
        }
      }
    }
  }
}
