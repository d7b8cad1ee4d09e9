package dev.skipjack.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Starts and stops real servers one after the other, on the same data unless a test states
 * otherwise.
 */
class EmbeddedPostgresIT {

  private static TestServers servers;

  @BeforeAll
  static void makeFolder() throws IOException {
    servers = new TestServers();
  }

  @AfterAll
  static void leaveNothingBehind() throws IOException {
    servers.close();
  }

  @Test
  void serverAcceptsConnectionsOnlyWithItsPassword() throws SQLException {
    try (EmbeddedPostgres postgres = servers.at("plain").start()) {
      assertThat(TestServers.query(postgres, "SHOW fsync")).isEqualTo("off");
      assertThat(TestServers.query(postgres, "SHOW server_encoding")).isEqualTo("UTF8");
      assertThat(TestServers.query(postgres, "SHOW server_version")).isEqualTo(postgres.version());
      assertThat(TestServers.query(postgres, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
      assertThat(TestServers.query(postgres, "SHOW unix_socket_directories")).isEmpty();
      assertThat(postgres.adopted()).isFalse();

      String wrong = postgres.jdbcUrl("postgres").replaceAll("password=.*", "password=guess");
      assertThatThrownBy(() -> DriverManager.getConnection(wrong))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("password authentication failed");
    }
  }

  @Test
  void dataSurvivesAnOrdinaryStopAndAWarmStartIsFast() throws SQLException {
    Path data;
    try (EmbeddedPostgres postgres = servers.at("plain").start()) {
      TestServers.execute(postgres, "CREATE TABLE kept (id int)");
      data = postgres.dataFolder();
    }
    assertThat(data.resolve(Postmaster.FILE)).doesNotExist();
    assertThat(TestServers.processesBelow(data)).isEmpty();

    long begin = System.nanoTime();
    try (EmbeddedPostgres postgres = servers.at("plain").start()) {
      Duration took = Duration.ofNanos(System.nanoTime() - begin);
      assertThat(TestServers.query(postgres, "SELECT count(*) FROM kept")).isEqualTo("0");
      assertThat(postgres.dataFolder()).isEqualTo(data);
      // About 0.3 s on an idle machine. The limit allows for a busy one.
      assertThat(took).isLessThan(Duration.ofSeconds(5));
    }
  }

  @Test
  void otherUsersCannotReadDataFolderOrPassword() throws IOException {
    try (EmbeddedPostgres postgres = servers.at("plain").start()) {
      Path data = postgres.dataFolder();
      assertThat(mode(data)).isEqualTo("rwx------");
      assertThat(mode(data.resolveSibling("password"))).isEqualTo("rw-------");
    }
  }

  @Test
  void freshStartDeletesTheData() throws SQLException {
    try (EmbeddedPostgres postgres = servers.at("fresh").start()) {
      TestServers.execute(postgres, "CREATE TABLE gone (id int)");
    }
    try (EmbeddedPostgres postgres = servers.at("fresh").fresh(true).start()) {
      assertThat(TestServers.query(postgres, "SELECT to_regclass('gone') IS NULL")).isEqualTo("t");
    }
  }

  @Test
  void twoServersAtOnceHaveTheirOwnFolders() throws SQLException {
    try (EmbeddedPostgres first = servers.at("two").start();
        EmbeddedPostgres second = servers.at("two").start()) {
      assertThat(second.dataFolder()).isNotEqualTo(first.dataFolder());
      assertThat(second.postmasterPid()).isNotEqualTo(first.postmasterPid());
      assertThat(TestServers.query(first, "SELECT 1")).isEqualTo("1");
      assertThat(TestServers.query(second, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void aPausedServerKeepsItsFolder() throws SQLException {
    EmbeddedPostgres paused = servers.at("paused").start();
    try (paused) {
      TestServers.execute(paused, "CREATE TABLE kept (id int)");
      paused.pause();
      assertThat(TestServers.processesBelow(paused.dataFolder())).isEmpty();

      try (EmbeddedPostgres other = servers.at("paused").fresh(true).start()) {
        assertThat(other.dataFolder()).isNotEqualTo(paused.dataFolder());
      }

      paused.resume();
      assertThat(TestServers.query(paused, "SELECT count(*) FROM kept")).isEqualTo("0");
    }
    assertThatThrownBy(paused::resume)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void aHalfInitialisedFolderIsReplaced() throws IOException, SQLException {
    Path data;
    try (EmbeddedPostgres postgres = servers.at("plain").start()) {
      data = postgres.dataFolder();
    }
    Files.delete(data.resolve("global/pg_control"));
    Path remains = Files.createDirectory(data.resolveSibling("initialising-1"));

    try (EmbeddedPostgres postgres = servers.at("plain").start()) {
      assertThat(TestServers.query(postgres, "SELECT 1")).isEqualTo("1");
      assertThat(postgres.dataFolder()).isEqualTo(data);
      assertThat(remains).doesNotExist();
    }
  }

  @Test
  void portThatAnotherProgramTakesIsReplaced() throws IOException {
    try (ServerSocket rival = new ServerSocket(0, 1, Postmaster.loopback())) {
      AtomicInteger asked = new AtomicInteger();
      EmbeddedPostgres.Builder builder =
          servers
              .at("plain")
              .ports(
                  () -> asked.getAndIncrement() == 0 ? rival.getLocalPort() : Cluster.freePort());
      try (EmbeddedPostgres postgres = builder.start()) {
        assertThat(asked).hasValue(2);
        assertThat(postgres.port()).isNotEqualTo(rival.getLocalPort());
      }
    }
  }

  @Test
  void aRefusedSettingShowsTheLogAndReleasesTheFolder() throws IOException {
    assertThatThrownBy(() -> servers.at("plain").setting("no_such_thing", "1").start())
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("did not start")
        .hasMessageContaining("unrecognized configuration parameter \"no_such_thing\"");

    try (EmbeddedPostgres postgres = servers.at("plain").start()) {
      assertThat(postgres.dataFolder().toString()).endsWith("/0/data");
    }
  }

  @Test
  void theBuilderRejectsInvalidArguments() {
    EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
    assertThatThrownBy(() -> builder.purpose("../x")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.setting("port", "1"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.setting("a b", "1"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.setting("timezone", "UTC\nfsync=off"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
