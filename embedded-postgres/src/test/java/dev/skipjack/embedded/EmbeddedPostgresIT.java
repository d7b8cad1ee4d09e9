package dev.skipjack.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Real servers. Each test has a purpose of its own, so that all share the unpacked binaries and no
 * data.
 */
class EmbeddedPostgresIT {

  private static Path folder = Path.of("");

  @BeforeAll
  static void makeFolder() throws IOException {
    folder = TestFolder.make();
  }

  @AfterAll
  static void leaveNothingBehind() throws IOException {
    List<Long> left = processesBelow(folder);
    left.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    TestFolder.remove(folder);
    assertThat(left).isEmpty();
  }

  @Nested
  class Start {

    @Test
    void serverTakesConnectionsWithItsPasswordOnly() throws SQLException {
      try (EmbeddedPostgres postgres = postgres("start").start()) {
        assertThat(query(postgres, "SHOW fsync")).isEqualTo("off");
        assertThat(query(postgres, "SHOW server_encoding")).isEqualTo("UTF8");
        assertThat(query(postgres, "SHOW server_version")).isEqualTo(postgres.version());
        assertThat(query(postgres, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
        assertThat(query(postgres, "SHOW unix_socket_directories")).isEmpty();
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
      try (EmbeddedPostgres postgres = postgres("warm").start()) {
        execute(postgres, "CREATE TABLE kept (id int)");
        data = postgres.dataFolder();
      }
      assertThat(data.resolve(Postmaster.FILE)).doesNotExist();
      assertThat(processesBelow(data)).isEmpty();

      long begin = System.nanoTime();
      try (EmbeddedPostgres postgres = postgres("warm").start()) {
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        assertThat(query(postgres, "SELECT count(*) FROM kept")).isEqualTo("0");
        assertThat(postgres.dataFolder()).isEqualTo(data);
        // Some 0.3 s on an idle machine; the rest is for one that is not.
        assertThat(took).isLessThan(Duration.ofSeconds(5));
      }
    }

    @Test
    void dataFolderAndPasswordAreClosedToOthers() throws IOException {
      try (EmbeddedPostgres postgres = postgres("closed").start()) {
        Path data = postgres.dataFolder();
        assertThat(mode(data)).isEqualTo("rwx------");
        assertThat(mode(data.resolveSibling("password"))).isEqualTo("rw-------");
      }
    }

    @Test
    void freshStartForgetsTheData() throws SQLException {
      try (EmbeddedPostgres postgres = postgres("fresh").start()) {
        execute(postgres, "CREATE TABLE gone (id int)");
      }
      try (EmbeddedPostgres postgres = postgres("fresh").fresh(true).start()) {
        assertThat(query(postgres, "SELECT to_regclass('gone') IS NULL")).isEqualTo("t");
      }
    }

    @Test
    void twoAtOnceGetTwoFoldersAndTwoServers() throws SQLException {
      try (EmbeddedPostgres first = postgres("two").start();
          EmbeddedPostgres second = postgres("two").start()) {
        assertThat(second.dataFolder()).isNotEqualTo(first.dataFolder());
        assertThat(second.postmasterPid()).isNotEqualTo(first.postmasterPid());
        assertThat(query(first, "SELECT 1")).isEqualTo("1");
        assertThat(query(second, "SELECT 1")).isEqualTo("1");
      }
    }

    @Test
    void folderInitialisedOnlyHalfIsReplaced() throws IOException, SQLException {
      Path data;
      try (EmbeddedPostgres postgres = postgres("half").start()) {
        data = postgres.dataFolder();
      }
      Files.delete(data.resolve("global/pg_control"));
      Path remains = Files.createDirectory(data.resolveSibling("initialising-1"));

      try (EmbeddedPostgres postgres = postgres("half").start()) {
        assertThat(query(postgres, "SELECT 1")).isEqualTo("1");
        assertThat(postgres.dataFolder()).isEqualTo(data);
        assertThat(remains).doesNotExist();
      }
    }

    @Test
    void portTakenInBetweenIsReplaced() throws IOException {
      try (ServerSocket rival = new ServerSocket(0, 1, Postmaster.loopback())) {
        AtomicInteger asked = new AtomicInteger();
        EmbeddedPostgres.Builder builder =
            postgres("port")
                .ports(
                    () -> asked.getAndIncrement() == 0 ? rival.getLocalPort() : Cluster.freePort());
        try (EmbeddedPostgres postgres = builder.start()) {
          assertThat(asked).hasValue(2);
          assertThat(postgres.port()).isNotEqualTo(rival.getLocalPort());
        }
      }
    }

    @Test
    void settingThatTheServerRefusesShowsItsLogAndGivesTheFolderFree() throws IOException {
      assertThatThrownBy(() -> postgres("refused").setting("no_such_thing", "1").start())
          .isInstanceOf(EmbeddedPostgresException.class)
          .hasMessageContaining("did not start")
          .hasMessageContaining("unrecognized configuration parameter \"no_such_thing\"");

      try (EmbeddedPostgres postgres = postgres("refused").start()) {
        assertThat(postgres.dataFolder().toString()).endsWith("/0/data");
      }
    }

    @Test
    void badArgumentsFailAtTheBuilder() {
      EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
      assertThatThrownBy(() -> builder.purpose("../x"))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> builder.setting("port", "1"))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> builder.setting("a b", "1"))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> builder.setting("timezone", "UTC\nfsync=off"))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Nested
  class AfterAKill {

    @Test
    void liveServerOfAKilledJvmIsAdoptedAndNothingRemainsAfterClose() throws Exception {
      ServerHolder killed = ServerHolder.fork(folder, "adopt");
      killed.kill();
      assertThat(killed.serverIsAlive()).isTrue();

      try (EmbeddedPostgres postgres = postgres("adopt").start()) {
        assertThat(postgres.adopted()).isTrue();
        assertThat(postgres.postmasterPid()).isEqualTo(killed.pid());
        assertThat(postgres.port()).isEqualTo(killed.port());
        assertThat(query(postgres, "SELECT 1")).isEqualTo("1");
        assertThat(postmastersBelow(folder)).hasSize(1);
      }

      assertThat(killed.serverIsAlive()).isFalse();
      assertThat(processesBelow(killed.data())).isEmpty();
    }

    @Test
    void liveServerWithOtherSettingsIsRestarted() throws Exception {
      ServerHolder killed = ServerHolder.fork(folder, "other");
      killed.kill();

      try (EmbeddedPostgres postgres = postgres("other").setting("work_mem", "5MB").start()) {
        assertThat(postgres.adopted()).isFalse();
        assertThat(killed.serverIsAlive()).isFalse();
        assertThat(postgres.dataFolder()).isEqualTo(killed.data());
        assertThat(query(postgres, "SHOW work_mem")).isEqualTo("5MB");
      }
    }

    @Test
    void deadServerIsRestartedWithItsData() throws Exception {
      try (EmbeddedPostgres postgres = postgres("dead").start()) {
        execute(postgres, "CREATE TABLE kept (id int)");
      }
      ServerHolder killed = ServerHolder.fork(folder, "dead");
      killed.kill();
      ProcessHandle.of(killed.pid()).ifPresent(ProcessHandle::destroyForcibly);
      await().until(() -> !killed.serverIsAlive());
      assertThat(killed.data().resolve(Postmaster.FILE)).exists();

      try (EmbeddedPostgres postgres = postgres("dead").start()) {
        assertThat(postgres.adopted()).isFalse();
        assertThat(postgres.dataFolder()).isEqualTo(killed.data());
        assertThat(query(postgres, "SELECT count(*) FROM kept")).isEqualTo("0");
        assertThat(postmastersBelow(folder)).hasSize(1);
      }
    }

    @Test
    void processIdThatWentToSomebodyElseIsNoServer() throws Exception {
      Path data;
      try (EmbeddedPostgres postgres = postgres("reused").start()) {
        data = postgres.dataFolder();
      }
      long ours = ProcessHandle.current().pid();
      Files.writeString(
          data.resolve(Postmaster.FILE),
          "%d\n%s\n1\n5432\n\n127.0.0.1\n\nready   \n".formatted(ours, data));

      try (EmbeddedPostgres postgres = postgres("reused").start()) {
        assertThat(postgres.adopted()).isFalse();
        assertThat(query(postgres, "SELECT 1")).isEqualTo("1");
      }
    }

    @Test
    void serverLeftInAHigherSlotIsStopped() throws Exception {
      ServerHolder killed;
      try (EmbeddedPostgres lower = postgres("higher").start()) {
        killed = ServerHolder.fork(folder, "higher");
        assertThat(killed.data()).isNotEqualTo(lower.dataFolder());
        killed.kill();
      }
      assertThat(killed.serverIsAlive()).isTrue();

      try (EmbeddedPostgres postgres = postgres("higher").start()) {
        assertThat(postgres.dataFolder()).isNotEqualTo(killed.data());
        assertThat(killed.serverIsAlive()).isFalse();
      }
    }

    @Test
    void ordinaryEndOfTheJvmStopsTheServer() throws Exception {
      ServerHolder holder = ServerHolder.fork(folder, "end");

      holder.end();

      assertThat(holder.serverIsAlive()).isFalse();
      assertThat(processesBelow(holder.data())).isEmpty();
    }
  }

  @Test
  void jvmsThatStartForTheFirstTimeAtOnceBothSucceed() throws Exception {
    Path empty = Files.createDirectory(folder.resolve("empty"));
    List<String> options = List.of("-D" + BaseFolder.FOLDER_PROPERTY + "=" + empty);
    String classPath = System.getProperty("java.class.path");

    Process one =
        ServerHolder.launch(classPath, options, "first", EmbeddedPostgresIT::withStrictUmask);
    Process other =
        ServerHolder.launch(classPath, options, "first", EmbeddedPostgresIT::withStrictUmask);
    ServerHolder first = ServerHolder.started(one);
    ServerHolder second = ServerHolder.started(other);

    assertThat(first.data()).isNotEqualTo(second.data());
    first.end();
    second.end();
  }

  /** As on machines where files are closed to others unless said otherwise. */
  private static List<String> withStrictUmask(List<String> command) {
    List<String> wrapped =
        new ArrayList<>(List.of("/bin/sh", "-c", "umask 077; exec \"$@\"", "sh"));
    wrapped.addAll(command);
    return wrapped;
  }

  @Nested
  class AsRoot {

    @BeforeAll
    static void onlyAsRoot() {
      assumeTrue("root".equals(System.getProperty("user.name")), "only root needs somebody else");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "setpriv", "setpriv runuser", "setpriv runuser su"})
    void serverRunsWhicheverToolIsMissing(String missing) throws Exception {
      Commands commands = HidingCommands.without(missing.split(" ", -1));
      Unprivileged who = wayOrSkip(commands);

      try (EmbeddedPostgres postgres =
          postgres("missing")
              .folder(who.isAnotherUser() ? folder : folder.resolve("of-root"))
              .commands(commands)
              .start()) {
        assertThat(query(postgres, "SELECT 1")).isEqualTo("1");
        assertThat(Files.getAttribute(postgres.dataFolder(), "unix:uid"))
            .isEqualTo((int) who.uid());
        assertThat(postgres.dataFolder().toString().contains("skipjack-" + who.user()))
            .isEqualTo(who.isAnotherUser());
      }
    }

    private static Unprivileged wayOrSkip(Commands commands) {
      try {
        return Unprivileged.choose(commands, null);
      } catch (EmbeddedPostgresException e) {
        assumeTrue(false, "this machine refuses user namespaces");
        throw e;
      }
    }

    @Test
    void ordinaryUserWithoutAHomeKeepsItAmongTemporaryFiles() throws Exception {
      Commands commands = new SystemCommands();
      Unprivileged nobody = Unprivileged.choose(commands, "nobody");
      assumeTrue(nobody.isAnotherUser(), "nothing here can start a JVM as nobody");
      Path temporary = BaseFolder.open(nobody, folder, name -> null);

      ServerHolder holder =
          ServerHolder.started(
              ServerHolder.launch(
                  copyOfClassPath(),
                  List.of("-Djava.io.tmpdir=" + temporary, "-Duser.home=/nonexistent"),
                  "ordinary",
                  nobody::wrap));

      assertThat(holder.data()).startsWith(temporary.resolve("skipjack-nobody"));
      assertThat(Files.getAttribute(holder.data(), "unix:uid")).isEqualTo((int) nobody.uid());
      assertThat(holder.serverIsAlive()).isTrue();
      holder.end();
      assertThat(holder.serverIsAlive()).isFalse();
    }

    /** The class path lies in root's home as a rule, which is closed to others. */
    private static String copyOfClassPath() throws IOException {
      Path copies = Files.createDirectory(folder.resolve("class-path"));
      List<String> entries = new ArrayList<>();
      List<String> originals =
          Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator, -1));
      for (String original : originals) {
        Path copy = copies.resolve(String.valueOf(entries.size()));
        copyTree(Path.of(original), copy);
        entries.add(copy.toString());
      }
      return String.join(File.pathSeparator, entries);
    }

    private static void copyTree(Path from, Path to) throws IOException {
      if (Files.notExists(from)) {
        return;
      }
      try (Stream<Path> files = Files.walk(from)) {
        for (Path file : files.toList()) {
          Path copy = to.resolve(from.relativize(file).toString());
          Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
          Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
      }
    }
  }

  private static EmbeddedPostgres.Builder postgres(String purpose) {
    return EmbeddedPostgres.builder().folder(folder).purpose(purpose).setting("fsync", "off");
  }

  private static String query(EmbeddedPostgres postgres, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl("postgres"));
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      assertThat(result.next()).isTrue();
      return String.valueOf(result.getString(1));
    }
  }

  private static void execute(EmbeddedPostgres postgres, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl("postgres"));
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  /**
   * Server processes whose command lines name a place below the folder, the postmasters' children
   * included.
   */
  private static List<Long> processesBelow(Path place) {
    List<Long> postmasters = postmastersBelow(place);
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                postmasters.contains(process.pid())
                    || process
                        .parent()
                        .map(ProcessHandle::pid)
                        .filter(postmasters::contains)
                        .isPresent())
        .map(ProcessHandle::pid)
        .collect(Collectors.toList());
  }

  private static List<Long> postmastersBelow(Path place) {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                process.info().command().filter(command -> command.endsWith("postgres")).isPresent()
                    && process
                        .info()
                        .arguments()
                        .map(Arrays::asList)
                        .filter(
                            arguments ->
                                arguments.stream()
                                    .anyMatch(word -> word.startsWith(place.toString())))
                        .isPresent())
        .map(ProcessHandle::pid)
        .collect(Collectors.toList());
  }
}
