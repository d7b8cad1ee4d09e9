package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.EXPIRED;
import static dev.skipjack.store.jooq.Fixture.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.CancelResult;
import dev.skipjack.api.DeadJobs;
import dev.skipjack.api.EditResult;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobEdit;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.PruneResult;
import dev.skipjack.api.QueueAdmin;
import dev.skipjack.api.QueueSettings;
import dev.skipjack.api.RedriveResult;
import dev.skipjack.api.RedriveSummary;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.DueLane;
import dev.skipjack.api.spi.DueLanes;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.GiveBack;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QueueTest
class QueueAdminTest {

  private static final JobError ERROR = JobError.of("no luck");
  private static final JobId UNKNOWN = new JobId(Long.MAX_VALUE);

  private Fixture fixture;
  private QueueAdmin admin;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    admin = fixture.queue.admin();
  }

  private JobId enqueue() {
    return fixture.queue.enqueue(Fixture.WORK, new Fixture.Work(1));
  }

  private List<JobId> dead(int count) {
    fixture.enqueue(count);
    List<ClaimedJob> claimed = fixture.claim(count);
    fixture.store.fail(
        claimed.stream()
            .map(job -> new Failure(job.execution(), ERROR, Duration.ZERO, true))
            .toList());
    return claimed.stream().map(job -> job.execution().jobId()).toList();
  }

  @Nested
  class Cancel {

    @Test
    void archivesAWaitingJobAtOnce() {
      JobId job = enqueue();

      assertThat(admin.cancel(List.of(job, UNKNOWN)))
          .containsExactly(CancelResult.CANCELLED, CancelResult.GONE);

      assertThat(fixture.value("SELECT status || (execution_id IS NULL) FROM @jobs_archive"))
          .isEqualTo("cancelledtrue");
      assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
      assertThat(admin.cancel(List.of(job))).containsExactly(CancelResult.GONE);
    }

    @Test
    void asksARunningJobToStopAndItsHeartbeatTells() {
      JobId job = enqueue();
      Execution execution = fixture.claimOne(LEASE);

      assertThat(admin.cancel(List.of(job))).containsExactly(CancelResult.REQUESTED);

      assertThat(fixture.store.heartbeat(List.of(execution), LEASE))
          .containsExactly(new Renewal(Verdict.DONE, true));
    }

    @Test
    void losesAgainstACompletionAndWinsAgainstEveryOtherEnd() {
      fixture.enqueue(5);
      List<Execution> executions = new ArrayList<>();
      fixture.claim(4).forEach(job -> executions.add(job.execution()));
      executions.add(fixture.claimOne(EXPIRED));
      assertThat(admin.cancel(executions.stream().map(Execution::jobId).toList()))
          .containsOnly(CancelResult.REQUESTED);

      assertThat(fixture.store.complete(List.of(executions.get(0)))).containsExactly(Verdict.DONE);
      assertThat(
              fixture.store.fail(
                  List.of(new Failure(executions.get(1), ERROR, Duration.ZERO, false))))
          .containsExactly(new Ended(Verdict.DONE, JobStatus.CANCELLED));
      assertThat(
              fixture.store.giveBack(
                  List.of(new GiveBack(executions.get(2), ExecutionStatus.SNOOZED, Duration.ZERO))))
          .containsExactly(new Ended(Verdict.DONE, JobStatus.CANCELLED));
      assertThat(
              fixture.store.giveBack(
                  List.of(
                      new GiveBack(executions.get(3), ExecutionStatus.RELEASED, Duration.ZERO))))
          .containsExactly(new Ended(Verdict.DONE, JobStatus.CANCELLED));
      assertThat(fixture.store.rescue(Duration.ZERO, 10))
          .extracting(Rescued::status)
          .containsExactly(JobStatus.CANCELLED);

      assertThat(fixture.value("SELECT string_agg(status, ' ' ORDER BY id) FROM @jobs_archive"))
          .isEqualTo("completed cancelled cancelled cancelled cancelled");
      assertThat(
              fixture.value("SELECT string_agg(status, ' ' ORDER BY job_id) FROM @job_executions"))
          .isEqualTo("succeeded cancelled cancelled cancelled cancelled");
      assertThat(
              fixture.value(
                  "SELECT error_message FROM @job_executions WHERE job_id = "
                      + executions.get(1).jobId()))
          .isEqualTo("no luck");
    }

    @Test
    void leavesADeadJobToRedriveAndPrune() {
      assertThat(admin.cancel(dead(1))).containsExactly(CancelResult.DEAD);
    }

    /**
     * A claimer takes the row between the look and the lock: the same call then finds it running.
     */
    @Test
    void becomesARequestWhenAClaimerTakesTheJobMeanwhile() throws Exception {
      JobId job = enqueue();
      ExecutorService thread = Executors.newSingleThreadExecutor();
      try (Connection claimer = fixture.database.connection();
          Statement statement = claimer.createStatement()) {
        claimer.setAutoCommit(false);
        String jobs = fixture.database.schema() + ".jobs";
        statement.execute(
            "UPDATE "
                + jobs
                + " SET status = 'running', current_execution_id = 1, started_at = now(),"
                + " lease_expires_at = now() + interval '1 minute', attempts = 1");
        Future<List<CancelResult>> cancel = thread.submit(() -> admin.cancel(List.of(job)));
        claimer.commit();

        assertThat(cancel.get(10, TimeUnit.SECONDS)).containsExactly(CancelResult.REQUESTED);
      } finally {
        thread.shutdownNow();
      }
    }

    @Test
    void answersBusyForARowThatStaysHeldAndDoesTheRest() throws Exception {
      JobId held = enqueue();
      JobId free = enqueue();
      try (Connection rival = fixture.database.connection();
          Statement statement = rival.createStatement()) {
        rival.setAutoCommit(false);
        statement.execute(
            "SELECT FROM "
                + fixture.database.schema()
                + ".jobs WHERE id = "
                + held
                + " FOR UPDATE");

        assertThat(admin.cancel(List.of(held, free)))
            .containsExactly(CancelResult.BUSY, CancelResult.CANCELLED);
        rival.rollback();
      }
    }
  }

  @Nested
  class Redrive {

    @Test
    void givesFreshAttemptsAndKeepsTheHistory() {
      List<JobId> dead = dead(1);
      JobId pending = enqueue();

      assertThat(admin.redrive(List.of(dead.get(0), pending, UNKNOWN)))
          .containsExactly(
              new RedriveResult.Redriven(), new RedriveResult.NotDead(), new RedriveResult.Gone());

      assertThat(
              fixture.value(
                  "SELECT status || attempts || forgiven || (died_at IS NULL) FROM @jobs WHERE id = "
                      + dead.get(0)))
          .isEqualTo("pending11true");
      assertThat(fixture.claim(2)).extracting(ClaimedJob::attempt).containsOnly(1);
      assertThat(
              fixture.value("SELECT count(*) FROM @job_executions WHERE job_id = " + dead.get(0)))
          .isEqualTo("2");
    }

    @Test
    void refusesAJobWhoseKeyWasTakenMeanwhileAndNamesTheHolder() {
      List<JobId> dead = dead(3);
      fixture.execute(
          "UPDATE @jobs SET freed_unique_key = 'k' WHERE id IN ("
              + dead.get(0)
              + ", "
              + dead.get(1)
              + ")");
      JobId holder = enqueue();
      fixture.execute("UPDATE @jobs SET unique_key = 'k' WHERE id = " + holder);

      assertThat(admin.redrive(dead))
          .containsExactly(
              new RedriveResult.Conflict(holder),
              new RedriveResult.Conflict(holder),
              new RedriveResult.Redriven());
    }

    @Test
    void ofTwinsRedrivesTheOlderWhichTakesTheKeyAgain() {
      List<JobId> dead = dead(2);
      fixture.execute("UPDATE @jobs SET freed_unique_key = 'k'");

      assertThat(admin.redrive(List.of(dead.get(1), dead.get(0))))
          .containsExactly(new RedriveResult.Conflict(dead.get(0)), new RedriveResult.Redriven());
      assertThat(fixture.value("SELECT unique_key FROM @jobs WHERE id = " + dead.get(0)))
          .isEqualTo("k");
    }

    @Test
    void ofManyGoesThroughAllThatFitInBatches() {
      dead(1_000);
      List<JobId> twins = dead(2);
      fixture.execute(
          "UPDATE @jobs SET freed_unique_key = 'k' WHERE id IN ("
              + twins.get(0)
              + ", "
              + twins.get(1)
              + ")");

      RedriveSummary summary = admin.redriveAll(DeadJobs.all().ofQueue("default").ofKind("work"));

      assertThat(summary.redriven()).isEqualTo(1_001);
      assertThat(summary.refused()).containsOnlyKeys(twins.get(1));
      assertThat(admin.redriveAll(DeadJobs.all().ofQueue("other")).redriven()).isZero();
    }
  }

  @Nested
  class Edit {

    @Test
    void changesOnlyWhatIsSet() {
      JobId job = enqueue();

      assertThat(admin.edit(job, JobEdit.nothing().priority(9).payload(new Fixture.Work(2))))
          .isEqualTo(EditResult.EDITED);
      assertThat(
              fixture.value(
                  "SELECT priority || payload::text || (scheduled_at <= clock_timestamp()) FROM @jobs"))
          .isEqualTo("9{\"number\": 2}true");

      assertThat(admin.edit(job, JobEdit.nothing().delay(Duration.ofHours(1))))
          .isEqualTo(EditResult.EDITED);
      assertThat(
              fixture.value(
                  "SELECT priority || (scheduled_at > clock_timestamp() + interval '59 minutes')::text FROM @jobs"))
          .isEqualTo("9true");
    }

    @Test
    void leavesJobsAloneThatDoNotWait() {
      JobId running = enqueue();
      fixture.claim(1);

      assertThat(admin.edit(running, JobEdit.nothing().priority(9)))
          .isEqualTo(EditResult.NOT_PENDING);
      assertThat(admin.edit(UNKNOWN, JobEdit.nothing().priority(9))).isEqualTo(EditResult.GONE);
    }

    @Test
    void refusesABadPayloadBeforeAnySql() {
      assertThatThrownBy(() -> admin.edit(enqueue(), JobEdit.nothing().payload("nul \0")))
          .isInstanceOf(PayloadException.class);
    }
  }

  @Nested
  class Prune {

    @Test
    void deletesDeadJobsOnly() {
      JobId dead = dead(1).get(0);
      JobId pending = enqueue();

      assertThat(admin.prune(List.of(dead, pending, UNKNOWN)))
          .containsExactly(PruneResult.PRUNED, PruneResult.NOT_DEAD, PruneResult.GONE);
      assertThat(admin.prune(List.of(dead))).containsExactly(PruneResult.GONE);
      assertThat(admin.redrive(List.of(dead))).containsExactly(new RedriveResult.Gone());
    }

    @Test
    void ofManyHonoursTheAge() {
      dead(600);
      fixture.execute("UPDATE @jobs SET died_at = died_at - interval '10 days' WHERE id % 2 = 0");

      assertThat(admin.pruneAll(DeadJobs.all(), Duration.ofDays(7))).isEqualTo(300);
      assertThat(admin.pruneAll(DeadJobs.all().ofKind("work"), Duration.ZERO)).isEqualTo(300);
      assertThatThrownBy(() -> admin.pruneAll(DeadJobs.all(), Duration.ofDays(-1)))
          .hasMessageContaining("0..36500 days");
    }

    /** Whoever commits first wins, and the loser says so; no job is both redriven and deleted. */
    @Test
    void racesWithRedriveAndOneOfThemWinsEachJob() throws Exception {
      List<JobId> dead = dead(300);
      List<JobId> backwards = new ArrayList<>(dead);
      Collections.reverse(backwards);
      ExecutorService threads = Executors.newFixedThreadPool(2);
      try {
        Future<List<PruneResult>> prune = threads.submit(() -> admin.prune(dead));
        Future<List<RedriveResult>> redrive = threads.submit(() -> admin.redrive(backwards));
        long pruned = prune.get().stream().filter(answer -> answer == PruneResult.PRUNED).count();
        long redriven =
            redrive.get().stream().filter(RedriveResult.Redriven.class::isInstance).count();

        assertThat(pruned + redriven).isEqualTo(300);
        assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE status = 'pending'"))
            .isEqualTo(Long.toString(redriven));
      } finally {
        threads.shutdownNow();
      }
    }
  }

  @Nested
  class Queues {

    @Test
    void aPausedQueueShowsNoLanesUntilItIsResumed() {
      enqueue();
      admin.pause("default");
      admin.pause("default");
      DueLanes paused = fixture.store.dueLanes(List.of("default", "other"));
      assertThat(paused).isEqualTo(new DueLanes(List.of(), List.of("default")));
      assertThat(fixture.store.dueLanes(List.of("other")).paused()).isEmpty();

      admin.resume("default");
      DueLanes resumed = fixture.store.dueLanes(List.of("default"));
      assertThat(resumed.lanes()).extracting(DueLane::lane).containsExactly(new Lane("default", 0));
      assertThat(resumed.paused()).isEmpty();
    }

    @Test
    void noClaimTakesFromAPausedQueueWhateverItKnowsOfItsLanes() {
      enqueue();
      JobId other =
          fixture.queue.enqueue(Fixture.WORK, new Fixture.Work(2), job -> job.onQueue("other"));
      admin.pause("default");
      ClaimRequest both =
          Fixture.request(5, Fixture.LEASE, new Lane("default", 0), new Lane("other", 0));
      assertThat(fixture.store.claim(both))
          .extracting(job -> job.execution().jobId())
          .containsExactly(other);

      admin.resume("default");
      assertThat(fixture.claim(5)).hasSize(1);
    }

    @Test
    void settingsMakeTheRoundTripAndLeaveThePauseAlone() {
      QueueSettings settings =
          QueueSettings.defaults()
              .archiveRetention(Duration.ofDays(3))
              .deadRetention(Duration.ofHours(36))
              .defaultPriority(-5)
              .defaultMaxAttempts(7);
      admin.pause("default");
      admin.configure("default", settings);
      enqueue();

      assertThat(admin.settings("default")).contains(settings);
      assertThat(admin.settings("other")).isEmpty();
      assertThat(fixture.store.dueLanes(List.of("default")).lanes()).isEmpty();
      admin.configure("default", QueueSettings.defaults().noArchive());
      assertThat(admin.settings("default"))
          .contains(QueueSettings.defaults().archiveRetention(Duration.ZERO));
    }

    @Test
    void refusesNamesThatNoQueueCanHave() {
      assertThatThrownBy(() -> admin.pause("Not a queue"))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
