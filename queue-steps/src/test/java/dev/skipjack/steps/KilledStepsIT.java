package dev.skipjack.steps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Kills workers while they run steps. No step is missing afterwards, a step that is recorded in its
 * own transaction took effect once, and each kill repeats at most the other steps that were
 * running.
 */
@QueueTest
@DisabledOnOs(OS.WINDOWS) // no SIGKILL
class KilledStepsIT {

  private static final int JOBS = 30;
  private static final int KILLS = 3;
  private static final int SLOTS = 3;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Test
  void killedWorkerRepeatsAtMostTheStepsThatWereNotRecorded(QueueDatabase database)
      throws InterruptedException {
    StepRows.query(
        database, "CREATE TABLE effects (id bigserial, job text NOT NULL, step text NOT NULL)");
    try {
      JobQueue queue = JobQueue.on(database.dataSource());
      List<String> jobs = IntStream.range(0, JOBS).mapToObj(n -> "j" + n).toList();
      queue.enqueueAll(StepsProcess.FLOW, jobs);
      Random random = new Random(4_711);
      for (int kill = 0; kill < KILLS; kill++) {
        try (ForkedJvm worker = fork(database)) {
          worker.awaitLine(StepsProcess.READY, PATIENCE);
          long before = effects(database);
          awaitEffects(database, before + 1 + random.nextInt(40));
          worker.kill();
        }
      }
      try (ForkedJvm worker = fork(database)) {
        worker.awaitLine(StepsProcess.READY, PATIENCE);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!StepRows.query(database, "SELECT 1 FROM @jobs LIMIT 1").isEmpty()) {
          assertThat(System.nanoTime()).isLessThan(deadline);
          TimeUnit.MILLISECONDS.sleep(20);
        }
      }
      assertThat(StepRows.query(database, "SELECT count(DISTINCT (job, step)) FROM effects"))
          .containsExactly(Integer.toString(JOBS * StepsProcess.STEPS));
      assertThat(
              StepRows.query(
                  database,
                  "SELECT job || step FROM effects WHERE right(step, 1)::integer % 2 = 0 GROUP BY job,"
                      + " step HAVING count(*) > 1"))
          .as("steps in their memo's transaction that took effect twice")
          .isEmpty();
      assertThat(effects(database))
          .isBetween(
              (long) JOBS * StepsProcess.STEPS, (long) JOBS * StepsProcess.STEPS + KILLS * SLOTS);
      assertThat(
              StepRows.query(
                  database, "SELECT DISTINCT jsonb_array_length(steps) FROM @jobs_archive"))
          .containsExactly(Integer.toString(StepsProcess.STEPS));
      assertThat(StepRows.memos(database)).isEmpty();
    } finally {
      StepRows.query(database, "DROP TABLE effects");
    }
  }

  private static ForkedJvm fork(QueueDatabase database) {
    return ForkedJvm.of(StepsProcess.class)
        .arguments(database.jdbcUrl(), database.schema())
        .option("-Xmx96m")
        .option("-XX:+UseSerialGC")
        .option("-XX:TieredStopAtLevel=1")
        .option("-Dorg.jooq.no-logo=true")
        .option("-Dorg.jooq.no-tips=true")
        .start();
  }

  private static long effects(QueueDatabase database) {
    return Long.parseLong(StepRows.query(database, "SELECT count(*) FROM effects").get(0));
  }

  private static void awaitEffects(QueueDatabase database, long least) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (effects(database) < least) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }
}
