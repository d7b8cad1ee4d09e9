package dev.skipjack.worker.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobId;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import dev.skipjack.worker.faults.Cancels.Deed;
import dev.skipjack.worker.faults.Cancels.Moment;
import dev.skipjack.worker.faults.Cancels.Plan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests jobs that are cancelled at random moments: while they wait, when they begin, or when they
 * end. Runs 50,000 jobs with {@code -Psoak}.
 */
@QueueTest
@Timeout(900)
class RandomCancelsIT {

  private static final int JOBS = Boolean.getBoolean("skipjack.soak") ? 50_000 : 400;
  private static final int BATCH = 200;
  private static final int CONCURRENCY = 48;
  private static final Duration HEARTBEAT = Duration.ofMillis(200);

  /**
   * Many heartbeat intervals, so that the test does not fail on a busy machine, but shorter than
   * the wait of a handler that expects to be cancelled.
   */
  private static final Duration LEASE = Duration.ofSeconds(4);

  private static final List<Deed> DEEDS = List.of(Deed.values());
  private static final List<Moment> MOMENTS = List.of(Moment.values());

  private final QueueDatabase database;
  private final HikariDataSource pool;
  private final FaultFixture fixture;
  private final JobQueue queue;
  private final Cancels cancels;
  private final long seed = System.nanoTime();
  private final SplittableRandom random = new SplittableRandom(seed);

  RandomCancelsIT(QueueDatabase database) {
    this.database = database;
    this.pool = database.newDataSource(24);
    this.fixture = new FaultFixture(pool, database.schema());
    this.queue = fixture.queue();
    this.cancels = new Cancels(pool, queue.admin(), seed);
  }

  @AfterEach
  void close() {
    cancels.close();
    pool.close();
  }

  @Test
  void jobsEndAsTheOrderOfTheCommitsRequires() {
    try (Worker worker =
        Worker.on(queue)
            .handle(Cancels.TYPE, cancels)
            .queue("default", CONCURRENCY)
            .config(
                WorkerConfig.builder()
                    .lease(LEASE)
                    .heartbeatInterval(HEARTBEAT)
                    .pollInterval(Duration.ofMillis(20))
                    .build())
            .start()) {
      for (int from = 0; from < JOBS; from += BATCH) {
        List<Plan> plans = new ArrayList<>();
        for (int number = from; number < from + BATCH; number++) {
          plans.add(plan(number));
        }
        List<JobId> ids = queue.enqueueAll(Cancels.TYPE, plans);
        for (int i = 0; i < BATCH; i++) {
          cancels.enqueued(ids.get(i), plans.get(i));
        }
        await()
            .atMost(FaultFixture.PATIENCE)
            .pollInterval(Duration.ofMillis(5))
            .until(() -> fixture.count("jobs WHERE status <> 'dead'") < 2 * BATCH);
      }
      await()
          .atMost(FaultFixture.PATIENCE)
          .until(() -> cancels.areAnswered() && fixture.count("jobs WHERE status <> 'dead'") == 0);
      assertThat(worker.status().started()).isTrue();
    }
    fixture.assertAuditComplete();
    assertThat(fixture.value("SELECT count(*) FROM effects"))
        .isEqualTo(
            String.valueOf(
                fixture.count(
                    "jobs_archive WHERE status = 'completed' AND payload ->> 'deed' = 'COMPLETE_IN'")));
    assertThat(new CancelJudge(database, cancels).violations(JOBS)).as("seed %d", seed).isEmpty();
    assertThat(cancels.longestUntold()).isLessThan(LEASE);
    System.out.println(cancels.figures());
  }

  private Plan plan(int number) {
    Deed deed = any(DEEDS);
    Moment moment = any(MOMENTS);
    // A handler that waits for its cancellation needs a cancellation after it has begun.
    return new Plan(number, deed, deed == Deed.OBEY ? Moment.BEGUN : moment);
  }

  private <E> E any(List<E> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
