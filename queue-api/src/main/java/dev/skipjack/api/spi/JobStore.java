package dev.skipjack.api.spi;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.StoreException;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The port through which workers and producers change jobs.
 *
 * <p>Methods that take a {@link Connection} work in the transaction that is open on it and neither
 * commit nor roll back; the others run one short READ COMMITTED transaction of their own and have
 * committed when they return. All times are those of the database's clock. Batches take up to a few
 * hundred elements, return results in the order of their input, and never wait for a locked row:
 * its result is {@link Verdict#BUSY}.
 *
 * <p>Safe for any number of threads. Every method throws {@link StoreException} when the database
 * refused the statement or could not be reached; the guarantees below still hold.
 */
public interface JobStore {

  /**
   * Writes either all jobs or none. A job whose idempotency key is known exists already and counts
   * as written. If several jobs have the same key, the first is written. Waits for any open
   * transaction that has taken one of the keys. If another live job holds a unique key, the
   * database refuses the statement with 23505; extensions may return the holder instead.
   *
   * @return the result of each job, in the order of {@code jobs}
   */
  List<EnqueueResult> enqueue(List<NewJob> jobs);

  /**
   * Like {@link #enqueue(List)}, in the caller's transaction.
   *
   * @return the result of each job, in the order of {@code jobs}
   */
  List<EnqueueResult> enqueue(Connection transaction, List<NewJob> jobs);

  /**
   * Lists the lanes of {@code queues} with due jobs, and how long the oldest has been due. This
   * costs a few index probes for each lane, however many jobs wait in it.
   */
  DueLanes dueLanes(List<String> queues);

  /**
   * Claims due jobs and opens their audit rows. Locked jobs are skipped, so the result may contain
   * fewer jobs than the limit although due jobs remain, but never more.
   *
   * @return jobs in the order of the request's lanes, then due time, then id
   */
  List<ClaimedJob> claim(ClaimRequest request);

  /**
   * Like {@link #claim}, but returns an empty text instead of each payload. Use it for a job whose
   * payload does not fit into memory, or which the server refuses to send, so that the job can be
   * failed and those after it can be claimed.
   */
  List<ClaimedJob> claimWithoutPayload(ClaimRequest request);

  /**
   * Extends leases to {@code lease} from now. Returns for each execution whether cancellation was
   * requested and, if the lease is lost, which execution holds the job. For an execution that has
   * lost its job it changes nothing.
   *
   * @param lease more than 0, at most 365 days
   */
  List<Renewal> heartbeat(List<Execution> executions, Duration lease);

  /**
   * Writes progress reports of handlers, for display. If a call contains several reports for one
   * execution, one of them is written. The report of an earlier attempt remains until a new one is
   * written.
   */
  List<Verdict> progress(List<Progress> reports);

  /** Completes jobs: they move from the live table to the archive. */
  List<Verdict> complete(List<Execution> executions);

  /**
   * Ends jobs with data: a result, which is kept in the archive, or the handler's reason for
   * cancelling, which becomes the job's last error. A queue without an archive keeps neither, but
   * the audit has the reason. A job concluded as completed completes even if its cancellation was
   * requested. If a result is not a JSON document, the database refuses the whole batch.
   */
  List<Verdict> conclude(List<Conclusion> conclusions);

  /**
   * Completes a job in the handler's transaction, so that its effects and the completion commit
   * together. Waits for the row if it is locked.
   *
   * @throws LeaseLostException if the execution no longer owns the job; the caller must roll back
   * @throws StoreException if the database refused the statement; {@linkplain
   *     StoreException#isTransient() transient} if a partition is missing, which the store's next
   *     call creates
   */
  void completeIn(Connection transaction, Execution execution);

  /**
   * Like {@link #completeIn(Connection, Execution)}, with the handler's result.
   *
   * @param result one JSON document; null if there is none
   */
  void completeIn(Connection transaction, Execution execution, @Nullable String result);

  /**
   * Records failed attempts: the jobs wait for a retry, or are dead if no attempts are left or the
   * failure is final. A job whose cancellation was requested is archived as cancelled instead.
   */
  List<Ended> fail(List<Failure> failures);

  /**
   * Ends attempts that do not count; a job whose cancellation was requested is archived as
   * cancelled.
   */
  List<Ended> giveBack(List<GiveBack> attempts);

  /**
   * Reads from the audit how attempts ended; changes nothing. Once the lease has expired, this is
   * the only way to find out whether a write was committed whose acknowledgement was lost.
   *
   * @return the status of each attempt, {@link ExecutionStatus#RUNNING} if it has not ended; empty
   *     if its audit row has been removed
   */
  List<Optional<ExecutionStatus>> statuses(List<Execution> executions);

  /**
   * Rescues jobs whose lease has expired: each becomes due again at a time within {@code spread},
   * or is dead if no attempts are left. Skips locked rows, and rows that cannot be rescued.
   *
   * @param limit maximum number of jobs to rescue, at least 1
   */
  List<Rescued> rescue(Duration spread, int limit);
}
