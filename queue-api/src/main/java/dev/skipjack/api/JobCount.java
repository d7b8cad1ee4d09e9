package dev.skipjack.api;

/**
 * The number of live jobs of one queue, kind and status; or, with {@link #OTHERS} as kind, a note
 * that there may be more groups of that status than were counted.
 *
 * @param queue the queue; {@link #OTHERS} for any queue
 * @param kind the kind; {@link #OTHERS} for any kind without a count of its own
 * @param status pending, running, waiting or dead
 * @param jobs the number of jobs: at least one, or 0 with {@link #OTHERS}, because it is not known
 * @param estimated whether {@code jobs} is an estimate, because too many rows would have had to be
 *     read; its order of magnitude is usually right, but this is not guaranteed
 */
public record JobCount(String queue, String kind, JobStatus status, long jobs, boolean estimated) {

  /** Stands for the kinds or queues that may be missing; it is not a valid name. */
  public static final String OTHERS = "*";

  /** Whether this is a note that groups may be missing, not a count. */
  public boolean isOthers() {
    return kind.equals(OTHERS);
  }
}
