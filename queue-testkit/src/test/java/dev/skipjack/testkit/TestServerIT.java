package dev.skipjack.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests starting servers, in particular with wrong settings. */
@QueueTest
class TestServerIT {

  private final QueueDatabase database;
  private final String role;

  TestServerIT(QueueDatabase database) {
    this.database = database;
    this.role = "role_" + database.jdbcUrl().replaceFirst(".*_(\\w+)\\?.*", "$1");
  }

  @BeforeEach
  void createRole() throws SQLException {
    Jobs.execute(database, "CREATE ROLE " + role + " LOGIN PASSWORD 'secret'");
  }

  @AfterEach
  void dropRole() throws SQLException {
    Jobs.execute(database, "DROP ROLE " + role);
  }

  private String url(String parameters) {
    return database.jdbcUrl().replaceFirst("\\?.*", "?" + parameters);
  }

  @Test
  void anUnreachableServerIsReportedWithItsSettingAndWithoutItsPassword() {
    String nobody = "jdbc:postgresql://127.0.0.1:1/app?user=me&password=secret";

    assertThatThrownBy(() -> TestServer.start(new UrlSource(nobody), OptionalInt.empty()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith(
            "The test server cannot be reached (jdbc:postgresql://127.0.0.1:1/app of -Dskipjack.test.url or SKIPJACK_TEST_URL): ")
        .hasMessageContaining("127.0.0.1:1 refused")
        .hasMessageNotContaining("secret");
  }

  @Test
  void theErrorOfARoleThatMayNotCreateDatabasesNamesWhatItNeeds() {
    UrlSource source = new UrlSource(url("user=" + role + "&password=secret"));

    assertThatThrownBy(() -> TestServer.start(source, OptionalInt.empty()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("-Dskipjack.test.url")
        .hasMessageContaining("permission denied to create database")
        .hasMessageEndingWith("ALTER ROLE ... CREATEDB");
  }

  @Test
  void aMigrationThatFailsLeavesNoTemplateAndStopsTheServer() throws SQLException {
    ReadOnlyTemplates source = new ReadOnlyTemplates();

    assertThatThrownBy(() -> TestServer.start(source, OptionalInt.empty()))
        .isInstanceOf(RuntimeException.class)
        .hasStackTraceContaining("read-only");

    assertThat(source.template).startsWith(TestServer.PREFIX + "template_");
    assertThat(
            Jobs.query(
                database,
                "SELECT count(*) FROM pg_database WHERE datname = '%s'".formatted(source.template)))
        .isEqualTo("0");
    assertThat(source.stops).isOne();
  }

  @Test
  void aServerIsUsedByARoleThatIsNoSuperuser() throws SQLException {
    Jobs.execute(database, "ALTER ROLE " + role + " CREATEDB");
    TestServer server =
        TestServer.start(
            new UrlSource(url("user=" + role + "&password=secret")), OptionalInt.empty());

    QueueDatabase copy = QueueDatabase.on(server);
    Jobs.insert(copy, "welcome", "{}");
    copy.cutConnections();
    copy.truncate();
    QueueAssertions.assertThat(copy).hasNoJobs();
    copy.close();
    server.dropTemplate();
  }

  @Test
  void aTemplateIsUsedAgainIfItIsComplete() throws SQLException {
    assumeTrue(TestServer.running().isOursAlone(), "other runs may use the server");
    String template =
        "SELECT datname || ' ' || oid FROM pg_database WHERE datname LIKE '%stemplate\\_%%'"
            .formatted(TestServer.PREFIX);
    String complete = Jobs.query(database, template);
    String name = complete.replaceFirst(" .*", "");

    try (Connection used = database.connection()) {
      Jobs.execute(database, "CREATE DATABASE " + name + "_new");
      TestServer.start(new Kept(), OptionalInt.empty());
      assertThat(used.isValid(5)).isTrue();
    }

    assertThat(
            Jobs.query(
                database, "SELECT string_agg(found, ';') FROM (" + template + ") AS all_of(found)"))
        .isEqualTo(complete);
  }

  @Test
  void aFailedStartIsNotRepeated() {
    AtomicInteger starts = new AtomicInteger();
    FirstStart<String> failing =
        new FirstStart<>(
            () -> {
              throw new IllegalStateException("start " + starts.incrementAndGet());
            });
    FirstStart<String> working = new FirstStart<>(() -> "server " + starts.incrementAndGet());

    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(failing::get).hasMessage("start 1");
    }
    assertThat(List.of(working.get(), working.get())).containsOnly("server 2");
  }

  @Test
  void urlsHaveAsciiDigitsInEveryLocale() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG"));
    try {
      assertThat(TestServer.running().jdbcUrl("app")).matches("[\\x20-\\x7e]+");
      assertThat(Texts.jobs(10_000)).isEqualTo("10,000 jobs");
    } finally {
      Locale.setDefault(before);
    }
  }

  /** A source of this JVM's server, as the next JVM would find it. */
  private static final class Kept implements PostgresSource, PostgresSource.Server {

    @Override
    public Server start() {
      return this;
    }

    @Override
    public String name() {
      return "a kept one";
    }

    @Override
    public String adviceFor(int major) {
      throw new AssertionError("not asked for");
    }

    @Override
    public String jdbcUrl(String name) {
      return TestServer.running().jdbcUrl(name);
    }

    @Override
    public String adminDatabase() {
      return "postgres";
    }

    @Override
    public boolean isOursAlone() {
      return true;
    }

    @Override
    public void stop() {
      throw new AssertionError("not to be stopped");
    }
  }

  /** A source of this JVM's server with templates that cannot be written to. */
  private static final class ReadOnlyTemplates implements PostgresSource, PostgresSource.Server {

    private String template = "";
    private int stops;

    @Override
    public Server start() {
      return this;
    }

    @Override
    public String name() {
      return "a read-only one";
    }

    @Override
    public String adviceFor(int major) {
      throw new AssertionError("not asked for");
    }

    @Override
    public String jdbcUrl(String name) {
      String url = TestServer.running().jdbcUrl(name);
      if (name.equals(adminDatabase())) {
        return url;
      }
      template = name;
      return url + "&options=-c%20default_transaction_read_only=on";
    }

    @Override
    public String adminDatabase() {
      return "postgres";
    }

    @Override
    public boolean isOursAlone() {
      return false;
    }

    @Override
    public void stop() {
      stops++;
    }
  }
}
