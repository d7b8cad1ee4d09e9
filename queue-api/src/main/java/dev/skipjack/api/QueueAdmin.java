package dev.skipjack.api;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a person does to jobs and queues: cancel, redrive, edit, prune, pause. Workers need none of
 * it.
 *
 * <p>Each call runs in short transactions of its own and answers for each job what became of it; a
 * job that somebody holds for a moment, a claimer for instance, is asked for again a few times
 * before it is answered as busy. Lists may be of any length and are worked through in bounded
 * batches. Safe for any number of threads.
 *
 * <p>Every method throws {@link StoreException} when the database refused or was not reached. The
 * batches before that stand; where a list of jobs was given, a {@link PartialResultException}
 * carries their results.
 */
public interface QueueAdmin {

  /**
   * Calls jobs off. One that waits is archived as cancelled at once. A running one is asked to
   * stop: its worker hears it within about a second and interrupts the handler; if that completes
   * all the same the job is completed, any other end of the attempt, a lost lease included,
   * archives it as cancelled.
   *
   * @return an answer for each job in the order of the ids
   */
  List<CancelResult> cancel(List<JobId> jobs);

  /**
   * Gives dead jobs fresh attempts, due now; their history stays. A job whose unique key was taken
   * meanwhile is left dead.
   *
   * @return an answer for each job in the order of the ids
   */
  List<RedriveResult> redrive(List<JobId> jobs);

  /**
   * As {@link #redrive(List)} for every dead job that fits.
   *
   * @return how many were redriven, and which could not be
   */
  RedriveSummary redriveAll(DeadJobs which);

  /**
   * Changes a job that waits for its time or a worker.
   *
   * @throws PayloadException if the new payload is refused; nothing is changed then
   */
  EditResult edit(JobId job, JobEdit edit);

  /**
   * Deletes dead jobs for good.
   *
   * @return an answer for each job in the order of the ids
   */
  List<PruneResult> prune(List<JobId> jobs);

  /**
   * Deletes for good every dead job that fits and died longer ago than {@code age}, by the
   * database's clock.
   *
   * @param age 0 to 36,500 days
   * @return how many were deleted
   */
  int pruneAll(DeadJobs which, Duration age);

  /**
   * Stops claims from a queue within a second, until it is resumed; running jobs finish. Pausing a
   * paused queue changes nothing, except that a pause of limited time becomes unlimited.
   */
  void pause(String queue);

  /**
   * As {@link #pause(String)}, for a limited time: the pause ends by itself, also when the process
   * that asked for it has died. To keep a queue paused while a process lives, repeat the call
   * before the time has passed. A pause that lasts longer already is left as it is; to shorten one,
   * resume the queue first.
   *
   * @param duration by the database's clock; positive and at most 36,500 days
   */
  void pause(String queue, Duration duration);

  /** Allows claims from a queue again. */
  void resume(String queue);

  /** Replaces what is set for a queue; whether it is paused stays. */
  void configure(String queue, QueueSettings settings);

  /** What is set for a queue; empty when nobody ever set anything. */
  Optional<QueueSettings> settings(String queue);
}
