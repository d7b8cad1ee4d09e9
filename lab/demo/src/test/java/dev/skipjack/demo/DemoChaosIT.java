package dev.skipjack.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.testkit.QueueDatabase;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests the demo in a separate JVM that is ended half-way. */
class DemoChaosIT {

  /** Runs the demo in the separate JVM. */
  static final class Forked {

    private Forked() {}

    public static void main(String[] args) throws SQLException, InterruptedException {
      DemoTarget target = new DemoTarget(args[0], "the test's database", "");
      Demo.run(
          DemoOptions.builder().database(target).jobs(20_000).build(),
          new DemoOutput(
              new PrintWriter(System.out, true, UTF_8),
              new PrintWriter(System.err, true, UTF_8),
              false,
              false));
    }
  }

  private final Path folder;

  DemoChaosIT(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  void jobsOfAKilledDemoAreFinishedByTheNext() throws Exception {
    try (QueueDatabase database = QueueDatabase.create()) {
      Process demo = startHalfWay(database);
      demo.destroyForcibly();
      assertThat(demo.waitFor(10, TimeUnit.SECONDS)).isTrue();
      long stored = rows(database, "deliveries");
      assertThat(rows(database, "effects")).isLessThan(stored);

      Report resumed = Report.of(Report.on(database).resume());
      resumed.assertVerified(stored);
      assertThat(resumed.number("ended")).isPositive();
    }
  }

  @Test
  @DisabledOnOs(OS.WINDOWS) // no signals
  void aStoppedDemoReportsTheJobsLeftAndLeavesNoneRunning() throws Exception {
    try (QueueDatabase database = QueueDatabase.create()) {
      Process demo = startHalfWay(database);
      demo.destroy();
      assertThat(demo.waitFor(20, TimeUnit.SECONDS)).isTrue();
      assertThat(demo.exitValue()).isEqualTo(143);
      assertThat(Files.readString(folder.resolve("err.txt")))
          .containsPattern("Stopped. [0-9,]+ jobs are pending and 0 running; none is lost.")
          .doesNotContain("Exception");
      Report.of(Report.on(database).resume()).assertVerified(rows(database, "deliveries"));
    }
  }

  private Process startHalfWay(QueueDatabase database) throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Forked.class.getName(),
            database.jdbcUrl());
    Process demo =
        new ProcessBuilder(command)
            .redirectOutput(folder.resolve("out.txt").toFile())
            .redirectError(folder.resolve("err.txt").toFile())
            .start();
    await()
        .atMost(Duration.ofSeconds(60))
        .failFast("the demo ended early", () -> !demo.isAlive())
        .ignoreExceptions() // the tables are not there yet
        .until(() -> rows(database, "effects") > 200);
    return demo;
  }

  private static long rows(QueueDatabase database, String table) {
    return DemoDatabase.on(database.dataSource())
        .fetchSingle("SELECT count(*) FROM skipjack_demo." + table)
        .get(0, long.class);
  }
}
