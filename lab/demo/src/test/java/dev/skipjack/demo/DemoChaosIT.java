package dev.skipjack.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.testkit.QueueDatabase;
import java.io.PrintWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Tests the demo in a separate JVM that is killed or stopped half-way. */
class DemoChaosIT {

  /** Enough deliveries to keep the demo busy until the test sees the first effects. */
  private static final long DELIVERIES = 6_000;

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Runs the demo in the separate JVM. */
  static final class Forked {

    private Forked() {}

    public static void main(String[] args) throws Exception {
      DemoOptions.Database database = new DemoOptions.Database(args[0], "the test's database");
      PrintWriter out = new PrintWriter(System.out, true, UTF_8);
      Demo.run(new DemoOptions(null, DELIVERIES, false, database), new DemoOutput(out, out, false));
    }
  }

  @Test
  void jobsOfAKilledDemoAreFinishedByTheNext() throws Exception {
    try (QueueDatabase database = QueueDatabase.create();
        ForkedJvm demo = startHalfWay(database)) {
      demo.kill();
      long stored = rows(database, "deliveries");
      assertThat(rows(database, "effects")).isLessThan(stored);

      DemoResult resumed = DemoResult.resumed(database);
      resumed.assertVerified(stored);
      assertThat(resumed.number("ended")).isPositive();
    }
  }

  @Test
  @DisabledOnOs(OS.WINDOWS) // no signals
  void aStoppedDemoReportsTheJobsLeftAndLeavesNoneRunning() throws Exception {
    try (QueueDatabase database = QueueDatabase.create();
        ForkedJvm demo = startHalfWay(database)) {
      demo.terminate();
      assertThat(demo.awaitExit(PATIENCE)).isEqualTo(143);
      assertThat(String.join("\n", demo.lines()))
          .containsPattern("Stopped. [0-9,]+ jobs are pending and 0 running; none is lost.")
          .doesNotContain("Exception");
      DemoResult.resumed(database).assertVerified(rows(database, "deliveries"));
    }
  }

  private static ForkedJvm startHalfWay(QueueDatabase database) {
    ForkedJvm demo = ForkedJvm.of(Forked.class).arguments(database.jdbcUrl()).start();
    await()
        .atMost(PATIENCE)
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
