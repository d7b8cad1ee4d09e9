package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.UnknownClaimException;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.faults.FaultyDataSource.CommitFate;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests connections that break during the commit, so that its outcome is unknown. */
@QueueTest
class LostCommitTest {

  private static final long SEED = 20_261_121;

  /** The number of calls. One in five loses its connection. */
  private static final int CALLS = Boolean.getBoolean("skipjack.soak") ? 500 : 150;

  private static final Lane LANE = new Lane("default", 0);

  private final Random random = new Random(SEED);
  private int cut;
  private Fixture fixture;
  private JobQueue queue;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    faulty.decideCommits(this::fate);
    queue = JobQueue.builder(faulty).schema(database.schema()).wakeUps(false).build();
  }

  @AfterEach
  void requireCuts() {
    assertThat(cut).as("commits that were cut").isPositive();
  }

  @Test
  void enqueuesWithAKeyAreRepeatedUntilConfirmedAndCreateOneJobEach() {
    for (int i = 0; i < CALLS; i++) {
      Fixture.Work work = new Fixture.Work(i);
      untilAnswered(
          () ->
              queue.enqueueOnce(
                  Fixture.WORK, work, job -> job.idempotencyKey("order-" + work.number())));
    }

    assertThat(
            fixture.value(
                "SELECT count(*) || ' jobs of ' || count(DISTINCT payload ->> 'number') FROM @jobs"))
        .isEqualTo("%1$d jobs of %1$d", CALLS);
  }

  @Test
  void repeatedOutcomesCountOnce() {
    fixture.enqueue(CALLS);
    List<Execution> claimed = fixture.claim(CALLS).stream().map(ClaimedJob::execution).toList();
    for (Execution execution : claimed) {
      Verdict verdict = untilAnswered(() -> queue.store().complete(List.of(execution))).get(0);
      // A repeated outcome is LOST if the first one was committed.
      assertThat(verdict).isIn(Verdict.DONE, Verdict.LOST);
    }

    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
    assertThat(
            fixture.value(
                "SELECT count(*) || ' of ' || count(DISTINCT id) FROM @jobs_archive WHERE status = 'completed'"))
        .isEqualTo("%1$d of %1$d", CALLS);
    assertThat(fixture.value("SELECT count(*) FROM @job_executions WHERE status = 'succeeded'"))
        .isEqualTo(String.valueOf(CALLS));
  }

  /** Jobs of a claim whose response was lost are rescued when their lease expires. */
  @Test
  void noJobIsLostByAClaimWithALostResponse() {
    fixture.enqueue(300);
    int answered = 0;
    for (int i = 0; i < 60; i++) {
      answered +=
          untilAnswered(() -> queue.store().claim(Fixture.request(5, Fixture.LEASE, LANE))).size();
    }

    int running = runningJobs();
    assertThat(running).isGreaterThan(answered);
    assertThat(fixture.value("SELECT count(*) FROM @job_executions WHERE status = 'running'"))
        .isEqualTo(String.valueOf(running));
    fixture.execute(
        "UPDATE @jobs SET lease_expires_at = now() - interval '1 second' WHERE status = 'running'");
    int rescued =
        IntStream.range(0, 10).map(i -> fixture.store.rescue(Duration.ZERO, 100).size()).sum();
    assertThat(rescued).isEqualTo(running);
    assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE status = 'pending'"))
        .isEqualTo("300");
  }

  @Test
  void jobsOfAClaimWithALostResponseAreNamedAndCanBeReleasedAtOnce() {
    fixture.enqueue(300);
    List<Requeue> unknown = new ArrayList<>();
    int answered = 0;
    for (int i = 0; i < 60; i++) {
      try {
        answered += queue.store().claim(Fixture.request(5, Fixture.LEASE, LANE)).size();
      } catch (UnknownClaimException lost) {
        assertThat(lost.jobs()).hasSize(5);
        lost.jobs()
            .forEach(
                job ->
                    unknown.add(
                        Requeue.until(
                            job.execution(), ExecutionStatus.RELEASED, job.scheduledAt())));
      }
    }
    assertThat(runningJobs()).isGreaterThan(answered);

    List<Ended> ended = fixture.store.requeue(unknown);

    assertThat(ended)
        .extracting(Ended::verdict)
        .as("some commits were cut before the server received them")
        .containsOnly(Verdict.DONE, Verdict.LOST);
    assertThat(runningJobs()).isEqualTo(answered);
    assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE attempts > uncounted_attempts"))
        .isEqualTo(String.valueOf(answered));
  }

  @Test
  void jobsOfAClaimInOneRoundTripWithALostResponseAreFoundByTheirWorker() {
    fixture.enqueue(300);
    WorkerId worker = WorkerId.boot("unlucky");
    fixture.claim(7); // by another worker
    long latest = 0;
    int answered = 0;
    int lost = 0;
    for (int i = 0; i < 50; i++) {
      try {
        List<ClaimedJob> jobs = queue.store().claimFew(requestOf(worker));
        answered += jobs.size();
        latest = jobs.stream().mapToLong(job -> job.execution().id().value()).max().orElse(latest);
      } catch (StoreException unknown) {
        assertThat(unknown.isOutcomeUnknown()).isTrue();
        List<ClaimedJob> held = fixture.store.heldBy(worker, new ExecutionId(latest), 10);
        assertThat(held.size()).isIn(0, 5);
        assertThat(held).allMatch(job -> job.payload().isEmpty());
        lost += held.size();
        fixture.store.requeue(
            held.stream()
                .map(
                    job ->
                        Requeue.until(job.execution(), ExecutionStatus.RELEASED, job.scheduledAt()))
                .toList());
      }
    }

    assertThat(lost).isPositive();
    assertThat(runningJobs()).isEqualTo(answered + 7);
    assertThat(fixture.value("SELECT sum(uncounted_attempts) FROM @jobs"))
        .isEqualTo(String.valueOf(lost));
    assertThat(fixture.store.heldBy(worker, new ExecutionId(0), 3)).hasSize(3);
    assertThat(fixture.store.heldBy(worker, new ExecutionId(latest), 3)).isEmpty();
    assertThat(fixture.store.heldBy(WorkerId.boot("unlucky"), new ExecutionId(0), 3)).isEmpty();

    UUID same =
        new UUID(
            worker.bootId().getMostSignificantBits(), ~worker.bootId().getLeastSignificantBits());
    fixture.execute(
        "INSERT INTO @job_workers (name, boot_id, queues, kinds) VALUES ('unlucky', '%s', '{}', '{}')"
            .formatted(same));
    assertThat(fixture.store.heldBy(worker, new ExecutionId(0), 3)).isEmpty();
  }

  private static ClaimRequest requestOf(WorkerId worker) {
    ClaimRequest any = Fixture.request(5, Fixture.LEASE, LANE);
    return new ClaimRequest(worker, any.lanes(), any.kinds(), any.limit(), any.lease());
  }

  private int runningJobs() {
    return Integer.parseInt(fixture.value("SELECT count(*) FROM @jobs WHERE status = 'running'"));
  }

  private static <R> R untilAnswered(Supplier<R> call) {
    while (true) {
      try {
        return call.get();
      } catch (StoreException unknown) {
        assertThat(unknown.sqlState()).contains("08006");
        assertThat(unknown.isOutcomeUnknown()).isTrue();
      }
    }
  }

  /** Breaks one commit in five, before or after the server receives it. */
  private CommitFate fate() {
    double chance = random.nextDouble();
    if (chance >= 0.2) {
      return CommitFate.ACKNOWLEDGED;
    }
    cut++;
    return chance < 0.1 ? CommitFate.CUT_BEFORE : CommitFate.CUT_AFTER;
  }
}
