package dev.skipjack.program;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the script at the root of the repository, in a repository of two files with a fake Java and
 * a fake Maven.
 */
@DisabledOnOs(OS.WINDOWS) // a shell script
class LauncherTest {

  private Path folder;
  private Path root;
  private Path javaHome;
  private String path = System.getenv("PATH");
  private final Map<String, String> variables = new HashMap<>();

  @BeforeEach
  void createFakes(@TempDir Path folder) throws IOException {
    this.folder = folder;
    root = Files.createDirectories(folder.resolve("my repository"));
    Files.copy(Path.of("..", "..", "skipjack"), root.resolve("skipjack"));
    Files.writeString(root.resolve("pom.xml"), "<project/>");
    Files.createDirectories(root.resolve("queue-cli/src/main/java"));
    Files.writeString(root.resolve("queue-cli/src/main/java/Some.java"), "class Some {}");
    script(
        root.resolve("mvnw"),
        """
        echo built >>builds.log
        echo Maven output
        sleep 0.3
        echo jar >queue-cli/target/skipjack.jar
        case "$*" in *lab/program*) mkdir -p lab/program/target; echo jar >lab/program/target/skipjack-lab.jar ;; esac
        """);
    javaHome = folder.resolve("jdk");
    javaVersion("17.0.15");
  }

  @Test
  void firstUseBuildsAndPassesTheArgumentsOn() throws Exception {
    Run run = launch("why", "--url", "two words");
    assertThat(run.out())
        .hasLineCount(1)
        .contains("-jar " + root.toRealPath().resolve("queue-cli/target/skipjack.jar"))
        .endsWith("<why> <--url> <two words>\n");
    assertThat(run.err()).contains("building", "Maven output");
    assertThat(run.exitCode()).isEqualTo(7);
    assertThat(builds()).isEqualTo(1);
    assertThat(root.resolve("queue-cli/target")).isDirectoryNotContaining("glob:**.lock*");
  }

  @Test
  void theComparisonWithOtherQueuesIsBuiltAndRunByItsOwnModule() throws Exception {
    script(
        root.resolve("mvnw"),
        """
        echo "$@" >>builds.log
        mkdir -p lab/rivals/target/lib lab/program/target
        echo jar >lab/program/target/skipjack-lab.jar
        echo jar >lab/rivals/target/skipjack-rivals.jar
        echo jar >queue-cli/target/skipjack.jar
        """);
    Run run = launch("bench", "--json", "rivals");
    Path target = root.toRealPath().resolve("lab/rivals/target");
    assertThat(run.out())
        .isEqualTo(
            "-cp %s/skipjack-rivals.jar:%s/lib/* <dev.skipjack.program.LabProgram> <bench> <--json> <rivals>\n"
                .formatted(target, target));
    assertThat(root.resolve("builds.log")).content().contains("-pl lab/rivals -am");

    // The same build created both programs.
    assertThat(launch("why").out()).contains("queue-cli/target/skipjack.jar");
    assertThat(launch("bench", "drain").out()).contains("-jar ");
    assertThat(launch("bench", "rivals").out()).contains("-cp ");
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void theCommandsOfTheLabAreRunByItsOwnProgram() throws Exception {
    String start = "-jar " + root.toRealPath().resolve("lab/program/target/skipjack-lab.jar");
    assertThat(launch("demo", "--jobs", "5").out()).isEqualTo(start + " <demo> <--jobs> <5>\n");
    assertThat(launch("bench").out()).isEqualTo(start + " <bench>\n");
    assertThat(launch("--debug", "torture").out()).isEqualTo(start + " <--debug> <torture>\n");
    assertThat(launch("help", "demo").out()).isEqualTo(start + " <help> <demo>\n");
    assertThat(launch("jobs", "list", "demo").out()).contains("queue-cli/target/skipjack.jar");
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void secondUseBuildsNothing() throws Exception {
    launch();
    Run again = launch();
    assertThat(again.err()).isEmpty();
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void theProgramStartsWithAnArchiveOfItsClasses() throws Exception {
    Path archive = root.toRealPath().resolve("queue-cli/target/skipjack.jsa");
    assertThat(launch("version").out()).hasLineCount(1).endsWith(" <version>\n");
    assertThat(archive).hasContent("classes");
    assertThat(javaHome.resolve("archives.log")).hasContent(archive.toString());

    variables.put("SKIPJACK_CLASS_ARCHIVE", "off");
    launch("version");
    assertThat(javaHome.resolve("archives.log")).hasContent(archive.toString());
    Path source = root.resolve("queue-cli/src/main/java/Some.java");
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(2)));
    launch("version");
    assertThat(archive).as("the archive of the old program").doesNotExist();
  }

  @Test
  void aProgramFromAnotherBuildGetsAnArchive() throws Exception {
    launch("version");
    Path archive = root.resolve("queue-cli/target/skipjack.jsa");
    Files.delete(archive);
    launch("version");
    assertThat(archive).hasContent("classes");

    Files.writeString(archive, "of an older program");
    Files.setLastModifiedTime(archive, FileTime.from(Instant.EPOCH));
    launch("version");
    assertThat(archive).hasContent("classes");
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void theReleaseFileOfTheJdkContainsItsVersion() throws Exception {
    launch();
    Files.writeString(javaHome.resolve("release"), "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"11.0.2\"\n");
    Run old = launch();
    assertThat(old.exitCode()).isEqualTo(1);
    assertThat(old.err()).contains("but skipjack needs 17 or later");

    javaVersion("11.0.2"); // not executed
    Files.writeString(javaHome.resolve("release"), "JAVA_VERSION=\"25\"\n");
    assertThat(launch().exitCode()).isEqualTo(7);
  }

  @Test
  void changedAddedAndRemovedSourcesAreBuilt() throws Exception {
    launch();
    Path source = root.resolve("queue-cli/src/main/java/Some.java");
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(2)));
    launch();
    assertThat(builds()).isEqualTo(2);
    Files.delete(source);
    Files.setLastModifiedTime(source.getParent(), FileTime.from(Instant.now().plusSeconds(4)));
    launch();
    assertThat(builds()).isEqualTo(3);
  }

  @Test
  void filesCreatedByMavenAreNotSources() throws Exception {
    launch();
    Path made =
        Files.createDirectories(root.resolve("queue-cli/target/src/main")).resolve("A.java");
    Files.writeString(made, "");
    Files.setLastModifiedTime(made, FileTime.from(Instant.now().plusSeconds(5)));
    launch();
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void aLinkFromAnotherFolderWorks() throws Exception {
    Path bin = Files.createDirectories(folder.resolve("bin"));
    Path first =
        Files.createSymbolicLink(bin.resolve("first"), Path.of("../my repository/skipjack"));
    Path second = Files.createSymbolicLink(bin.resolve("second"), first);
    Run run = start(second.toString()).finish();
    assertThat(run.exitCode()).isEqualTo(7);
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void twoConcurrentFirstUsesBuildOnce() throws Exception {
    Started one = start(root.resolve("skipjack").toString());
    Started two = start(root.resolve("skipjack").toString());
    assertThat(List.of(one.finish().exitCode(), two.finish().exitCode())).containsOnly(7);
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void aLockOfADeadProcessIsRemoved() throws Exception {
    deadLock();
    assertThat(launch().exitCode()).isEqualTo(7);
    assertThat(builds()).isEqualTo(1);
  }

  /** A live process has the lock's process id, but started at a different time. */
  @Test
  void aLockOfAReusedProcessIdIsRemoved() throws Exception {
    String[] own = ownLock().split("\\.", 3);
    lock(ProcessHandle.current().pid() + "." + own[1] + "." + own[2]);
    assertThat(launch().exitCode()).isEqualTo(7);
    assertThat(builds()).isEqualTo(2);
  }

  /** A container that shares the folder has a separate process id namespace. */
  @Test
  void theScriptWaitsForALockOfAnotherMachineAlthoughNoLocalProcessHasItsId() throws Exception {
    Process gone = new ProcessBuilder("true").start();
    gone.waitFor();
    Path lock = lock(gone.pid() + ".1.elsewhere.example-4026");
    Started waiting = start(root.resolve("skipjack").toString());
    await().until(() -> Files.readString(waiting.err()).contains("elsewhere.example-4026"));
    assertThat(root.resolve("builds.log")).doesNotExist();

    Files.delete(lock);
    assertThat(waiting.finish().exitCode()).isEqualTo(7);
    assertThat(builds()).isEqualTo(1);
  }

  /** Runs one build and returns what the script wrote into its lock. */
  private String ownLock() throws Exception {
    script(
        root.resolve("mvnw"),
        "echo built >>builds.log; readlink queue-cli/target/build.lock >own; echo jar >queue-cli/target/skipjack.jar");
    launch();
    Files.setLastModifiedTime(
        root.resolve("queue-cli/src/main/java/Some.java"),
        FileTime.from(Instant.now().plusSeconds(2)));
    return Files.readString(root.resolve("own")).strip();
  }

  @Test
  void aLockThatChangedItsHolderMeanwhileIsRestored() throws Exception {
    Path lock = deadLock();
    long living = ProcessHandle.current().pid();
    Path bin = Files.createDirectories(folder.resolve("tools"));
    // Another process replaces the dead lock after the check and before its removal.
    script(
        bin.resolve("mv"),
        "rm \"$1\"; ln -s %d \"$1\"; rm \"$0\"; PATH=${PATH#*:}; mv \"$@\"".formatted(living));
    path = bin + ":" + path;
    Started waiting = start(root.resolve("skipjack").toString());
    await().until(() -> Files.readString(waiting.err()).contains("another process is building"));
    assertThat(Files.readSymbolicLink(lock)).hasToString(String.valueOf(living));
    assertThat(root.resolve("builds.log")).doesNotExist();

    Files.delete(lock);
    assertThat(waiting.finish().exitCode()).isEqualTo(7);
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void aRepositoryBelowASourceFolderTreatsOnlyItsSourcesAsSources() throws Exception {
    Path moved = Files.createDirectories(folder.resolve("src/main/target")).resolve("clone");
    root = Files.move(root, moved);
    launch();
    Files.setLastModifiedTime(
        Files.writeString(root.resolve("notes.txt"), "no source"),
        FileTime.from(Instant.now().plusSeconds(5)));
    launch();
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void aFailedBuildRunsNothingAndIsTriedAgain() throws Exception {
    script(root.resolve("mvnw"), "echo the reason; exit 1");
    Run failed = launch();
    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.out()).isEmpty();
    assertThat(failed.err()).contains("the reason", "the build failed");
    assertThat(launch().err()).contains("the build failed");
  }

  @Test
  void anOldOrMissingJavaIsReported() throws Exception {
    javaVersion("11.0.2");
    assertThat(launch())
        .satisfies(
            run -> {
              assertThat(run.exitCode()).isEqualTo(1);
              assertThat(run.err()).contains("Java 11.0.2", "17").hasLineCount(1);
            });
    javaVersion("1.8.0_392");
    assertThat(launch().err()).contains("Java 1.8.0_392", "17").hasLineCount(1);
    Files.delete(javaHome.resolve("bin/java"));
    assertThat(launch().err()).contains("JAVA_HOME", javaHome.toString()).hasLineCount(1);
  }

  private record Run(int exitCode, String out, String err) {}

  private record Started(Process process, Path out, Path err) {
    Run finish() throws IOException, InterruptedException {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      return new Run(process.exitValue(), Files.readString(out), Files.readString(err));
    }
  }

  private Run launch(String... arguments) throws IOException, InterruptedException {
    return start(root.resolve("skipjack").toString(), arguments).finish();
  }

  private Started start(String program, String... arguments) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(program);
    builder.command().addAll(List.of(arguments));
    builder.directory(folder.toFile());
    builder.environment().put("JAVA_HOME", javaHome.toString());
    builder.environment().remove("SKIPJACK_JAVA_OPTS");
    builder.environment().remove("SKIPJACK_CLASS_ARCHIVE");
    builder.environment().put("PATH", path);
    builder.environment().putAll(variables);
    Path out = Files.createTempFile(folder, "out", ".txt");
    Path err = Files.createTempFile(folder, "err", ".txt");
    builder.redirectOutput(out.toFile()).redirectError(err.toFile());
    return new Started(builder.start(), out, err);
  }

  private Path deadLock() throws IOException, InterruptedException {
    Process gone = new ProcessBuilder("true").start();
    gone.waitFor();
    return lock(String.valueOf(gone.pid()));
  }

  private Path lock(String holder) throws IOException {
    Files.createDirectories(root.resolve("queue-cli/target"));
    return Files.createSymbolicLink(root.resolve("queue-cli/target/build.lock"), Path.of(holder));
  }

  private long builds() throws IOException {
    try (var lines = Files.lines(root.resolve("builds.log"), UTF_8)) {
      return lines.count();
    }
  }

  private void javaVersion(String version) throws IOException {
    Files.createDirectories(javaHome.resolve("bin"));
    script(
        javaHome.resolve("bin/java"),
        """
        case "$1" in
          -version) echo 'openjdk version "%s" 2025-04-15' >&2 ;;
          --list-modules) echo jdk.compiler@17 ;;
          *) for option; do
               case $option in
                 -XX:ArchiveClassesAtExit=*) echo classes >"${option#*=}" ;;
                 -XX:SharedArchiveFile=*) echo "${option#*=}" >>"$JAVA_HOME/archives.log" ;;
               esac
             done
             while [ "$1" != -jar ] && [ "$1" != -cp ]; do shift; done
             printf '%%s %%s' "$1" "$2"; shift 2; printf ' <%%s>' "$@"; echo; exit 7 ;;
        esac
        """
            .formatted(version));
  }

  private static void script(Path file, String text) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + text + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
