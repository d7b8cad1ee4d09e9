package dev.skipjack.worker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Tests a series of deployments: a worker under load is terminated at a random moment, and the next
 * one continues with the same jobs. Runs 100 rounds with {@code -Psoak}.
 */
@QueueTest
@Timeout(900)
@DisabledOnOs(OS.WINDOWS) // which has no signals
class TerminationRoundsIT {

  private static final int ROUNDS = Boolean.getBoolean("skipjack.soak") ? 100 : 3;
  private static final int CONCURRENCY = 4;
  private static final int LOAD = 150;
  private static final int HANGING = 2;
  private static final long LATEST_MOMENT = Duration.ofMillis(500).toNanos();
  private static final int TERMINATED = 143;

  /** After the drain, writing the remaining outcomes may take some seconds. */
  private static final Duration DEADLINE = ForkedWorker.DRAIN.plusSeconds(10);

  private final QueueDatabase database;
  private final FaultFixture fixture;
  private final long seed = System.nanoTime();
  private final SplittableRandom random = new SplittableRandom(seed);

  TerminationRoundsIT(QueueDatabase database) {
    this.database = database;
    this.fixture = new FaultFixture(database.dataSource(), database.schema());
  }

  @Test
  void terminationsLoseNothingAndUseNoAttempt() {
    Duration longest = Duration.ZERO;
    for (int round = 1; round <= ROUNDS; round++) {
      if (round % 2 == 1) {
        fixture.enqueue(HANGING, Task.Deed.HANG); // outlast the drain
      }
      fixture.enqueue(Math.max(1, LOAD - (int) fixture.count("jobs")), Task.Deed.WORK_SLOWLY);
      Duration took = terminate(round);
      assertThat(took).as(where(round)).isLessThan(DEADLINE);
      longest = longest.compareTo(took) < 0 ? took : longest;
      assertNothingIsRunningUsedOrLost(round);
      if (round == 1) {
        assertThat(fixture.count("jobs WHERE attempts > 0")).isGreaterThanOrEqualTo(HANGING);
      }
      fixture.execute("UPDATE @jobs SET payload = payload || '{\"deed\": \"WORK_SLOWLY\"}'");
    }
    System.out.printf("%d rounds, the longest stop took %d ms%n", ROUNDS, longest.toMillis());
    try (Worker last =
        Worker.on(fixture.queue())
            .handle(Task.TYPE, new TaskHandler(database.dataSource()))
            .queue("default", CONCURRENCY)
            .config(ForkedWorker.config())
            .start()) {
      assertThat(last.status().started()).isTrue();
      fixture.assertAllDoneOnce();
    }
  }

  /**
   * Starts a worker and terminates it, in the first round while it is busy, and in later rounds at
   * a random moment. Returns how long the process took to end.
   */
  private Duration terminate(int round) {
    try (ForkedJvm worker =
        ForkedWorker.launch(database.jdbcUrl(), database.schema(), CONCURRENCY)) {
      worker.awaitLine("ready", ForkedWorker.PATIENCE);
      if (round == 1) {
        worker.awaitLine("began 20", ForkedWorker.PATIENCE);
      } else {
        LockSupport.parkNanos(random.nextLong(LATEST_MOMENT));
      }
      long asked = System.nanoTime();
      worker.terminate();
      assertThat(worker.awaitExit(ForkedWorker.PATIENCE)).isEqualTo(TERMINATED);
      Duration took = Duration.ofNanos(System.nanoTime() - asked);
      worker.awaitLine("closed", ForkedWorker.PATIENCE);
      assertThat(worker.lines()).noneMatch(line -> line.startsWith("lost "));
      return took;
    }
  }

  private void assertNothingIsRunningUsedOrLost(int round) {
    assertThat(fixture.count("jobs WHERE status <> 'pending'")).as(where(round)).isZero();
    assertThat(fixture.count("jobs WHERE attempts <> uncounted_attempts"))
        .as(where(round))
        .isZero();
    assertThat(fixture.count("job_executions WHERE status NOT IN ('succeeded', 'released')"))
        .as(where(round))
        .isZero();
    assertThat(fixture.count("jobs") + fixture.count("jobs_archive WHERE status = 'completed'"))
        .as(where(round))
        .isEqualTo(fixture.tasks());
    assertThat(fixture.value("SELECT count(*) || ' of ' || count(DISTINCT number) FROM effects"))
        .as(where(round))
        .isEqualTo("%1$d of %1$d", fixture.count("jobs_archive"));
  }

  private String where(int round) {
    return "round %d of seed %d".formatted(round, seed);
  }
}
