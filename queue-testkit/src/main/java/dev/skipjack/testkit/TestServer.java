package dev.skipjack.testkit;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.migrations.Migrations;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server of this JVM, with a migrated template from which all test databases are copied.
 * Instances are thread-safe.
 */
final class TestServer {

  static final String SCHEMA = Migrations.DEFAULT_SCHEMA;
  static final String PREFIX = "skipjack_test_";

  private static final String NOT_ALLOWED = "42501";
  private static final Logger LOG = LoggerFactory.getLogger(TestServer.class);

  /**
   * The server. It is static because all test classes of a JVM share it; starting one for each
   * class would be slow.
   */
  private static final FirstStart<TestServer> RUNNING =
      new FirstStart<>(() -> start(PostgresSources.choose(), PostgresMajor.wanted()));

  private final PostgresSource.Server server;
  private final String source;
  private final String template;

  private TestServer(PostgresSource source) {
    this.server = source.start();
    this.source = source.name();
    this.template = PREFIX + "template_" + (server.isOursAlone() ? content() : token());
  }

  /**
   * Returns the server, which is started by the first call. If that fails, all later calls fail
   * too.
   */
  static TestServer running() {
    return RUNNING.get();
  }

  /**
   * Starts a server and creates the template.
   *
   * @param major the major version that the server must have, if one is requested
   * @throws IllegalStateException if the server has another version or the template cannot be
   *     created; in either case, nothing is left on the server
   */
  static TestServer start(PostgresSource source, OptionalInt major) {
    TestServer server = new TestServer(source);
    try {
      server.require(major, source);
      server.prepare();
      return server;
    } catch (RuntimeException e) {
      server.server.stop();
      throw e;
    }
  }

  private void require(OptionalInt major, PostgresSource from) {
    try (Connection connection = connect()) {
      PostgresMajor.require(major, connection, from);
    } catch (SQLException e) {
      throw new IllegalStateException(
          "The test server cannot be reached (%s): %s".formatted(source, e.getMessage()), e);
    }
  }

  /** Creates a copy of the template and returns its name. The caller must drop it. */
  String createDatabase() {
    String name = PREFIX + token();
    long begin = System.nanoTime();
    execute("CREATE DATABASE %s TEMPLATE %s".formatted(name, template));
    LOG.debug(
        "Test database copied database={} tookMs={}",
        name,
        Duration.ofNanos(System.nanoTime() - begin).toMillis());
    return name;
  }

  /** Drops a database and ends all sessions connected to it. */
  void dropDatabase(String name) {
    execute("DROP DATABASE IF EXISTS %s WITH (FORCE)".formatted(name));
  }

  String jdbcUrl(String database) {
    return server.jdbcUrl(database);
  }

  /**
   * Returns the identifier of the template's content for the current day in UTC, because the bounds
   * of partitions are in UTC.
   */
  private static String content() {
    return MigratedContent.on(LocalDate.now(ZoneOffset.UTC)).orElseGet(TestServer::token);
  }

  private void prepare() {
    if (server.isOursAlone()) {
      dropLeftovers();
      if (databases("datname = '%s'".formatted(template)).isEmpty()) {
        createTemplate();
      }
    } else {
      createTemplate();
      Thread dropping = new Thread(this::dropTemplate, "skipjack-testkit-drop-template");
      Runtime.getRuntime().addShutdownHook(dropping);
    }
  }

  private void createTemplate() {
    // The data of an embedded server is kept for the next JVM, which may use a template of this
    // name only if it is complete.
    String unfinished = template + "_new";
    // A JVM that was killed may have left a session in it.
    execute("DROP DATABASE IF EXISTS %s WITH (FORCE)".formatted(unfinished));
    execute("CREATE DATABASE " + unfinished);
    // No session may be connected to a template while it is copied, so its pool is closed here.
    try (HikariDataSource migrating = Pools.open(jdbcUrl(unfinished), unfinished, 2)) {
      Migrations.migrate(migrating, SCHEMA);
    } catch (RuntimeException e) {
      dropUnlessRefused(unfinished);
      throw e;
    }
    execute("ALTER DATABASE %s RENAME TO %s".formatted(unfinished, template));
  }

  void dropTemplate() {
    dropUnlessRefused(template);
  }

  private void dropUnlessRefused(String name) {
    try {
      dropDatabase(name);
    } catch (IllegalStateException e) {
      LOG.warn("Template database not dropped database={}", name, e);
    }
  }

  boolean isOursAlone() {
    return server.isOursAlone();
  }

  /**
   * Drops databases that were left by killed test runs, except databases with open connections and
   * the template.
   */
  void dropLeftovers() {
    for (String name : leftovers()) {
      try {
        execute("DROP DATABASE IF EXISTS " + name);
        LOG.debug("Leftover test database dropped database={}", name);
      } catch (IllegalStateException e) {
        LOG.warn("Leftover test database not dropped database={}", name, e);
      }
    }
  }

  private List<String> leftovers() {
    List<String> unused =
        databases(
            "datname ~ '^%s[a-z0-9_]+$' AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE pg_stat_activity.datname = pg_database.datname)"
                .formatted(PREFIX));
    unused.remove(template);
    return unused;
  }

  private List<String> databases(String condition) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery("SELECT datname FROM pg_database WHERE " + condition)) {
      List<String> names = new ArrayList<>();
      while (found.next()) {
        names.add(found.getString(1));
      }
      return names;
    } catch (SQLException e) {
      throw new IllegalStateException("The test server does not list its databases", e);
    }
  }

  private void execute(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(
          "The test server (%s) refused '%s': %s%s"
              .formatted(
                  source,
                  sql,
                  e.getMessage(),
                  NOT_ALLOWED.equals(e.getSQLState())
                      ? ". Its role must be allowed to create databases: ALTER ROLE ... CREATEDB"
                      : ""),
          e);
    }
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(server.jdbcUrl(server.adminDatabase()));
  }

  private static String token() {
    return UUID.randomUUID().toString().replace("-", "");
  }
}
