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
 * A PostgreSQL server of our own, running on this machine, that keeps its data from one start to
 * the next.
 *
 * <pre>{@code
 * try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().purpose("demo").start()) {
 *   DriverManager.getConnection(postgres.jdbcUrl("postgres"));
 * }
 * }</pre>
 *
 * <p>Programs with the same purpose that run at the same time get a server and a data folder each.
 * A server outlives a JVM that is killed; the next start with the same purpose and settings adopts
 * it.
 *
 * <p>Ordinary users find everything below {@code $XDG_CACHE_HOME/skipjack}, {@code
 * ~/.cache/skipjack} or, without a usable home, {@code skipjack-<user>} in the folder for temporary
 * files. For root the server runs as the user {@code postgres} or {@code nobody}, in {@code
 * /var/tmp/skipjack-<user>} or {@code /tmp/skipjack-<user>}. The system property {@code
 * skipjack.embedded.folder} names another place (for root: the folder around {@code
 * skipjack-<user>}), and {@code skipjack.embedded.user} another unprivileged user. Root unpacks the
 * binaries into a folder of its own, {@code skipjack-binaries} beside {@code skipjack-<user>}.
 *
 * <p>An archive runs only if its SHA-256 is one that this version knows (14.22.0, 14.23.0, 15.19.0,
 * 16.15.0, 17.11.0, 18.6.0 of {@code io.zonky.test.postgres}), or is named in the system property
 * {@code skipjack.embedded.sha256} (several separated by commas); any other is refused before it is
 * unpacked.
 *
 * <p>Safe for any number of threads.
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

  /** A builder with purpose {@code "default"}, UTC, and otherwise PostgreSQL's own defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * The URL for PostgreSQL's JDBC driver, with user and password as parameters: keep it out of
   * logs.
   *
   * @param database need not exist yet; {@code postgres} always does
   */
  public String jdbcUrl(String database) {
    // Not by a format, whose digits are those of the default locale.
    return "jdbc:postgresql://127.0.0.1:"
        + port()
        + "/"
        + URLEncoder.encode(database, UTF_8)
        + "?user="
        + user()
        + "&password="
        + password;
  }

  /** The server's superuser. */
  public String user() {
    return Cluster.SUPERUSER;
  }

  /** The TCP port on 127.0.0.1; another one after each start that was not an adoption. */
  public int port() {
    return running.postmaster().port();
  }

  /** The server's data directory, absolute. It belongs to the user that the server runs as. */
  public Path dataFolder() {
    return cluster.data();
  }

  /** The process id of the server's first process. */
  public long postmasterPid() {
    return running.postmaster().pid();
  }

  /** What the server calls its version, say {@code 18.6}. */
  public String version() {
    return version;
  }

  /** Whether the server ran already, left behind by a JVM that was killed. */
  public boolean adopted() {
    return running.adopted();
  }

  /**
   * Stops the server and gives its folder free; the data stays. Open connections are cut off and
   * their transactions rolled back. Takes a tenth of a second as a rule and half a minute at most:
   * a server that does not stop in ten seconds is treated harder. Closing twice does nothing.
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
   * Stops the server like {@link #close()}, but keeps its folder, so that no other program starts a
   * server there; {@link #resume()} starts it again. Does nothing if the server is not running.
   *
   * @throws IllegalStateException after {@link #close()}
   * @throws EmbeddedPostgresException if the server cannot be stopped
   */
  public synchronized void pause() {
    requireOpen();
    cluster.stop();
  }

  /**
   * Starts the server again after {@link #pause()} or a crash, with its data and on another port.
   * Returns when it accepts connections.
   *
   * @throws IllegalStateException after {@link #close()}
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

  /** Says which server is wanted. Not safe for several threads. */
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
     * Names the family of data folders, by default {@code default}. Programs with different
     * purposes never meet.
     *
     * @param purpose lower-case letters, digits and hyphens
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
     * Sets a configuration parameter of the server. A server left behind by a killed JVM is adopted
     * only if it has exactly the settings asked for; otherwise it is restarted. With {@code fsync}
     * {@code off}, the data may not survive a power failure.
     *
     * @param name as in {@code postgresql.conf}; where and on which port the server listens is not
     *     for the caller to set
     * @param value without control characters
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

    /** Whether to remove what the folder holds and start with an empty server; by default false. */
    public Builder fresh(boolean fresh) {
      this.fresh = fresh;
      return this;
    }

    /**
     * Whether the server is stopped when the JVM ends, by default true. The JVM runs all its
     * shutdown hooks at once: a program whose own hook still needs the server says false here and
     * calls {@link EmbeddedPostgres#close()} at the end of its hook.
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
     * Starts a server or adopts the one left behind in the folder. Returns when it takes
     * connections: after about a tenth of a second when the folder exists, two or three seconds
     * when it has to be made, and some more when the binaries have to be unpacked.
     *
     * @throws EmbeddedPostgresException if there is no server to be had; the message says why and
     *     what to do
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
     * A server left behind in a higher slot would run until two programs are at work at once again.
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
