package dev.skipjack.api;

/**
 * How many live jobs of one queue, kind and status there are; or, with {@link #OTHERS} as kind,
 * that there may be more groups of that status than were counted.
 *
 * @param queue the queue; {@link #OTHERS}: any queue
 * @param kind the kind; {@link #OTHERS}: any kind that has no count of its own
 * @param status pending, running, waiting or dead
 * @param jobs how many; at least one, and 0 with {@link #OTHERS}, because it is not known
 * @param estimated whether {@code jobs} was estimated because too many rows would have had to be
 *     read: right in its order of magnitude, and never promised
 */
public record JobCount(String queue, String kind, JobStatus status, long jobs, boolean estimated) {

  /** Stands for the kinds, or the queues, that may be missing; no name is like it. */
  public static final String OTHERS = "*";

  /** Whether this says that groups may be missing, and counts none. */
  public boolean isOthers() {
    return kind.equals(OTHERS);
  }
}
