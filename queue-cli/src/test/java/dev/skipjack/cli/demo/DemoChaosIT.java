package dev.skipjack.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import dev.skipjack.cli.Skipjack;
import dev.skipjack.testkit.QueueDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The demo in a JVM of its own, ended half-way. */
class DemoChaosIT {

  private static final int JOBS = 20_000;

  private QueueDatabase database;
  private Path folder;

  @BeforeEach
  void create(@TempDir Path folder) {
    this.folder = folder;
    database = QueueDatabase.create();
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void whatAKilledDemoEnqueuedIsFinishedByTheNext() throws Exception {
    Process demo = startHalfWay();
    demo.destroyForcibly();
    assertThat(demo.waitFor(10, TimeUnit.SECONDS)).isTrue();
    long stored = rows("deliveries");
    assertThat(rows("effects")).isLessThan(stored);

    Report resumed = Report.of("--url", database.jdbcUrl(), "--resume");
    resumed.assertVerified(stored);
    assertThat(resumed.program().exitCode()).isZero();
    assertThat(rows("deliveries")).isEqualTo(stored);
    assertThat(resumed.number("ended")).isPositive();
  }

  @Test
  @DisabledOnOs(OS.WINDOWS) // no signals
  void aStoppedDemoSaysWhatIsLeftAndLeavesNothingRunning() throws Exception {
    Process demo = startHalfWay();
    demo.destroy();
    assertThat(demo.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(demo.exitValue()).isEqualTo(143);
    assertThat(Files.readString(folder.resolve("err.txt")))
        .containsPattern("Stopped. [0-9,]+ jobs are pending and 0 running; none is lost.")
        .doesNotContain("Exception");
    long stored = rows("deliveries");

    Report.of("--url", database.jdbcUrl(), "--resume").assertVerified(stored);
  }

  private Process startHalfWay() throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process demo =
        new ProcessBuilder(
                List.of(
                    java,
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Skipjack.class.getName(),
                    "demo",
                    "--url",
                    database.jdbcUrl(),
                    "--jobs",
                    String.valueOf(JOBS)))
            .redirectOutput(folder.resolve("out.txt").toFile())
            .redirectError(folder.resolve("err.txt").toFile())
            .start();
    await()
        .atMost(Duration.ofSeconds(60))
        .failFast("the demo ended early", () -> !demo.isAlive())
        .ignoreExceptions() // the tables are not there yet
        .until(() -> rows("effects") > 200 && rows("refused_sends") > 5);
    return demo;
  }

  private long rows(String table) {
    DataSource dataSource = database.dataSource();
    return DemoSchema.on(dataSource).fetchCount(table(name("skipjack_demo", table)));
  }
}
