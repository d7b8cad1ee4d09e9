package dev.skipjack.api.spi;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The interface through which producers and workers change jobs.
 *
 * <p>Methods that take a {@link Connection} work in the transaction that is open on it, and neither
 * commit it nor roll it back. Each of the other methods runs in its own short transactions, usually
 * READ COMMITTED, which have been committed when the method returns. All times are those of the
 * database clock.
 *
 * <p>Methods that take a list of executions or outcomes are meant for up to a few hundred elements.
 * They return results in the order of their input and never wait for a locked row, for which they
 * return {@link Verdict#BUSY}.
 *
 * <p>Implementations are thread-safe. Every method throws a {@link StoreException} if the database
 * rejects the statement or cannot be reached.
 */
public interface JobStore {

  /**
   * Inserts either all of the given jobs or none. If the idempotency key of a job has been used
   * before, the job is not inserted, and its result contains the existing job. If several jobs have
   * the same key, only the first is inserted. If an open transaction has used one of the keys, this
   * method waits for it. If another live job holds a unique key, the database rejects the statement
   * with 23505. Extensions may return the holder instead.
   *
   * @param jobs the new jobs
   * @return the result of each job, in the order of {@code jobs}
   */
  List<EnqueueResult> enqueue(List<NewJob> jobs);

  /**
   * Inserts either all of the given jobs or none, as {@link #enqueue(List)} does, but in the
   * caller's transaction.
   *
   * @param transaction the caller's transaction, on a connection without auto-commit
   * @param jobs the new jobs
   * @return the result of each job, in the order of {@code jobs}
   */
  List<EnqueueResult> enqueue(Connection transaction, List<NewJob> jobs);

  /**
   * {@return the lanes of {@code queues} that have due jobs, and how long the oldest job of each
   * lane has been due} The cost is a few index probes per lane, regardless of the number of jobs.
   *
   * @param queues the names of the queues
   */
  DueLanes dueLanes(List<String> queues);

  /**
   * Claims due jobs and inserts their audit rows. Locked jobs are skipped, so the result may
   * contain fewer jobs than the limit even though more jobs are due. It never contains more.
   *
   * @param request what to claim
   * @return the claimed jobs, in the order of the request's lanes, then due time, then id
   * @throws UnknownClaimException if the connection broke during the commit, so that the jobs may
   *     have been claimed
   */
  List<ClaimedJob> claim(ClaimRequest request);

  /**
   * Claims due jobs as {@link #claim} does, for requests of few jobs with small payloads. A store
   * may commit before the jobs have arrived, which is faster. If the outcome is then unknown,
   * {@link #heldBy} finds the jobs that were claimed.
   *
   * @param request what to claim
   * @return the claimed jobs, as for {@link #claim}
   * @throws StoreException whose {@linkplain StoreException#isOutcomeUnknown() outcome is unknown}
   *     if jobs may have been claimed. They may also have been claimed after any other kind of
   *     exception
   */
  default List<ClaimedJob> claimFew(ClaimRequest request) {
    return claim(request);
  }

  /**
   * Returns running jobs that a worker holds, without their payloads, so that the worker can
   * release jobs that it never received.
   *
   * @param worker the worker
   * @param after the execution after which the search begins
   * @param limit the maximum number
   * @return the jobs with the lowest execution ids after {@code after}, at most {@code limit}. May
   *     return none if all unknown outcomes of the store are {@link UnknownClaimException}s
   */
  default List<ClaimedJob> heldBy(WorkerId worker, ExecutionId after, int limit) {
    return List.of();
  }

  /**
   * Claims due jobs as {@link #claim} does, but returns an empty string instead of each payload. A
   * worker uses this method if a payload does not fit into memory or cannot be sent by the server,
   * so that it can fail that job and claim later jobs.
   *
   * @param request what to claim
   * @return the claimed jobs, as for {@link #claim}
   */
  List<ClaimedJob> claimWithoutPayload(ClaimRequest request);

  /**
   * Searches for the groups of a lane of a fair or limited queue that have due jobs. Locks nothing.
   * The result is a hint, which {@link #claimGroups} checks again.
   *
   * @param search what to search for
   * @return the groups, or {@link DueGroups#NONE} if the queue is paused, or is neither fair nor
   *     limited
   */
  default DueGroups dueGroups(GroupSearch search) {
    return DueGroups.NONE;
  }

  /**
   * Claims due jobs of some groups, as {@link #claim} does, from a queue that is fair or limited. A
   * job is claimed only if its group is not paused and the limit of the queue permits another
   * running job and another start. Claims that together could exceed the limit never run at the
   * same time. This method does not wait for another claim: it claims nothing if another claim
   * holds the lock of the limit, and leaves out a group if another claim holds the lock of the
   * group.
   *
   * @param request what to claim
   * @return the claimed jobs in rounds. In each round, the groups follow each other as in the
   *     request, with as many jobs as their weights say, in the order of their due times
   * @throws UnknownClaimException if the connection broke during the commit, so that the jobs may
   *     have been claimed
   */
  default ClaimedGroups claimGroups(GroupClaim request) {
    return new ClaimedGroups(List.of(), false, null);
  }

  /**
   * Claims due jobs as {@link #claimGroups} does, but returns an empty string instead of each
   * payload, like {@link #claimWithoutPayload}.
   *
   * @param request what to claim
   * @return the claimed jobs, as for {@link #claimGroups}
   */
  default ClaimedGroups claimGroupsWithoutPayload(GroupClaim request) {
    return new ClaimedGroups(List.of(), false, null);
  }

  /**
   * Stops further starts under the limit of a running job for a while, in all workers. If each
   * group of the limit has a rate of its own, or {@code onlyGroup} is true, only the group of the
   * job is stopped. Running jobs are not affected.
   *
   * @param execution the execution of the job
   * @param onlyGroup whether to stop only the group
   * @param delay how long to stop, clamped to the range from 0 to {@link Backoff#LONGEST}. A longer
   *     stop that is in force remains
   * @return whether starts were stopped; false if the job was not claimed under a limit, or the
   *     execution no longer owns it
   */
  default boolean throttle(Execution execution, boolean onlyGroup, Duration delay) {
    return false;
  }

  /**
   * Renews leases, so that they expire {@code lease} from now. The result for each execution states
   * whether cancellation of the job was requested or, if the lease is lost, which execution owns
   * the job now. Jobs that an execution has lost are not changed.
   *
   * @param executions the executions whose leases to renew
   * @param lease the new duration of the leases; positive and at most 365 days
   * @return the result for each execution, in order
   */
  List<Renewal> heartbeat(List<Execution> executions, Duration lease);

  /**
   * Records the progress reports of handlers, for display. If there are several reports for one
   * execution, only one of them is recorded. The report of an earlier attempt remains until it is
   * replaced.
   *
   * @param reports the reports, at most one of each execution
   * @return the verdict for each execution, in order
   */
  List<Verdict> progress(List<Progress> reports);

  /**
   * Completes jobs and moves them from the live table to the archive.
   *
   * @param executions the executions to complete
   * @return the verdict for each execution, in order
   */
  List<Verdict> complete(List<Execution> executions);

  /**
   * Completes a job as {@link #complete} does and, in the same transaction, claims the next job of
   * its ordering key as {@link #claim} does. The next job is claimed only if a claim could take it:
   * it is due, its queue is not paused, and it matches the request. Otherwise, it becomes pending.
   * Nothing is claimed if the job is not completed.
   *
   * <p>This method never waits for a locked row. A store without ordering keys only completes the
   * job.
   *
   * @param request the job to complete, and the conditions for the next one
   * @return the verdict, and the next job if there is one
   * @throws UnknownClaimException if the connection broke during the commit, so that the job may
   *     have been completed and the next one claimed
   */
  default HandedOver handOver(HandOver request) {
    return new HandedOver(complete(List.of(request.ended())).get(0), null);
  }

  /**
   * Completes or cancels jobs, together with a result or a reason. A result is stored in the
   * archive, and a reason becomes the job's last error. If the queue has no archive, results are
   * discarded, and reasons are stored only in the audit. A completion is recorded even if
   * cancellation of the job was requested. If a result is not a JSON document, the database rejects
   * the whole batch.
   *
   * @param outcomes the outcomes, at most one of each execution
   * @return the verdict for each execution, in order
   */
  List<Verdict> endWithData(List<FinalOutcome> outcomes);

  /**
   * Completes a job in the handler's transaction, so that the handler's effects and the completion
   * commit together. If the job's row is locked, this method waits for it.
   *
   * @param transaction the caller's transaction, on a connection without auto-commit
   * @param execution the execution, which fences the write
   * @throws LeaseLostException if the execution no longer owns the job. The caller must roll back
   * @throws StoreException if the database rejects the statement. The exception is {@linkplain
   *     StoreException#isTransient() transient} if a partition is missing, because the next call
   *     creates the partition
   */
  void completeIn(Connection transaction, Execution execution);

  /**
   * Completes a job with a result in the handler's transaction, as {@link #completeIn(Connection,
   * Execution)} does without one.
   *
   * @param transaction the caller's transaction, on a connection without auto-commit
   * @param execution the execution, which fences the write
   * @param result the handler's result, as a JSON document; null if there is none
   */
  void completeIn(Connection transaction, Execution execution, @Nullable String result);

  /**
   * Records failed attempts. Each job becomes pending again, or becomes dead if it has no attempts
   * left or the failure is final. A job whose cancellation was requested is archived as cancelled
   * instead.
   *
   * @param failures the failures, at most one of each execution
   * @return the result of each attempt, in order
   */
  List<Ended> fail(List<Failure> failures);

  /**
   * Ends attempts without counting them, and returns their jobs to their queues. A job whose
   * cancellation was requested is archived as cancelled instead.
   *
   * @param attempts the attempts to end, at most one of each execution
   * @return the result of each attempt, in order
   */
  List<Ended> requeue(List<Requeue> attempts);

  /**
   * Returns the statuses of attempts, as recorded in the audit. If the acknowledgement of a write
   * was lost and the lease has expired, this is the only way to find out whether the write was
   * committed.
   *
   * @param executions the executions to look up
   * @return the status of each attempt, which is {@link ExecutionStatus#RUNNING} if it has not
   *     ended, or empty if its audit row has been removed
   */
  List<Optional<ExecutionStatus>> statuses(List<Execution> executions);

  /**
   * Rescues jobs whose lease has expired. Each job becomes due again within {@code spread}, or
   * becomes dead if it has no attempts left. A job whose cancellation was requested is archived as
   * cancelled instead. Rows that are locked or cannot be rescued are skipped.
   *
   * @param spread the period over which the rescued jobs are distributed
   * @param limit the maximum number of jobs to rescue, at least 1
   * @return the rescued jobs
   */
  List<Rescued> rescue(Duration spread, int limit);
}
