package dev.skipjack.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobExecution;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.DueLane;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** The steps that tests of attempts share, whether or not the store has a database. */
abstract class AttemptFixture {

  /** A type whose payloads are numbers, which all codecs encode identically. */
  static final JobType<Integer> WORK = JobType.of("work", Integer.class).maxAttempts(3);

  static final Lane LANE = new Lane(JobType.DEFAULT_QUEUE, 0);
  static final Duration LEASE = Duration.ofMinutes(10);

  /** A lease that has expired when the claim returns, so that no test waits for it. */
  static final Duration EXPIRED = Duration.ofNanos(1_000);

  static final JobError ERROR = new JobError("java.lang.IllegalStateException", "no luck", "at");
  static final JobId UNKNOWN = new JobId(Long.MAX_VALUE);

  static final Duration DEADLINE = Duration.ofSeconds(20);

  abstract JobStore store();

  abstract JobEnqueuer enqueuer();

  /** Returns a job with all its details. */
  abstract JobDetails find(JobId job);

  /**
   * Returns a connection with an open transaction, which is rolled back when the connection is
   * closed.
   */
  abstract Connection transaction() throws SQLException;

  /**
   * Locks the row of a job, as another transaction would, until the returned connection is closed.
   */
  abstract Connection hold(JobId job) throws SQLException;

  JobId enqueue(int payload) {
    return enqueue(payload, UnaryOperator.identity());
  }

  JobId enqueue(int payload, UnaryOperator<EnqueueOptions> options) {
    return enqueuer().enqueue(WORK, payload, options);
  }

  /** Enqueues jobs with the payloads 1 to {@code count}. */
  List<JobId> enqueueMany(int count) {
    return enqueuer().enqueueAll(WORK, IntStream.rangeClosed(1, count).boxed().toList());
  }

  List<Lane> dueLanes(String... queues) {
    return store().dueLanes(List.of(queues)).lanes().stream().map(DueLane::lane).toList();
  }

  List<ClaimedJob> claim(int limit) {
    return claim(limit, LEASE);
  }

  List<ClaimedJob> claim(int limit, Duration lease) {
    return store().claim(request(limit, lease, LANE));
  }

  /** Returns a request for lanes without low-water marks, each capped by the limit. */
  static ClaimRequest request(int limit, Duration lease, Lane... lanes) {
    return new ClaimRequest(
        WorkerId.boot("contract"),
        List.of(lanes).stream().map(lane -> new LaneShare(lane, limit, null)).toList(),
        List.of(WORK.kind()),
        limit,
        lease);
  }

  /** Claims the next job and returns its execution. */
  Execution claimOne(Duration lease) {
    return executions(claim(1, lease), 1).get(0);
  }

  /** Claims {@code count} jobs, in claim order. */
  List<Execution> claimExecutions(int count) {
    return executions(claim(count), count);
  }

  private static List<Execution> executions(List<ClaimedJob> claimed, int expected) {
    assertThat(claimed).hasSize(expected);
    return claimed.stream().map(ClaimedJob::execution).toList();
  }

  /** Claims the next job of the given queue and returns its execution. */
  Execution claimFrom(String queue, Duration lease) {
    return executions(store().claim(request(1, lease, new Lane(queue, 0))), 1).get(0);
  }

  /** Creates a pending job whose first attempt was lost, and returns the lost execution. */
  Execution rescuedExecution() {
    return rescuedExecutionOf(LANE.queue());
  }

  /** Creates a job as {@link #rescuedExecution} does, but in the given queue. */
  Execution rescuedExecutionOf(String queue) {
    enqueue(1, job -> job.onQueue(queue));
    Execution lost = claimFrom(queue, EXPIRED);
    assertThat(store().rescue(Duration.ZERO, 100)).hasSize(1);
    return lost;
  }

  /** Creates jobs that are dead after a final failure, in the order of their ids. */
  List<JobId> dead(int count) {
    enqueueMany(count);
    List<Execution> executions = claimExecutions(count);
    fail(executions, true);
    return executions.stream().map(Execution::jobId).toList();
  }

  List<Ended> fail(List<Execution> executions, boolean isFinal) {
    return store()
        .fail(
            executions.stream()
                .map(execution -> new Failure(execution, ERROR, Duration.ZERO, isFinal))
                .toList());
  }

  JobSummary summary(JobId job) {
    return find(job).summary();
  }

  JobStatus statusOf(JobId job) {
    return summary(job).status();
  }

  /** Returns how the attempts of a job ended, oldest first. */
  List<ExecutionStatus> audit(JobId job) {
    return find(job).executions().stream().map(JobExecution::status).toList();
  }

  /**
   * Returns the result of a call. If the call waits for another transaction, this method fails
   * instead of hanging.
   */
  <R> R withoutWaiting(Callable<R> call) throws Exception {
    return inBackground(call, answer -> answered(answer));
  }

  /** Runs {@code call} in a separate thread while {@code meanwhile} runs in the current one. */
  <R> R inBackground(Callable<R> call, Meanwhile<R> meanwhile) throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      CompletableFuture<R> answer = new CompletableFuture<>();
      thread.execute(
          () -> {
            try {
              answer.complete(call.call());
            } catch (Exception | AssertionError failure) {
              answer.completeExceptionally(failure);
            }
          });
      return meanwhile.run(answer);
    } finally {
      thread.shutdown();
    }
  }

  /** The code that runs in the current thread while another thread runs the call. */
  @FunctionalInterface
  interface Meanwhile<R> {
    R run(CompletableFuture<R> answer) throws Exception;
  }

  /**
   * Returns the result of a background call, or fails if there is none within {@link #DEADLINE}.
   */
  static <R> R answered(CompletableFuture<R> answer) throws Exception {
    try {
      return answer.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException waiting) {
      throw new AssertionError("The call waits for a locked row.", waiting);
    } catch (ExecutionException failure) {
      if (failure.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw failure;
    }
  }
}
