package dev.skipjack.api;

import java.util.Locale;

/**
 * The status of a job. The transitions between statuses are documented in {@code
 * docs/job-lifecycle.md}. The store's {@code StatusesTest} compares this list with the schema.
 */
public enum JobStatus {
  /** Waiting for its due time or for a worker. */
  PENDING,
  /** Claimed by a worker, which renews the lease while the job runs. */
  RUNNING,
  /** Waiting behind an earlier job of its ordering key. */
  WAITING,
  /**
   * Not run again: its last attempt failed or lost its lease, a failure ruled out further attempts,
   * or the job was parked. The job is kept until it is redriven or pruned.
   */
  DEAD,
  /** Completed by its handler. Only archived jobs have this status. */
  COMPLETED,
  /** Cancelled by an operator, its handler or its schedule. Only archived jobs have this status. */
  CANCELLED;

  private final String literal = name().toLowerCase(Locale.ROOT);

  /** {@return the value that represents this status in the database} */
  public String literal() {
    return literal;
  }

  /**
   * {@return the status that a database value represents}
   *
   * @param literal the value in the database
   * @throws IllegalArgumentException if no status has this value
   */
  public static JobStatus of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }

  /** {@return whether jobs with this status are in the live table rather than the archive} */
  public boolean isLive() {
    return switch (this) {
      case PENDING, RUNNING, WAITING, DEAD -> true;
      case COMPLETED, CANCELLED -> false;
    };
  }
}
