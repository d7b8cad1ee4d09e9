package dev.skipjack.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests servers of a JVM that runs as root. PostgreSQL does not accept root, so an unprivileged
 * user runs them.
 */
@EnabledIfSystemProperty(
    named = "user.name",
    matches = "root",
    disabledReason = "only root needs another user")
class AsRootIT {

  private static TestServers servers;

  @BeforeAll
  static void makeFolder() throws IOException {
    servers = new TestServers();
  }

  @AfterAll
  static void leaveNothingBehind() throws IOException {
    servers.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "setpriv", "setpriv runuser", "setpriv runuser su"})
  void serverRunsWhicheverToolIsMissing(String missing) throws Exception {
    Commands commands = HidingCommands.without(missing.split(" ", -1));
    Unprivileged who = wayOrSkip(commands);

    try (EmbeddedPostgres postgres =
        servers
            .at("missing")
            .folder(who.isAnotherUser() ? servers.folder() : servers.folder().resolve("of-root"))
            .commands(commands)
            .start()) {
      assertThat(TestServers.query(postgres, "SELECT 1")).isEqualTo("1");
      assertThat(Files.getAttribute(postgres.dataFolder(), "unix:uid")).isEqualTo((int) who.uid());
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

  /**
   * Root unpacks the binaries, so it must not use a folder in which the server's user can plant a
   * link.
   */
  @Test
  void rootFollowsNoLinkInTheFolderOfTheServersUser() throws Exception {
    Unprivileged who = Unprivileged.choose(new SystemCommands(), null);
    assumeTrue(who.isAnotherUser(), "no tool here can switch to another user");
    Path parent = Files.createDirectory(servers.folder().resolve("planted"));
    Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path victim = Files.createDirectory(servers.folder().resolve("victim"));
    Files.setPosixFilePermissions(victim, PosixFilePermissions.fromString("rwx------"));
    Path base = BaseFolder.open(who, parent, name -> null);
    Duration limit = Duration.ofSeconds(10);
    assertThat(who.script("ln -s \"$1\" \"$2/binaries\"", "", limit, victim, base).ok()).isTrue();

    PostgresBinaries binaries = PostgresBinaries.under(base, who, AsRootIT.class.getClassLoader());

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(victim)))
        .isEqualTo("rwx------");
    assertThat(victim).isEmptyDirectory();
    for (Path each = binaries.home(); each != null; each = each.getParent()) {
      assertThat(Files.getAttribute(each, "unix:uid")).as("owner of %s", each).isEqualTo(0);
    }
    assertThat(who.script("touch \"$1/planted\"", "", limit, binaries.home()).ok()).isFalse();
  }

  @Test
  void ordinaryUserWithoutAHomeUsesTheTemporaryFolder() throws Exception {
    Commands commands = new SystemCommands();
    Unprivileged nobody = Unprivileged.choose(commands, "nobody");
    assumeTrue(nobody.isAnotherUser(), "no tool here can start a JVM as nobody");
    Path temporary = BaseFolder.open(nobody, servers.folder(), name -> null);

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

  /**
   * Copies the class path, which is usually in root's home directory, where other users cannot read
   * it.
   */
  private static String copyOfClassPath() throws IOException {
    Path copies = Files.createDirectory(servers.folder().resolve("class-path"));
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
