package dev.skipjack.api.operations;

import dev.skipjack.api.JobId;
import dev.skipjack.api.PartialResultException;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.QueueException;
import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Administrative operations on jobs and queues, such as cancelling, redriving, editing and pruning
 * jobs or pausing queues. Workers do not need this interface.
 *
 * <p>Each call runs its own short transactions. Commands on jobs return a result for each job. If a
 * job is locked by another transaction, such as a claim, the command is retried for about a second
 * before it reports the job as busy. Lists may have any length and are processed in batches.
 * Implementations are thread-safe.
 *
 * <p>Every method throws a {@link StoreException} if the database rejects a statement or cannot be
 * reached. Batches that have already been processed remain committed. For a list of jobs, a {@link
 * PartialResultException} contains their results.
 */
public interface QueueAdmin {

  /**
   * {@return the same operations, which record who makes each change and why} The record is written
   * in the transaction of the change, and {@link JobOperations#changes} lists it. A change of many
   * jobs by {@link #redriveAll} or {@link #pruneAll} is recorded once it has ended. The role must
   * be allowed to insert into the table {@code job_changes}.
   *
   * @param actor the operator, from 1 to 200 characters
   * @param reason why the changes are made, at most 1,000 characters; null if there is no reason
   * @throws IllegalArgumentException if {@code actor} is blank, or a text is too long
   */
  QueueAdmin as(String actor, @Nullable String reason);

  /**
   * Cancels jobs. A pending or waiting job is archived as cancelled immediately, and a dead job is
   * not changed. For a running job, cancellation is requested: its worker reads the request within
   * about a second and interrupts the handler. If the handler still completes the job, the job is
   * completed. If the attempt ends in any other way, including a lost lease, the job is archived as
   * cancelled.
   *
   * @param jobs the ids of the jobs
   * @return a result for each job, in the order of the ids
   */
  List<CancelResult> cancel(List<JobId> jobs);

  /**
   * Redrives dead jobs: they become pending and immediately due, with fresh attempts. Their history
   * is kept. A job that does not hold its ordering key waits behind the other jobs of the key. A
   * job whose unique key has been taken by another job remains dead.
   *
   * @param jobs the ids of the jobs
   * @return a result for each job, in the order of the ids
   */
  List<RedriveResult> redrive(List<JobId> jobs);

  /**
   * Redrives every dead job that matches the filter.
   *
   * @param which selects the dead jobs
   * @return the number of redriven jobs, and the jobs that could not be redriven
   */
  RedriveSummary redriveAll(DeadJobs which);

  /**
   * Changes a job that is pending, waits for its ordering key, or is dead. The job keeps its
   * ordering key and its position, even if the type derives the key from the payload. A dead job
   * remains dead until it is redriven, and its due time cannot be changed.
   *
   * @param job the id of the job
   * @param edit the changes to apply
   * @return whether the job was changed, or why not
   * @throws PayloadException if the new payload is rejected; in that case, nothing is changed
   */
  EditResult edit(JobId job, JobEdit edit);

  /**
   * Unblocks an ordering key: skips the dead job that holds it, so that the next job of the key
   * becomes pending. The dead job remains dead. A later redrive puts it behind the key's other
   * jobs.
   *
   * <p>To skip only the head of a {@link BlockedKey} that you have read, use {@link
   * #unblock(String, JobId)}.
   *
   * @param orderingKey the ordering key
   * @return whether a dead job held the key
   * @throws QueueException if another transaction has locked that job for about a second
   */
  boolean unblock(String orderingKey);

  /**
   * Unblocks an ordering key like {@link #unblock(String)}, but only if {@code head} is the dead
   * job that holds it.
   *
   * @param orderingKey the ordering key
   * @param head the job that must hold the key
   * @return whether that job was dead and held the key
   * @throws QueueException if another transaction has locked that job for about a second
   */
  boolean unblock(String orderingKey, JobId head);

  /**
   * Skips the job that holds an ordering key, so that the next job of the key becomes pending. A
   * pending job, for example one that is delayed or waits for a retry, goes to the back of the key
   * and keeps its due time. If no other job waits, it becomes the head again. A dead job remains
   * dead, as with {@link #unblock(String)}. A running job is not skipped.
   *
   * <p>To skip only a job that you have read before, use {@link #skipHead(String, JobId)}.
   *
   * @param orderingKey the ordering key
   * @return which job was skipped, or why none was
   */
  SkipResult skipHead(String orderingKey);

  /**
   * Skips a job like {@link #skipHead(String)}, but only if {@code head} holds the key.
   *
   * @param orderingKey the ordering key
   * @param head the job that must hold the key
   * @return which job was skipped, or why none was
   */
  SkipResult skipHead(String orderingKey, JobId head);

  /**
   * Deletes dead jobs permanently.
   *
   * @param jobs the ids of the jobs
   * @return a result for each job, in the order of the ids
   */
  List<PruneResult> prune(List<JobId> jobs);

  /**
   * Permanently deletes every job that matches the filter and has been dead for longer than {@code
   * age}, by the database clock.
   *
   * @param which selects the dead jobs
   * @param age how long the jobs must have been dead, from 0 to 36,500 days
   * @return the number of deleted jobs
   */
  default int pruneAll(DeadJobs which, Duration age) {
    return pruneAll(which, age, deleted -> {});
  }

  /**
   * Deletes dead jobs like {@link #pruneAll(DeadJobs, Duration)} and reports the progress.
   *
   * @param which selects the dead jobs
   * @param age how long the jobs must have been dead
   * @param progress a callback that receives the number of jobs deleted so far after each batch has
   *     been committed; an exception that it throws ends the call
   * @return the number of deleted jobs
   */
  int pruneAll(DeadJobs which, Duration age, IntConsumer progress);

  /**
   * Pauses a queue until it is resumed. Workers stop claiming its jobs within a second, and running
   * jobs finish. If the queue is already paused for a limited time, the pause becomes unlimited.
   *
   * @param queue the name of the queue
   */
  default void pause(String queue) {
    pause(queue, QueuePause.untilResumed());
  }

  /**
   * Pauses a queue for a limited time. The pause ends on its own, even if the process that
   * requested it has ended. To keep a queue paused for as long as a process runs, repeat the call
   * before the time has elapsed. If the queue is already paused for longer, the pause is not
   * changed. To shorten it, resume the queue first.
   *
   * @param queue the name of the queue
   * @param duration the length of the pause, measured by the database clock; positive and at most
   *     36,500 days
   */
  default void pause(String queue, Duration duration) {
    pause(queue, QueuePause.of(duration));
  }

  /**
   * Pauses a queue and records who requested the pause and why, which {@link JobReader#queues},
   * {@link JobReader#why} and the {@link Doctor} report. If the queue is already paused for at
   * least as long, nothing is changed. Otherwise this pause replaces the earlier one and its
   * record.
   *
   * @param queue the name of the queue
   * @param pause how long, by whom and why
   */
  void pause(String queue, QueuePause pause);

  /**
   * Resumes a paused queue.
   *
   * @param queue the name of the queue
   */
  void resume(String queue);

  /**
   * Replaces the settings of a queue. This does not affect whether the queue is paused.
   *
   * @param queue the name of the queue
   * @param settings the settings
   * @throws QueueException if the settings name a limit that does not exist
   */
  void configure(String queue, QueueSettings settings);

  /**
   * Sets the settings of a queue unless they have been set before, by this method or by {@link
   * #configure}. Applications call it when they start: what an operator has changed since then
   * remains.
   *
   * @param queue the name of the queue
   * @param settings the settings
   * @return whether the settings were set; false if the queue keeps those that it has
   * @throws QueueException if the settings name a limit that does not exist
   */
  boolean declare(String queue, QueueSettings settings);

  /**
   * {@return the settings of a queue, or empty if it has never been configured or paused}
   *
   * @param queue the name of the queue
   */
  Optional<QueueSettings> settings(String queue);

  /**
   * Creates a limit, or replaces its numbers. Workers obey it from their next claim on, and running
   * jobs are not stopped. A limit applies to the queues whose settings name it, see {@link
   * QueueSettings#limitedBy}.
   *
   * @param name the name of the limit, 1 to 63 of the characters {@code a-z 0-9 _ . -}
   * @param limit the numbers
   */
  void limit(String name, Limit limit);

  /**
   * Creates a limit unless it exists. Applications call it when they start: what an operator has
   * changed since then remains. A limit that an operator has removed is created again, so lift a
   * limit by {@link Limit#none} instead.
   *
   * @param name the name of the limit
   * @param limit the numbers
   * @return whether the limit was created; false if it keeps the numbers that it has
   */
  boolean declareLimit(String name, Limit limit);

  /**
   * Removes a limit that no queue names.
   *
   * @param name the name of the limit
   * @return whether it existed
   * @throws QueueException if a queue names it; the message contains these queues
   */
  boolean removeLimit(String name);

  /**
   * Forgets the starts that the rate of a limit remembers, and ends throttles of the limit and of
   * its groups: the next claim finds the rate unused. Does not affect the number of running jobs.
   * Use it if a throttle is too long, or after the clock of the database was set back.
   *
   * @param name the name of the limit
   * @return whether the limit exists
   */
  boolean resetLimit(String name);

  /**
   * {@return the numbers of a limit, or empty if it does not exist}
   *
   * @param name the name of the limit
   */
  Optional<Limit> limit(String name);

  /**
   * Configures a group of a queue that differs from the others. Workers obey the settings from
   * their next claim on. This does not affect whether the group is paused.
   *
   * @param queue the name of the queue
   * @param group the name of the group
   * @param settings the settings
   * @throws QueueException if the settings would have no effect: because the queue neither is fair
   *     nor has a limit, or because it has no limit and the settings contain {@link
   *     GroupSettings#maxRunning}
   */
  void configureGroup(String queue, String group, GroupSettings settings);

  /**
   * {@return the settings of a group, or empty if it has never been configured or paused}
   *
   * @param queue the name of the queue
   * @param group the name of the group
   */
  Optional<GroupSettings> groupSettings(String queue, String group);

  /**
   * Pauses a group of a queue until it is resumed. Workers stop claiming its jobs within a second,
   * and running jobs finish. If the group is already paused, nothing is changed.
   *
   * @param queue the name of the queue
   * @param group the name of the group
   * @throws QueueException if the queue neither is fair nor has a limit, because workers do not
   *     read the groups of such a queue
   */
  void pauseGroup(String queue, String group);

  /**
   * Resumes a paused group.
   *
   * @param queue the name of the queue
   * @param group the name of the group
   */
  void resumeGroup(String queue, String group);
}
