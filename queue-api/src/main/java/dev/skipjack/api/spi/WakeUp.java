package dev.skipjack.api.spi;

import org.jspecify.annotations.Nullable;

/**
 * A notification that there is a new job in a lane. It is only a hint: the job may already have
 * been claimed, and one wake-up can represent several transactions.
 *
 * @param lane the queue and the priority of the job
 * @param kind the kind of the job
 * @param orderingKey the ordering key, if the job waits until a worker {@linkplain
 *     OrderedJobs#promote promotes} it; null if the job is pending
 */
public record WakeUp(Lane lane, String kind, @Nullable String orderingKey) {

  /**
   * The wake-up that announces a new or changed schedule. Its lane contains a name that no queue
   * can have.
   */
  public static final WakeUp SCHEDULES = new WakeUp(new Lane("*", 0), "schedules");

  /**
   * Creates a wake-up for a pending job.
   *
   * @param lane the lane
   * @param kind the kind of the job
   */
  public WakeUp(Lane lane, String kind) {
    this(lane, kind, null);
  }
}
