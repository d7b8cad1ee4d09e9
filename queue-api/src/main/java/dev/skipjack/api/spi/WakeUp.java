package dev.skipjack.api.spi;

/**
 * A notification that there is a new job in a lane. It is only a hint: the job may already have
 * been claimed, and one wake-up can represent several transactions.
 *
 * @param lane the queue and the priority of the job
 * @param kind the kind of the job
 */
public record WakeUp(Lane lane, String kind) {

  /** Announces that a schedule was added or changed. No queue has the name of its lane. */
  public static final WakeUp SCHEDULES = new WakeUp(new Lane("*", 0), "schedules");
}
