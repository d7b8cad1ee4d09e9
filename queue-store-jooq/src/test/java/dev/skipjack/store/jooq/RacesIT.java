package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class RacesIT {

  private static final int ROUNDS = Boolean.getBoolean("skipjack.soak") ? 500 : 30;
  private static final int MOST = 1_000;
  private static final int JOBS = 100;

  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  /** Both statements run when the leases expire. Only one of them may change each row. */
  @Test
  void completionAndRescueNeverBothHaveAJob() throws Exception {
    long completed = 0;
    long rescued = 0;
    // Runs until each has changed a row at least once. Otherwise they did not race.
    for (int round = 0; round < ROUNDS || (completed * rescued == 0 && round < MOST); round++) {
      fixture.enqueue(JOBS);
      List<Execution> claimed =
          fixture.claim(JOBS, Fixture.EXPIRED).stream().map(ClaimedJob::execution).toList();
      List<Execution> backwards = new ArrayList<>(claimed);
      Collections.reverse(backwards);
      CyclicBarrier both = new CyclicBarrier(2);
      Future<List<Verdict>> completion =
          threads.submit(
              () -> {
                both.await();
                return fixture.store.complete(backwards);
              });
      Future<List<Rescued>> rescue =
          threads.submit(
              () -> {
                both.await();
                return fixture.store.rescue(Duration.ZERO, JOBS);
              });
      long done =
          completion.get(30, TimeUnit.SECONDS).stream()
              .filter(verdict -> verdict == Verdict.DONE)
              .count();
      int back = rescue.get(30, TimeUnit.SECONDS).size();
      completed += done;
      rescued += back;
      back += fixture.store.rescue(Duration.ZERO, JOBS).size();
      assertThat(done + back).isEqualTo(JOBS);
      fixture.execute("DELETE FROM @jobs");
    }
    assertThat(fixture.value("SELECT count(*) || ' ' || count(DISTINCT id) FROM @jobs_archive"))
        .isEqualTo(completed + " " + completed);
    assertThat(fixture.value("SELECT count(*) FROM @job_executions WHERE status = 'running'"))
        .isEqualTo("0");
    assertThat(completed).isPositive();
    assertThat(rescued).isPositive();
  }

  /** A single statement moves a job, so every snapshot shows it in exactly one table. */
  @Test
  void everySnapshotContainsEachJobOnce() throws Exception {
    fixture.enqueue(2_000);
    Future<?> completing =
        threads.submit(
            () -> {
              for (List<ClaimedJob> batch = fixture.claim(20);
                  !batch.isEmpty();
                  batch = fixture.claim(20)) {
                fixture.store.complete(batch.stream().map(ClaimedJob::execution).toList());
              }
            });
    int instants = 0;
    while (!completing.isDone()) {
      assertThat(
              fixture.value(
                  "SELECT count(*) || ' ' || count(DISTINCT id) FROM (SELECT id FROM @jobs UNION ALL SELECT id FROM @jobs_archive) AS every"))
          .isEqualTo("2000 2000");
      instants++;
    }
    completing.get(1, TimeUnit.SECONDS);
    assertThat(fixture.value("SELECT count(*) FROM @jobs_archive")).isEqualTo("2000");
    assertThat(instants).isGreaterThan(3);
  }
}
