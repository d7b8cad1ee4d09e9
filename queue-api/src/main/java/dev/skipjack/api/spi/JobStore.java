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
 * Every change of a job's state.
 *
 * <p>Methods that take a {@link Connection} work in the transaction that is open on it and neither
 * commit nor roll back; the others run one short READ COMMITTED transaction of their own and have
 * committed when they return. Time is the database's. Batches take up to a few hundred elements,
 * answer in the order of their input, and never wait for a row that somebody holds: such a row is
 * {@link Verdict#BUSY}.
 *
 * <p>Safe for any number of threads. Every method throws {@link StoreException} when the database
 * refused or could not be reached; the promises below are kept all the same.
 */
public interface JobStore {

  /**
   * Writes jobs, all or none; those whose idempotency key is known are there already and count as
   * written. Of several with one key the first is written. Waits for a transaction that has taken
   * one of the keys and has not ended. A unique key that another live job holds is a refusal of the
   * database, 23505; answering with the holder instead is the affair of an extension.
   *
   * @return what became of each, in the order of {@code jobs}
   */
  List<EnqueueResult> enqueue(List<NewJob> jobs);

  /**
   * Writes jobs in the caller's transaction, else as {@link #enqueue(List)}.
   *
   * @return what became of each, in the order of {@code jobs}
   */
  List<EnqueueResult> enqueue(Connection transaction, List<NewJob> jobs);

  /**
   * Lists the lanes of {@code queues} that hold a job which is due, and how long it has been. The
   * price is a few index probes for each lane that exists, however many jobs wait in it.
   */
  DueLanes dueLanes(List<String> queues);

  /**
   * Takes due jobs and opens their audit rows. Jobs that others hold are stepped over, so the
   * answer may be shorter than the limit while due jobs remain; it is never longer.
   *
   * @return jobs in the order of the request's lanes, then due time, then id
   */
  List<ClaimedJob> claim(ClaimRequest request);

  /**
   * As {@link #claim}, but leaves the payloads in the database: an empty text stands for each. For
   * a job whose payload does not fit into memory, or which the server refuses to send, so that it
   * can be failed and those behind it be claimed.
   */
  List<ClaimedJob> claimWithoutPayload(ClaimRequest request);

  /**
   * Extends leases to {@code lease} from now, and tells whose job is to be cancelled and who else
   * has a job. For an execution that has lost its job it changes nothing, so it is a way to ask.
   *
   * @param lease more than 0, at most 365 days
   */
  List<Renewal> heartbeat(List<Execution> executions, Duration lease);

  /**
   * Writes what handlers report about themselves, for people to read; of several reports for one
   * execution in a call, one is written. What an earlier attempt reported stays until then.
   */
  List<Verdict> progress(List<Progress> reports);

  /** Ends attempts well: the jobs leave the live table for the archive. */
  List<Verdict> complete(List<Execution> executions);

  /**
   * Ends attempts for good with more to say than {@link #complete}: a result that is kept in the
   * archive, or the reason why a handler cancels its job, which becomes the job's last error. A
   * queue that keeps no archive keeps neither; the audit has the reason all the same. A job that
   * somebody else wants cancelled completes nevertheless if it is concluded as completed. A result
   * that is no JSON document is a refusal of the database for the whole batch.
   */
  List<Verdict> conclude(List<Conclusion> conclusions);

  /**
   * Ends an attempt well in the handler's transaction, so that its effects and the completion
   * commit together. Waits for the row if somebody holds it.
   *
   * @throws LeaseLostException if the execution no longer owns the job; the caller must roll back
   * @throws StoreException if the database refused; {@linkplain StoreException#isTransient()
   *     transient} if a partition is missing, which the store's next call creates
   */
  void completeIn(Connection transaction, Execution execution);

  /**
   * As {@link #completeIn(Connection, Execution)} with what the handler returned.
   *
   * @param result one JSON document; null: there is none
   */
  void completeIn(Connection transaction, Execution execution, @Nullable String result);

  /**
   * Ends attempts badly: the jobs wait for another, or are dead when their attempts are used up or
   * the failure is final. A job that is to be cancelled is archived as cancelled instead.
   */
  List<Ended> fail(List<Failure> failures);

  /** Ends attempts without using them; a job that is to be cancelled does not come back. */
  List<Ended> giveBack(List<GiveBack> attempts);

  /**
   * Reads from the audit how attempts ended; changes nothing. An attempt whose write was committed,
   * and whose answer was lost, learns so from this and from nothing else once its lease has
   * expired.
   *
   * @return the status of each, {@link ExecutionStatus#RUNNING} for one that has not ended; empty
   *     if its audit row has been removed
   */
  List<Optional<ExecutionStatus>> statuses(List<Execution> executions);

  /**
   * Takes back jobs whose lease ran out: each waits for another attempt, spread over {@code
   * spread}, or is dead when its attempts are used up. Steps over rows that somebody holds, and
   * over a row that cannot be rescued.
   *
   * @param limit most jobs to take back, at least 1
   */
  List<Rescued> rescue(Duration spread, int limit);
}
