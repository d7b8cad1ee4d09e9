package dev.skipjack.api;

import java.util.List;
import java.util.Optional;

/**
 * Read-only queries about jobs, for dashboards, commands and operators.
 *
 * <p>Every call reads in one short READ COMMITTED transaction of its own, which locks no row and
 * waits for none. The number of rows that a call reads has a limit, documented at each method, that
 * does not depend on the size of the tables. Only index entries of recently deleted rows, which a
 * long transaction keeps from being removed, are read in addition.
 *
 * <p>Safe for any number of threads. Every method throws {@link StoreException} when the database
 * refused the statement or could not be reached.
 */
public interface JobReader {

  /**
   * Returns a job with its payload and its attempts, live or archived.
   *
   * <p>Looks up the id in one index for each day of the archive and each week of the audit, because
   * an id does not show when its job ended. The attempts are read right after the job, so there may
   * already be one more than the job shows. The latest 1,000 are returned, and the latest 20 of
   * them with the stack trace of their error.
   *
   * @return empty if the job never existed, was pruned, or ended in a queue without an archive
   */
  Optional<JobDetails> find(JobId id);

  /**
   * Returns a page of jobs, without their payloads.
   *
   * <p>A page reads at most 10,000 jobs, or as many as its limit if there is no filter. If too few
   * of them match the filters, the page is short but still has a next page.
   *
   * <p>Following {@link JobPage#next} to the end returns, exactly once, every job that was
   * committed before the first page and does not change its position meanwhile. Ids and end times
   * never change; a due time changes when an attempt fails, and such a job may be returned twice or
   * not at all if pages are ordered by due time.
   *
   * @throws IllegalArgumentException if the query's token belongs to another order or is invalid
   */
  JobPage list(JobQuery query);

  /**
   * Counts the live jobs of each queue, kind and status, at one instant.
   *
   * <p>Counts are exact as long as there are at most 10,000 jobs of the same sort: pending jobs of
   * a queue, dead jobs of a queue and kind, all running jobs, or all waiting jobs. Larger counts
   * are estimates and marked as such. There is no index by kind, because every enqueue and every
   * claim would pay for it, so the kinds of a long backlog are estimated from a sample of the
   * table's pages. A kind that is rare in such a backlog may be missing. The result then contains a
   * count of 0 whose kind is {@link JobCount#OTHERS}: with the queue for pending jobs, and with
   * {@code OTHERS} as queue for running and waiting ones, which are read together for all queues.
   * Without such a count, every group of that queue and status is present.
   *
   * <p>Reads at most 10,001 index entries for each queue that has pending jobs, for each queue and
   * kind that has dead ones, for the running and for the waiting jobs, and, if it estimates, about
   * 500 pages of the table.
   *
   * @return ordered by queue, kind and status
   */
  List<JobCount> counts();

  /**
   * Returns the oldest pending job of each queue that has one. Reads one index entry for each
   * priority in use of each queue.
   *
   * @return ordered by queue
   */
  List<PendingAge> oldestPending();

  /**
   * Returns the dead jobs, grouped by their last error. Reads the newest 10,000 of each queue and
   * kind.
   *
   * @return ordered by the number of jobs, largest first; at most 1,000 groups
   */
  List<DeadLetterGroup> deadLetters();

  /**
   * Returns the settings of all queues that have any; other queues have the defaults.
   *
   * @return ordered by queue
   */
  List<QueueState> queues();

  /**
   * Returns the workers that were seen within about the last day, including killed ones but not
   * those that were stopped normally. If there are more than 1,000, those seen last are returned.
   *
   * @return ordered by name, then by start time
   */
  List<WorkerInfo> workers();
}
