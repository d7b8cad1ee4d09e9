package dev.skipjack.operations.diagnosis;

import static dev.skipjack.store.jooq.Fixture.EXPIRED;
import static dev.skipjack.store.jooq.Fixture.LEASE;
import static dev.skipjack.store.jooq.Fixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.Fix;
import dev.skipjack.api.operations.JobExplanation;
import dev.skipjack.api.operations.JobExplanation.Reason;
import dev.skipjack.api.operations.QueuePause;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.store.jooq.Fixture.Work;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests each reason why a job is not running, with its evidence and its fix. */
@QueueTest
class JobExplainerTest {

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @Test
  void explanationOfACompletedJobHasTheTimeOfItsEnd() {
    Execution execution = enqueueAndClaim(LEASE);
    fixture.store.complete(List.of(execution));

    JobExplanation why = why(execution.jobId());

    assertThat(why.reason()).isEqualTo(Reason.COMPLETED);
    assertThat(why.sentence()).startsWith("Completed at ").endsWith(" ago, after 1 attempt.");
    assertThat(why.evidence()).containsKey("finished_at").containsEntry("attempts", "1");
    assertThat(why.fix()).isNull();
  }

  @Test
  void explanationOfACancelledJobHasTheTimeOfItsEnd() {
    JobId job = enqueue();
    fixture.queue.admin().cancel(List.of(job));

    assertThat(why(job).reason()).isEqualTo(Reason.CANCELLED);
    assertThat(why(job).sentence()).startsWith("Cancelled at ").endsWith("after 0 attempts.");
  }

  @Test
  void aRunningJobNamesItsWorkerAndTheAgeOfItsHeartbeat() {
    WorkerId worker = WorkerId.boot("emails-1");
    announce(worker, "default", "work", 4);
    Execution execution = enqueueAndClaim(worker, LEASE);

    JobExplanation why = why(execution.jobId());

    assertThat(why.reason()).isEqualTo(Reason.RUNNING);
    assertThat(why.sentence())
        .startsWith("Leased by worker " + worker + " until ")
        .containsPattern("\\(heartbeat \\d+ s ago\\); attempt 1 has run for \\d+ s\\.");
    assertThat(why.evidence())
        .containsEntry("worker", worker.toString())
        .containsEntry("host", "host-1")
        .containsKeys("lease_expires_at", "heartbeat_seconds_ago", "worker_seen_seconds_ago");
    assertThat(why.fix())
        .isEqualTo(
            new Fix(
                "skipjack jobs cancel " + execution.jobId(),
                "queue.admin().cancel(List.of(new JobId(" + execution.jobId() + ")))"));
  }

  @Test
  void aRunningJobOfAnUnknownWorkerHasNoHeartbeat() {
    Execution execution = enqueueAndClaim(LEASE);

    assertThat(why(execution.jobId()).sentence()).doesNotContain("heartbeat");
    assertThat(why(execution.jobId()).evidence())
        .doesNotContainKeys("host", "heartbeat_seconds_ago", "worker_seen_seconds_ago");
  }

  /** Another program may write to the table of workers. */
  @Test
  void settingsThatAreNotOursAreIgnored() {
    WorkerId worker = WorkerId.boot("w");
    announce(worker, "default", "work", 4);
    fixture.execute(
        "UPDATE @job_workers SET settings = '{\"lease\": \"long\", \"concurrency\": {\"default\":"
            + " \"all\"}}'");
    Execution execution = enqueueAndClaim(worker, LEASE);
    JobId next = enqueue();

    assertThat(why(execution.jobId()).evidence()).doesNotContainKey("heartbeat_seconds_ago");
    assertThat(why(next).reason()).isEqualTo(Reason.NEXT_IN_LINE);
    assertThat(why(next).evidence()).doesNotContainKey("slots");
  }

  @Test
  void aRunningJobThatIsCancelledWaitsForItsHandler() {
    Execution execution = enqueueAndClaim(LEASE);
    fixture.queue.admin().cancel(List.of(execution.jobId()));

    assertThat(why(execution.jobId()).reason()).isEqualTo(Reason.CANCEL_REQUESTED);
    assertThat(why(execution.jobId()).evidence()).containsKey("cancel_requested_at");
    assertThat(fixOf(why(execution.jobId())).command())
        .startsWith("restart the process of worker test/");
  }

  @Test
  void aHandlerThatDoesNotEndAfterACancelNamesTheProcessToRestart() {
    WorkerId worker = WorkerId.boot("w");
    announce(worker, "default", "work", 4);
    Execution execution = enqueueAndClaim(worker, LEASE);
    fixture.queue.admin().cancel(List.of(execution.jobId()));

    JobExplanation why = why(execution.jobId());

    assertThat(fixOf(why).command())
        .isEqualTo(
            "restart the process 4711 on host host-1 if the handler does not end; another worker"
                + " then records the job as cancelled");
    assertThat(fixOf(why).call()).endsWith("jcmd 4711 Thread.print shows what it does");
    assertThat(why.evidence()).containsEntry("pid", "4711").containsEntry("host", "host-1");
  }

  @Test
  void anExpiredLeaseIsRescued() {
    Execution execution = enqueueAndClaim(EXPIRED);

    JobExplanation why = why(execution.jobId());

    assertThat(why.reason()).isEqualTo(Reason.LEASE_EXPIRED);
    assertThat(why.sentence()).startsWith("The lease of worker test/");
    assertThat(fixOf(why).command()).isEqualTo("skipjack rescue");
    fixture.store.rescue(Duration.ZERO, 1000);
    assertThat(why(execution.jobId()).reason()).isEqualTo(Reason.NO_WORKER);
  }

  @Test
  void aDeadJobThatUsedUpItsAttemptsShowsTheErrorAndIsRedriven() {
    JobId job = fixture.queue.enqueue(WORK, new Work(1), options -> options.maxAttempts(1));
    fail(fixture.claimOne(LEASE), false, "smtp: 550 no such user\nat line 3");

    JobExplanation why = why(job);

    assertThat(why.reason()).isEqualTo(Reason.ATTEMPTS_USED_UP);
    assertThat(why.sentence())
        .isEqualTo("Dead: 1 of 1 attempt is used up. Error: smtp: 550 no such user");
    assertThat(why.evidence())
        .containsEntry("used_attempts", "1")
        .containsEntry("last_error", "smtp: 550 no such user\nat line 3");
    assertThat(fixOf(why).command()).isEqualTo("skipjack jobs redrive " + job);
    fixture.queue.admin().redrive(List.of(job));
    assertThat(why(job).reason()).isNotEqualTo(Reason.ATTEMPTS_USED_UP);
  }

  @Test
  void deadJobWithAttemptsLeftFailedFinally() {
    Execution execution = enqueueAndClaim(LEASE);
    fail(execution, true, "bad payload");

    assertThat(why(execution.jobId()).reason()).isEqualTo(Reason.FAILED_FOR_GOOD);
    assertThat(why(execution.jobId()).sentence())
        .isEqualTo("Dead: attempt 1 failed in a way that rules out a retry. Error: bad payload");
  }

  @Test
  void aParkedJobNamesTheJobThatDied() {
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, died_at, last_error)"
            + " VALUES ('work', '{}', 'dead', now(), 'Parked behind job 7, which died.')");

    JobExplanation why = why(jobWhere("status = 'dead'"));

    assertThat(why.reason()).isEqualTo(Reason.PARKED);
    assertThat(why.sentence()).isEqualTo("Dead: Parked behind job 7, which died.");
  }

  @Test
  void aDeadJobWhoseUniqueKeyIsTakenNamesTheHolder() {
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, died_at, freed_unique_key, attempts,"
            + " max_attempts) VALUES ('work', '{}', 'dead', now(), 'k', 3, 3)");
    fixture.execute("INSERT INTO @jobs (kind, payload, unique_key) VALUES ('work', '{}', 'k')");
    JobId dead = jobWhere("status = 'dead'");
    JobId holder = jobWhere("unique_key = 'k'");

    JobExplanation why = why(dead);

    assertThat(why.reason()).isEqualTo(Reason.UNIQUE_KEY_TAKEN);
    assertThat(why.sentence()).contains("because the pending job " + holder + " holds its unique");
    assertThat(why.evidence())
        .containsEntry("unique_holder", holder.toString())
        .containsEntry("unique_holder_status", "pending");
    assertThat(fixOf(why).command()).isEqualTo("skipjack why " + holder);
    fixture.queue.admin().cancel(List.of(holder));
    assertThat(why(dead).reason()).isEqualTo(Reason.ATTEMPTS_USED_UP);
  }

  @Test
  void aJobBehindAnotherOfItsOrderingKeyNamesTheHead() {
    List<JobId> jobs = enqueueOrdered("it's mine", 3);

    JobExplanation why = why(jobs.get(2));

    assertThat(why.reason()).isEqualTo(Reason.BEHIND_ORDERING_KEY);
    assertThat(why.sentence())
        .contains("Behind job " + jobs.get(0) + ", which is pending")
        .endsWith("; 1 other job waits before this one.");
    assertThat(why.evidence())
        .containsEntry("ordering_key", "it's mine")
        .containsEntry("head", jobs.get(0).toString())
        .containsEntry("waiting_before", "1");
    assertThat(fixOf(why).command()).isEqualTo("skipjack why " + jobs.get(0));
  }

  @Test
  void aJobBehindADeadJobOfItsOrderingKeyIsUnblocked() {
    List<JobId> jobs = enqueueOrdered("it's mine", 2);
    fail(fixture.claimOne(LEASE), true, "no luck");

    JobExplanation why = why(jobs.get(1));

    assertThat(why.reason()).isEqualTo(Reason.ORDERING_KEY_BLOCKED);
    assertThat(why.sentence()).endsWith("Error: no luck");
    assertThat(fixOf(why))
        .isEqualTo(
            new Fix(
                "skipjack keys unblock --job " + jobs.get(0),
                "queue.admin().unblock(\"it's mine\", new JobId(%s)), or redrive this job"
                    .formatted(jobs.get(0))));
    assertThat(why(jobs.get(0)).sentence()).contains("It blocks its ordering key.");
    fixture.queue.admin().unblock("it's mine");
    assertThat(why(jobs.get(1)).reason()).isEqualTo(Reason.NO_WORKER);
  }

  @ParameterizedTest
  @CsvSource({"park, parks the jobs that were enqueued before", "skip, promotes the next job of"})
  void aDeadJobThatDoesNotBlockItsOrderingKeyWaitsForAWorker(String policy, String next) {
    List<JobId> jobs = enqueueOrdered("k", 2);
    fixture.execute(
        "UPDATE @jobs SET status = 'dead', died_at = now() WHERE id = %s; INSERT INTO @job_queues (queue, ordering_policy) VALUES ('default', '%s')"
            .formatted(jobs.get(0), policy));
    assertThat(why(jobs.get(1)).reason()).isEqualTo(Reason.NO_WORKER);

    announce(WorkerId.boot("w"), "default", "work", 4);

    JobExplanation why = why(jobs.get(1));
    assertThat(why.reason()).isEqualTo(Reason.PROMOTION_PENDING);
    assertThat(why.sentence())
        .startsWith(
            "Behind job %s, which is dead. The ordering policy is %s"
                .formatted(jobs.get(0), policy))
        .contains(next);
    assertThat(why.fix()).isNull();
  }

  @Test
  void aWaitingJobWithoutAnOrderingKeyIsCancelled() {
    fixture.execute("INSERT INTO @jobs (kind, payload, status) VALUES ('work', '{}', 'waiting')");
    JobId job = jobWhere("status = 'waiting'");

    JobExplanation why = why(job);

    assertThat(why.reason()).isEqualTo(Reason.ORDERING_KEY_MISSING);
    assertThat(fixOf(why).command()).isEqualTo("skipjack jobs cancel " + job);
    assertThat(fixture.queue.admin().cancel(List.of(job))).containsExactly(CancelResult.CANCELLED);
  }

  @Test
  void aJobOfAFreeOrderingKeyWaitsForAWorkerToPromoteIt() {
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, ordering_key) VALUES ('work', '{}', 'waiting',"
            + " 'k')");
    JobId job = jobWhere("status = 'waiting'");
    assertThat(why(job).reason()).isEqualTo(Reason.NO_WORKER);

    announce(WorkerId.boot("w"), "default", "work", 4);

    assertThat(why(job).reason()).isEqualTo(Reason.PROMOTION_PENDING);
    assertThat(why(job).fix()).isNull();
  }

  @Test
  void explanationOfAFutureJobHasItsDueTime() {
    JobId job =
        fixture.queue.enqueue(WORK, new Work(1), options -> options.delay(Duration.ofHours(2)));

    JobExplanation why = why(job);

    assertThat(why.reason()).isEqualTo(Reason.SCHEDULED);
    assertThat(why.sentence()).startsWith("Scheduled: due at ").contains(", in 1 h 59 min");
    assertThat(fixOf(why).command()).isEqualTo("skipjack jobs run-now " + job);
  }

  @Test
  void aJobThatWaitsForARetryShowsTheErrorOfItsLastAttempt() {
    Execution execution = enqueueAndClaim(LEASE);
    fixture.store.fail(
        List.of(new Failure(execution, JobError.of("timeout"), Duration.ofHours(2), false)));

    JobExplanation why = why(execution.jobId());

    assertThat(why.reason()).isEqualTo(Reason.RETRY_SCHEDULED);
    assertThat(why.sentence()).startsWith("Attempt 2 is due at ").endsWith("Last error: timeout");
    assertThat(why.evidence())
        .containsEntry("used_attempts", "1")
        .containsEntry("max_attempts", "3")
        .containsEntry("last_error", "timeout");
  }

  @Test
  void aJobThatWaitsForASignalShowsTheCommandThatSendsIt() {
    JobId job = suspended("review");
    fixture.execute(
        "INSERT INTO @job_waits (job_id, address, name, ends_at) VALUES (%s, 'job/%s', 'review', now() + interval '7 days')"
            .formatted(job, job));

    JobExplanation why = why(job);

    assertThat(why.reason()).isEqualTo(Reason.SIGNAL_AWAITED);
    assertThat(why.sentence())
        .startsWith("Waits for the signal review since ")
        .contains(", until ")
        .endsWith("; send it with: skipjack signals send " + job + " review");
    assertThat(why.evidence()).containsEntry("signal", "review").containsKeys("since", "ends_at");
    assertThat(fixOf(why))
        .isEqualTo(
            new Fix(
                "skipjack signals send " + job + " review",
                "Signals.on(queue).send(new JobId(" + job + "), \"review\", payload)"));
  }

  @Test
  void aJobThatWaitsForAKeyShowsTheKey() {
    JobId job = suspended("-it's here");
    fixture.execute(
        "INSERT INTO @job_waits (job_id, address, name, ends_at) VALUES (%s, 'key/order 7', '-it''s here', now() + interval '7 days')"
            .formatted(job));

    JobExplanation why = why(job);

    assertThat(why.evidence()).containsEntry("key", "order 7");
    assertThat(fixOf(why).command())
        .isEqualTo("skipjack signals send --key='order 7' -- '-it'\\''s here'");
    assertThat(fixOf(why).call())
        .isEqualTo("Signals.on(queue).sendToKey(\"order 7\", \"-it's here\", payload)");
  }

  @Test
  void aSleepingJobShowsWhenItContinues() {
    JobId job = suspended("cool-off");
    fixture.execute(
        "INSERT INTO @job_steps (job_id, execution_id, position, type, name, at) VALUES (%s, 1, 1, 'sleep', 'cool-off', now())"
            .formatted(job));

    JobExplanation why = why(job);

    assertThat(why.reason()).isEqualTo(Reason.SLEEPING);
    assertThat(why.sentence()).startsWith("Sleeps in the step cool-off until ");
    assertThat(why.fix()).isNull();

    fixture.execute("UPDATE @jobs SET started_at = now() + interval '1 minute'");
    assertThat(why(job).reason()).as("after a later attempt").isEqualTo(Reason.RETRY_SCHEDULED);
  }

  @Test
  void aJobThatJoinsOthersShowsHowManyOfThemLive() {
    JobId job = suspended("charge");
    fixture.execute(
        "INSERT INTO @job_batches (id, owner_id, name, total, sealed_at) VALUES (1000000, %s, 'charge', 4, now())"
            .formatted(job));
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, owner_id) SELECT 'work', '{}', 1000000 FROM generate_series(1, 2)");
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, owner_id, status, died_at) VALUES ('work', '{}', 1000000, 'dead', now())");

    JobExplanation why = why(job);

    assertThat(why.reason()).isEqualTo(Reason.JOINING);
    assertThat(why.sentence()).isEqualTo("Waits in the step charge for 4 jobs; live: 2, dead: 1.");
    assertThat(why.evidence()).containsEntry("joined_batch", "1000000");
    assertThat(why(jobWhere("owner_id = 1000000")).evidence()).containsEntry("batch", "1000000");
  }

  /** Returns a job whose latest attempt was suspended. */
  private JobId suspended(String awaits) {
    JobId job = enqueue();
    fixture.execute(
        "UPDATE @jobs SET attempts = 1, uncounted_attempts = 1, started_at = now() - interval '1 minute',"
            + " scheduled_at = now() + interval '7 days', awaits = '%s' WHERE id = %s"
                .formatted(awaits.replace("'", "''"), job));
    return job;
  }

  @Test
  void aDueJobOfAPausedQueueWaitsUntilTheQueueIsResumed() {
    JobId job = enqueue();
    fixture.queue.admin().pause("default");

    JobExplanation why = why(job);

    assertThat(why.reason()).isEqualTo(Reason.QUEUE_PAUSED);
    assertThat(why.sentence())
        .containsPattern("^Queue default has been paused for \\d+ s, until an operator resumes it");
    assertThat(why.evidence()).containsKey("paused_at").containsEntry("queue", "default");
    assertThat(fixOf(why))
        .isEqualTo(new Fix("skipjack queues resume default", "queue.admin().resume(\"default\")"));
    assertThat(why.evidence()).doesNotContainKeys("paused_by", "pause_reason");
    fixture.queue.admin().resume("default");
    fixture
        .queue
        .admin()
        .pause(
            "default", QueuePause.of(Duration.ofHours(1)).by("anna").because("The link is wrong"));
    assertThat(why(job).sentence())
        .containsPattern("^Queue default has been paused by anna for \\d+ s, until 2")
        .endsWith("Z. Reason: The link is wrong");
    assertThat(why(job).evidence())
        .containsEntry("paused_by", "anna")
        .containsEntry("pause_reason", "The link is wrong");
    assertThat(why(job).evidence()).containsKey("paused_until");
    fixture.execute(
        "UPDATE @job_queues SET paused_at = now() - interval '2 s', paused_until = now() - interval"
            + " '1 s'");
    assertThat(why(job).reason()).isEqualTo(Reason.NO_WORKER);
  }

  @Test
  void aWorkerThatHasNotReportedForMinutesIsNotAlive() {
    JobId job = enqueue();
    announce(WorkerId.boot("w"), "default", "work", 4);
    assertThat(why(job).reason()).isEqualTo(Reason.NEXT_IN_LINE);

    fixture.execute("UPDATE @job_workers SET seen_at = now() - interval '4 minutes'");

    assertThat(why(job).reason()).isEqualTo(Reason.NO_WORKER);
    assertThat(why(job).evidence()).containsEntry("living_workers", "0");
  }

  @Test
  void aKindThatNoLivingWorkerHandlesIsNamed() {
    JobId job = enqueue();
    announce(WorkerId.boot("w"), "default", "other", 4);

    assertThat(why(job).reason()).isEqualTo(Reason.KIND_UNKNOWN);
    assertThat(why(job).sentence())
        .isEqualTo("No living worker has a handler for the kind work; 1 worker is alive.");
    assertThat(why(job).fix())
        .isEqualTo(
            new Fix(
                "skipjack workers",
                "Worker.on(queue)...handle(type, handler), with the job type of the kind work"));
  }

  @Test
  void workersThatServeOtherQueuesAreNamedWithTheirQueues() {
    JobId job = enqueue();
    announce(WorkerId.boot("w"), "emails", "work", 4);
    announce(WorkerId.boot("x"), "default", "other", 4);

    JobExplanation why = why(job);

    assertThat(why.reason()).isEqualTo(Reason.QUEUE_NOT_SERVED);
    assertThat(why.sentence())
        .isEqualTo(
            "No living worker with a handler for the kind work serves the queue default; they serve"
                + " emails.");
    assertThat(why.evidence()).containsEntry("queues_served", "emails");
    assertThat(why.fix())
        .isEqualTo(new Fix("skipjack workers", "Worker.on(queue)...queue(\"default\", slots)"));
  }

  @Test
  void aJobWaitsForASlotWhileAllAreTaken() {
    WorkerId worker = WorkerId.boot("w");
    announce(worker, "default", "work", 2);
    enqueueAndClaim(worker, LEASE);
    enqueueAndClaim(worker, LEASE);
    JobId job = enqueue();

    JobExplanation why = why(job);

    assertThat(why.reason()).isEqualTo(Reason.SLOTS_TAKEN);
    assertThat(why.sentence())
        .containsPattern(
            "^Due for \\d+ s; all slots of the workers that can run it are taken \\(2 running, 2"
                + " slots\\), and 0 due jobs are served before it\\.$");
    assertThat(why.evidence())
        .containsEntry("slots", "2")
        .containsEntry("slots_taken", "2")
        .containsEntry("running_in_queue", "2");
  }

  @Test
  void aJobWhoseLeaseHasExpiredTakesNoSlot() {
    WorkerId worker = WorkerId.boot("w");
    announce(worker, "default", "work", 1);
    enqueueAndClaim(worker, EXPIRED);

    JobExplanation why = why(enqueue());

    assertThat(why.reason()).isEqualTo(Reason.NEXT_IN_LINE);
    assertThat(why.evidence()).containsEntry("running_in_queue", "0");
  }

  @Test
  void workersThatCannotRunTheJobAreNotCounted() {
    WorkerId other = WorkerId.boot("other");
    announce(other, "default", "other", 1);
    announce(WorkerId.boot("w"), "default", "work", 1);
    enqueueAndClaim(other, LEASE);

    JobExplanation why = why(enqueue());

    assertThat(why.reason()).isEqualTo(Reason.NEXT_IN_LINE);
    assertThat(why.evidence()).containsEntry("running_in_queue", "1").containsEntry("slots", "1");
  }

  @Test
  void dueJobsWithoutAHandlerAreNotServedBefore() {
    announce(WorkerId.boot("w"), "default", "work", 4);
    announce(WorkerId.boot("x"), "emails", "unknown", 4);
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, priority) VALUES ('unknown', '{}', 0), ('unknown', '{}',"
            + " 5)");
    JobId first = enqueue();
    JobId second = enqueue();

    assertThat(why(first).reason()).isEqualTo(Reason.NEXT_IN_LINE);
    assertThat(why(first).sentence())
        .endsWith(
            "nothing holds it. The workers have no handlers for the kinds of the 2 due jobs before"
                + " it.");
    assertThat(why(first).evidence())
        .containsEntry("jobs_before", "0")
        .containsEntry("due_jobs_before", "2");
    assertThat(why(second).sentence()).endsWith("; 1 due job is served before it.");
  }

  @Test
  void runningJobsOfOtherQueuesTakeNoSlots() {
    announce(WorkerId.boot("w"), "default", "work", 1);
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, status, current_execution_id, lease_expires_at,"
            + " started_at) VALUES ('other', 'work', '{}', 'running', -1, now() + interval '1"
            + " hour', now())");

    assertThat(why(enqueue()).reason()).isEqualTo(Reason.NEXT_IN_LINE);
  }

  @Test
  void jobsServedBeforeAreCountedInTheOrderOfTheClaim() {
    announce(WorkerId.boot("w"), "default", "work", 4);
    JobId first = enqueue();
    JobId job = enqueue();
    JobId later = enqueue();
    fixture.queue.enqueue(WORK, new Work(1), options -> options.priority(5));
    fixture.queue.enqueue(
        WORK, new Work(1), options -> options.priority(5).delay(Duration.ofHours(1)));
    fixture.queue.enqueue(WORK, new Work(1), options -> options.priority(-5));
    fixture.queue.enqueue(WORK, new Work(1), options -> options.onQueue("other").priority(9));

    assertThat(why(job).reason()).isEqualTo(Reason.BEHIND_OTHERS);
    assertThat(why(job).sentence()).endsWith("; 2 due jobs are served before it.");
    assertThat(why(first).evidence()).containsEntry("jobs_before", "1");
    assertThat(why(later).evidence()).containsEntry("jobs_before", "3");
    assertThat(fixOf(why(job)).command())
        .isEqualTo("skipjack jobs edit " + job + " --priority 100");
  }

  @Test
  void theCountOfJobsServedBeforeIsBounded() {
    announce(WorkerId.boot("w"), "default", "work", 4);
    fixture.execute(
        "INSERT INTO @jobs (kind, payload) SELECT 'work', '{}' FROM generate_series(1, 10500)");

    assertThat(why(enqueue()).sentence())
        .endsWith("; at least 10000 due jobs are served before it.");
  }

  @Test
  void aDueJobThatNothingHoldsIsNextInLine() {
    announce(WorkerId.boot("w"), "default", "work", 4);
    JobId job = enqueue();

    JobExplanation why = why(job);

    assertThat(why.reason()).isEqualTo(Reason.NEXT_IN_LINE);
    assertThat(why.sentence())
        .containsPattern("^Due for \\d+ s, next in line: nothing holds it\\.$");
    assertThat(why.evidence())
        .containsEntry("jobs_before", "0")
        .containsEntry("living_workers", "1")
        .containsEntry("slots", "4");
    assertThat(why.fix()).isNull();
  }

  @Test
  void anUnknownJobHasNoReason() {
    assertThat(fixture.queue.reader().why(new JobId(Long.MAX_VALUE))).isEmpty();
  }

  private JobExplanation why(JobId job) {
    JobExplanation why = fixture.queue.reader().why(job).orElseThrow();
    assertThat(why.job()).isEqualTo(job);
    return why;
  }

  private static Fix fixOf(JobExplanation why) {
    return Objects.requireNonNull(why.fix());
  }

  private JobId enqueue() {
    return fixture.queue.enqueue(WORK, new Work(1));
  }

  private List<JobId> enqueueOrdered(String key, int count) {
    return fixture.queue.enqueueAll(
        WORK, Collections.nCopies(count, new Work(1)), options -> options.orderingKey(key));
  }

  private Execution enqueueAndClaim(Duration lease) {
    enqueue();
    return fixture.claimOne(lease);
  }

  private Execution enqueueAndClaim(WorkerId worker, Duration lease) {
    enqueue();
    ClaimRequest request = Fixture.request(1, lease, new Lane("default", 0));
    return fixture
        .store
        .claim(new ClaimRequest(worker, request.lanes(), request.kinds(), 1, lease))
        .get(0)
        .execution();
  }

  private void fail(Execution execution, boolean forGood, String error) {
    fixture.store.fail(List.of(new Failure(execution, JobError.of(error), Duration.ZERO, forGood)));
  }

  private void announce(WorkerId id, String queue, String kind, int slots) {
    fixture
        .queue
        .workers()
        .announce(
            new WorkerRow(
                id,
                "host-1",
                4711,
                List.of(queue),
                List.of(kind),
                "{\"concurrency\": {\"%s\": %d}, \"lease\": \"PT30S\"}".formatted(queue, slots)));
  }

  private JobId jobWhere(String condition) {
    return new JobId(Long.parseLong(fixture.value("SELECT max(id) FROM @jobs WHERE " + condition)));
  }
}
