package dev.skipjack.api.operations;

import dev.skipjack.api.JobId;
import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Queries jobs and their history without changing them, for dashboards, command-line tools and
 * operators.
 *
 * <p>Each call runs in one or two short transactions of its own. They neither lock rows nor wait
 * for locks, and are READ COMMITTED unless documented otherwise. The number of rows that a call
 * reads is limited, as documented for each method, and does not depend on the size of the tables.
 * The limit does not include index entries of deleted rows that a long-running transaction prevents
 * from being vacuumed.
 *
 * <p>Implementations are thread-safe. Every method throws a {@link StoreException} if the database
 * rejects the statement or cannot be reached.
 */
public interface JobReader {

  /**
   * Returns a live or archived job with its payload and its attempts.
   *
   * <p>Because the id does not show when the job ended, the lookup probes one index for each day of
   * the archive and each week of the audit. The latest 1,000 attempts are returned, of which the
   * latest 20 include the stack traces of their errors. Because the attempts are read after the
   * job, the result may contain more attempts than {@link JobSummary#attempts} counts.
   *
   * @param id the id of the job
   * @return the job, or empty if it never existed, has been pruned, or ended in a queue without an
   *     archive
   */
  Optional<JobDetails> find(JobId id);

  /**
   * {@return a job like {@link #find}, but reads neither its payload, headers, progress and result
   * nor the stack traces of its errors, which are null or empty} A role that may not read them can
   * use this method, for example the viewer of the roles script.
   *
   * @param id the id of the job
   */
  Optional<JobDetails> findWithoutPayload(JobId id);

  /**
   * Explains why a job is in its current state, usually why it is not running. Returns the first
   * reason that applies, with its evidence and the action that changes the state.
   *
   * <p>All facts are read from the same snapshot, because the transaction is REPEATABLE READ. A
   * worker counts as alive if it was seen within the last 3 minutes. The call reads at most 10,001
   * running jobs, 1,000 workers, 10,001 due jobs of a higher priority, and 10,001 jobs that precede
   * the job in its lane or in its ordering key.
   *
   * @param id the id of the job
   * @return the reason, or empty under the same conditions as {@link #find}
   */
  Optional<JobExplanation> why(JobId id);

  /**
   * {@return a page of jobs, without their payloads}
   *
   * <p>The call reads at most 10,000 jobs to fill a page. It reads at most 1,000 if the query
   * filters by payload, and only the limit of the query if it has no filter. A list of running or
   * waiting jobs reads all jobs with that status, up to 10,001. If too few of them match, the page
   * is short but still has a next page.
   *
   * <p>A caller that follows {@link JobPage#next} to the end receives each job exactly once, if the
   * job was committed before the first page was read and does not change its position. Positions by
   * id or end time never change. In a list ordered by due time, a job whose attempt fails moves to
   * a new position and may be returned twice or not at all.
   *
   * @param query the query
   * @throws IllegalArgumentException if the token of the query is invalid or belongs to another
   *     order
   */
  JobPage list(JobQuery query);

  /**
   * {@return a page like that of {@link #list(JobQuery)}, for a caller who may see only some
   * queues} Jobs of other queues affect neither the page nor whether there is a next one, unless
   * there are more of them than a page may read. If the query names another queue, the page is
   * empty.
   *
   * @param query the query
   * @param queues the names of the queues; without one, the page is empty
   * @throws IllegalArgumentException as for {@link #list(JobQuery)}
   */
  JobPage list(JobQuery query, Set<String> queues);

  /**
   * Counts the live jobs of each queue, kind and status, as of one point in time.
   *
   * <p>Jobs are counted in groups: the pending jobs of a queue, the dead jobs of a queue and kind,
   * all running jobs, and all waiting jobs. Counts are exact if their group has at most 10,000
   * jobs. In a larger group, they are estimates and are marked as such. There is no index by kind,
   * because it would slow down every enqueue and every claim. The kinds of a long backlog are
   * therefore estimated from a sample of the table's pages. A rare kind may be missing.
   *
   * <p>If kinds may be missing, the result contains a count of 0 whose kind is {@link
   * JobCount#OTHERS}. For pending jobs, its queue is the queue of the jobs. For running and waiting
   * jobs, which are read for all queues together, its queue is {@code OTHERS} too. If there is no
   * such count, no kind of that queue and status is missing.
   *
   * <p>The call reads at most 10,001 index entries for each group. If it estimates, it also reads
   * about 500 pages of the table.
   *
   * @return the counts, ordered by queue, kind and status
   */
  List<JobCount> counts();

  /**
   * Returns the age of the oldest pending job of each queue that has pending jobs. The call reads
   * one index entry for each priority in use in each queue.
   *
   * @return the ages, ordered by queue
   */
  List<PendingAge> oldestPending();

  /**
   * Returns the dead jobs, grouped by the class and the message of their last error. The call reads
   * the newest 10,001 dead jobs of each queue and kind.
   *
   * @return at most 1,000 groups, ordered by the number of jobs, largest first
   */
  List<DeadLetterGroup> deadLetters();

  /**
   * Returns the state of each queue that has been configured or paused. All other queues have the
   * default settings.
   *
   * @return the states, ordered by queue
   */
  List<QueueState> queues();

  /**
   * Returns the limits with their use. At most the first 1,000 limits are returned, and at most
   * 10,000 running jobs are counted for each.
   *
   * @return the limits, ordered by name
   */
  List<LimitState> limits();

  /**
   * Returns the groups of a queue that have been configured or paused. All other groups have the
   * default settings. At most the first 1,000 groups are returned.
   *
   * @param queue the name of the queue
   * @return the groups, ordered by name
   */
  List<GroupState> groups(String queue);

  /**
   * Returns the due jobs that limits or pauses of groups hold back, summed up by queue or by group.
   * Queues that are paused are left out. At most 1,000 queues and, for each of them, 1,000 groups
   * are examined: those that run jobs, and those that are paused.
   *
   * @return what is held, ordered by queue, then by cause, then by group
   */
  List<HeldLane> held();

  /**
   * Returns the ordering keys that are blocked by a dead job. To let the next job of a key run,
   * call {@link QueueAdmin#unblock(String, JobId)} or redrive the dead job. At most the first 1,000
   * keys are returned.
   *
   * @return the keys, in byte order
   */
  List<BlockedKey> blockedKeys();

  /**
   * Returns the running jobs whose current attempt has run longest, for instance to find handlers
   * that hang. Reads at most the 10,000 attempts that were claimed first.
   *
   * @param atLeast how long an attempt must have run; not negative
   * @param limit the maximum number of jobs, from 1 to {@link JobQuery#LARGEST}
   * @return the jobs, longest first
   * @throws IllegalArgumentException if an argument is out of range
   */
  List<RunningJob> longestRunning(Duration atLeast, int limit);

  /**
   * Returns the workers that were seen within about the last day. Workers that were killed are
   * included, but not workers that were stopped normally. If there are more than 1,000, the most
   * recently seen are returned.
   *
   * @return the workers, ordered by name, then by start time
   */
  List<WorkerInfo> workers();

  /**
   * Returns what the workers did in each interval, summed over the queues of the query. The call
   * reads the rows of these minutes, of which each worker writes one for each queue and kind.
   *
   * @param query which intervals and queues
   * @return the intervals in which workers did something, oldest first
   */
  List<JobMinutes> minutes(MinutesQuery query);

  /**
   * Returns how many attempts of each queue ended in each interval. The call reads the same rows as
   * {@link #minutes}.
   *
   * @param query which intervals and queues
   * @return the queues and intervals in which attempts ended, latest interval first, then ordered
   *     by queue; at most 10,000
   */
  List<QueueActivity> activity(MinutesQuery query);

  /**
   * Returns how many live jobs there were in each interval, summed over the queues of the query. A
   * worker counts them once a minute, for the 200 largest queues.
   *
   * @param query which intervals and queues
   * @return the intervals in which jobs were counted and there were some, oldest first
   */
  List<QueueDepth> depths(MinutesQuery query);
}
