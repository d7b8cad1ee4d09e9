package dev.skipjack.api.spi;

import dev.skipjack.api.WorkerId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A worker in the process that enqueues. Implementations are thread-safe and never throw. */
public interface LocalWorker {

  /**
   * {@return whether {@link #take} would probably return a slot} Does not block.
   *
   * @param job the job
   */
  boolean hasSlot(NewJob job);

  /**
   * Takes a free slot for a job that is about to be enqueued.
   *
   * @param job the job
   * @return the slot, or null if the worker does not serve the job's queue and kind, has no free
   *     slot for it, or must claim other jobs first
   */
  @Nullable TakenSlot take(NewJob job);

  /**
   * Takes a free slot like {@link #take}, for a job of a transaction that its caller commits later.
   * The worker gives at most half of its free slots to such jobs, and keeps each only for a short
   * time.
   *
   * @param job the job
   * @return the slot, or null as for {@link #take}
   */
  @Nullable TakenSlot takeInTransaction(NewJob job);

  /**
   * Wakes the worker for a job whose transaction has committed. Does not block.
   *
   * @param wakeUp the lane and the kind of the job
   */
  void expect(WakeUp wakeUp);

  /**
   * A slot that is reserved for one job. Call {@link #start}, {@link #free} or {@link #lost}. Only
   * the first of these calls has an effect.
   */
  interface TakenSlot {

    /** {@return the worker that will run the job} */
    WorkerId worker();

    /** {@return the duration of the lease} */
    Duration lease();

    /**
     * {@return the number of other free slots of the queue} If at most this many jobs come first,
     * this job delays none of them.
     */
    int spare();

    /** {@return what {@link #spare()} would return now} */
    int spareNow();

    /**
     * {@return whether the slot is still kept} If not, because the worker stops or the time has
     * passed, the job should become pending again.
     */
    boolean isKept();

    /**
     * Runs the job, whose transaction has committed, in the slot.
     *
     * @param job the job
     */
    void start(ClaimedJob job);

    /**
     * Frees the slot, because the job is not running: it was not inserted as such, or its
     * transaction was rolled back, or it is pending again.
     *
     * @param jobsAhead whether other jobs of the queue come first or the queue is paused. If so,
     *     {@link LocalWorker#take} returns no slot of the queue until the worker's next claim
     */
    void free(boolean jobsAhead);

    /**
     * Frees the slot, because the response to the enqueue was lost. The job may be running; the
     * worker finds and releases it.
     */
    void lost();
  }
}
