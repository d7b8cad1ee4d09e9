package dev.skipjack.api;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Administrative operations on jobs and queues: cancel, redrive, edit, prune, pause. Workers do not
 * need it.
 *
 * <p>Each call runs in short transactions of its own and returns a result for each job. If another
 * transaction, for example a claim, has locked a job, the call tries it again a few times before it
 * reports the job as busy. Lists may have any length and are processed in batches. Safe for any
 * number of threads.
 *
 * <p>Every method throws {@link StoreException} when the database refused a statement or could not
 * be reached. Earlier batches remain committed; if a list of jobs was given, a {@link
 * PartialResultException} contains their results.
 */
public interface QueueAdmin {

  /**
   * Cancels jobs. A waiting job is archived as cancelled at once. A running job is asked to stop:
   * its worker reads the request within about a second and interrupts the handler. If the handler
   * still completes, the job is completed; any other end of the attempt, including a lost lease,
   * archives it as cancelled.
   *
   * @return a result for each job, in the order of the ids
   */
  List<CancelResult> cancel(List<JobId> jobs);

  /**
   * Makes dead jobs pending and due now, with fresh attempts; their history remains. A job whose
   * unique key another job has taken stays dead.
   *
   * @return a result for each job, in the order of the ids
   */
  List<RedriveResult> redrive(List<JobId> jobs);

  /**
   * Like {@link #redrive(List)}, for every dead job that matches.
   *
   * @return the number of redriven jobs, and the refused ones
   */
  RedriveSummary redriveAll(DeadJobs which);

  /**
   * Changes a job that waits for its due time or for a worker.
   *
   * @throws PayloadException if the new payload is refused; in that case nothing is changed
   */
  EditResult edit(JobId job, JobEdit edit);

  /**
   * Deletes dead jobs permanently.
   *
   * @return a result for each job, in the order of the ids
   */
  List<PruneResult> prune(List<JobId> jobs);

  /**
   * Permanently deletes every matching job that has been dead for longer than {@code age}, by the
   * database's clock.
   *
   * @param age 0 to 36,500 days
   * @return the number of deleted jobs
   */
  int pruneAll(DeadJobs which, Duration age);

  /**
   * Stops claims from a queue within a second, until it is resumed; running jobs finish. Pausing a
   * paused queue changes nothing, except that a pause of limited time becomes unlimited.
   */
  void pause(String queue);

  /**
   * Like {@link #pause(String)}, for a limited time: the pause ends on its own, even if the process
   * that requested it has died. To keep a queue paused while a process lives, repeat the call
   * before the time has passed. A longer pause is not changed; to shorten one, resume the queue
   * first.
   *
   * @param duration by the database's clock; positive and at most 36,500 days
   */
  void pause(String queue, Duration duration);

  /** Allows claims from a queue again. */
  void resume(String queue);

  /** Replaces the settings of a queue; does not change whether it is paused. */
  void configure(String queue, QueueSettings settings);

  /** Returns the settings of a queue; empty if none were ever set. */
  Optional<QueueSettings> settings(String queue);
}
