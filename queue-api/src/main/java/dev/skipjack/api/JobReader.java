package dev.skipjack.api;

import java.util.List;
import java.util.Optional;

/**
 * Looks at jobs and changes nothing: for dashboards, commands and people.
 *
 * <p>Every answer is what one short READ COMMITTED transaction of its own saw; it locks no row and
 * waits for none. What a call reads is bounded whatever the size of the tables, and each method
 * says by what; only index entries of rows that died lately, which a long transaction keeps from
 * being removed, come on top.
 *
 * <p>Safe for any number of threads. Every method throws {@link StoreException} when the database
 * refused or could not be reached.
 */
public interface JobReader {

  /**
   * The job with its payload and its attempts, live or archived.
   *
   * <p>Probes one index for each day that the archive keeps and for each week that the audit keeps,
   * because an id does not tell when its job ended. The attempts are read right after the job, so
   * they may already show one more than it. The latest 1,000 are shown, and of these the latest 20
   * with the stack of their error.
   *
   * @return empty if there never was such a job, or if it is gone: pruned, or ended in a queue that
   *     archives nothing
   */
  Optional<JobDetails> find(JobId id);

  /**
   * A page of jobs, without their payloads.
   *
   * <p>A page looks at 10,000 jobs at most, at the limit's worth if there is no filter. When the
   * filters matched too few of them, the page is short and has a next one all the same.
   *
   * <p>Following {@link JobPage#next} until there is none shows every job that was committed before
   * the first page, and that stays listed and in its place meanwhile, exactly once. Ids and ends
   * never change; a due time does when an attempt fails, and such a job may be shown twice or not
   * at all when pages are ordered by it.
   *
   * @throws IllegalArgumentException if the query's token is of another order, or no token
   */
  JobPage list(JobQuery query);

  /**
   * How many live jobs there are of each queue, kind and status, at one instant.
   *
   * <p>Exact as long as no more than 10,000 jobs are pending in the queue, dead in the queue and of
   * the kind, running, or waiting. Beyond that the counts concerned are estimates and say so: there
   * is no index by kind, because every enqueue and every claim would pay for it, so the kinds of a
   * long backlog come from a sample of the table's pages. A kind that is rare in such a backlog may
   * be missing, so the answer then holds a count of 0 whose kind is {@link JobCount#OTHERS}: with
   * the queue for pending jobs, with {@code OTHERS} as queue for running and waiting ones, which
   * are looked at in one go for all queues. Without it, every group of that queue and status is
   * there.
   *
   * <p>Reads at most 10,001 index entries for each queue that has pending jobs, for each queue and
   * kind that has dead ones, for the running and for the waiting jobs, and, if it estimates, about
   * 500 pages of the table.
   *
   * @return by queue, kind and status
   */
  List<JobCount> counts();

  /**
   * The oldest pending job of each queue that has one. Reads one index entry for each priority in
   * use of each queue.
   *
   * @return by queue
   */
  List<PendingAge> oldestPending();

  /**
   * The dead jobs, grouped by what they died of. Looks at the newest 10,000 of each queue and kind.
   *
   * @return by the number of jobs, the most first; 1,000 groups at most
   */
  List<DeadLetterGroup> deadLetters();

  /**
   * The settings of queues that have any; a queue that is not among them has the defaults.
   *
   * @return by queue
   */
  List<QueueState> queues();

  /**
   * The workers that gave a sign of life within the last day or so; one that was stopped in order
   * is not among them, one that was killed is. 1,000 at most, those seen last.
   *
   * @return by name, then start
   */
  List<WorkerInfo> workers();
}
