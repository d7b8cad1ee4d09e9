package dev.skipjack.demo;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.jooq.impl.DSL.currentInstant;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import dev.skipjack.api.JobStatus;
import dev.skipjack.testkit.QueueDatabase;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Tests the demo in a separate JVM that is ended half-way. Each test has a separate database, so
 * the tests run concurrently.
 */
@Execution(ExecutionMode.CONCURRENT)
class DemoChaosIT {

  private static final int JOBS_SENT = 20_000;
  private static final int KILLS = 3;

  /** Runs the demo in the separate JVM. */
  static final class Forked {

    private Forked() {}

    public static void main(String[] args) throws SQLException, InterruptedException {
      int jobs = Integer.parseInt(args[1]);
      DemoOptions.Builder options =
          DemoOptions.builder()
              .database(new DemoTarget(args[0], "the test's database", ""))
              .workers(Integer.parseInt(args[2]));
      Demo.run(
          (jobs == 0 ? options.resume() : options.jobs(jobs)).build(),
          new DemoOutput(utf8(System.out), utf8(System.err), false, false));
    }

    private static PrintWriter utf8(OutputStream stream) {
      return new PrintWriter(stream, true, StandardCharsets.UTF_8);
    }
  }

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
  void jobsOfAKilledDemoAreFinishedByTheNext() throws Exception {
    Process demo = startHalfWay();
    kill(demo);
    long stored = rows("deliveries");
    assertThat(rows("effects")).isLessThan(stored);

    Report resumed = Report.of(Report.on(database).resume());
    resumed.assertVerified(stored);
    assertThat(resumed.result()).isEqualTo(DemoResult.VERIFIED);
    assertThat(rows("deliveries")).isEqualTo(stored);
    assertThat(resumed.number("ended")).isPositive();
  }

  @Test
  @DisabledOnOs(OS.WINDOWS) // no signals
  void aStoppedDemoReportsTheJobsLeftAndLeavesNoneRunning() throws Exception {
    Process demo = startHalfWay();
    demo.destroy();
    assertThat(demo.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(demo.exitValue()).isEqualTo(143);
    assertThat(Files.readString(folder.resolve("err.txt")))
        .containsPattern("Stopped. [0-9,]+ jobs are pending and 0 running; none is lost.")
        .doesNotContain("Exception");
    long stored = rows("deliveries");

    Report.of(Report.on(database).resume()).assertVerified(stored);
  }

  @Test
  @Tag("soak")
  void jobsThatWereKilledThreeTimesAreStillFinished() throws Exception {
    DemoSchema.migrate(database.dataSource());
    try (Connection gate = closeEffects()) {
      Process demo = start("8", "1");
      awaitWhileAlive(demo, () -> rows("deliveries") == 8 && jobsInAttempt(1) >= 4);
      kill(demo);
      for (int attempt = 2; attempt <= KILLS; attempt++) {
        int wanted = attempt;
        endLeases();
        Process next = start("0", "1");
        awaitWhileAlive(next, () -> jobsInAttempt(wanted) >= 4);
        kill(next);
      }
      endLeases();
      gate.rollback();
    }

    Report resumed = Report.of(Report.on(database).resume());
    resumed.assertVerified(8);
    assertThat(resumed.result()).isEqualTo(DemoResult.VERIFIED);
    assertThat(
            DemoSchema.on(database.dataSource())
                .fetchCount(JOBS_ARCHIVE, JOBS_ARCHIVE.ATTEMPTS.gt(KILLS)))
        .isGreaterThanOrEqualTo(4);
  }

  @Test
  @Tag("soak")
  @DisabledOnOs(OS.WINDOWS) // no signals
  void manyWorkersWhoseHandlersHangAreStoppedTogether() throws Exception {
    DemoSchema.migrate(database.dataSource());
    try (Connection gate = closeEffects()) {
      Process demo = start("300", "8");
      awaitWhileAlive(demo, () -> rows("deliveries") == 300 && jobsInAttempt(1) >= 64);
      demo.destroy();
      assertThat(demo.waitFor(25, TimeUnit.SECONDS)).isTrue();
      assertThat(demo.exitValue()).isEqualTo(143);
      // A poisoned job does not hang, so some may be dead already.
      assertThat(Files.readString(folder.resolve("err.txt")))
          .containsPattern("Stopped\\. [0-9,]+ jobs are pending and 0 running; none is lost");
      gate.rollback();
    }
    Report.of(Report.on(database).resume()).assertVerified(300);
  }

  /** Opens a transaction that makes every handler hang until it ends. */
  private Connection closeEffects() throws SQLException {
    Connection connection = database.connection();
    connection.setAutoCommit(false);
    DemoSchema.on(connection)
        .execute("LOCK TABLE skipjack_demo.effects IN SHARE ROW EXCLUSIVE MODE");
    return connection;
  }

  private int jobsInAttempt(int attempt) {
    return DemoSchema.on(database.dataSource())
        .fetchCount(JOBS, JOBS.STATUS.eq(JobStatus.RUNNING).and(JOBS.ATTEMPTS.ge(attempt)));
  }

  /** Ends the leases of a killed demo, so that the test need not wait for them. */
  private void endLeases() {
    DemoSchema.on(database.dataSource())
        .update(JOBS)
        .set(JOBS.LEASE_EXPIRES_AT, currentInstant())
        .where(JOBS.STATUS.eq(JobStatus.RUNNING))
        .execute();
  }

  private static void kill(Process demo) throws InterruptedException {
    demo.destroyForcibly();
    assertThat(demo.waitFor(10, TimeUnit.SECONDS)).isTrue();
  }

  private Process startHalfWay() throws IOException {
    Process demo = start(String.valueOf(JOBS_SENT), "2");
    awaitWhileAlive(demo, () -> rows("effects") > 200 && rows("refused_sends") > 5);
    return demo;
  }

  /**
   * Starts the demo.
   *
   * @param jobs the number of jobs to send, or 0 to resume
   */
  private Process start(String jobs, String workers) throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Forked.class.getName(),
            database.jdbcUrl(),
            jobs,
            workers);
    return new ProcessBuilder(command)
        .redirectOutput(folder.resolve("out.txt").toFile())
        .redirectError(folder.resolve("err.txt").toFile())
        .start();
  }

  private static void awaitWhileAlive(Process demo, Callable<Boolean> condition) {
    await()
        .atMost(Duration.ofSeconds(60))
        .failFast("the demo ended early", () -> !demo.isAlive())
        .ignoreExceptions() // the tables are not there yet
        .until(condition);
  }

  private long rows(String table) {
    DataSource dataSource = database.dataSource();
    return DemoSchema.on(dataSource).fetchCount(table(name("skipjack_demo", table)));
  }
}
