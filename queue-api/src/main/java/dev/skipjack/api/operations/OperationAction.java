package dev.skipjack.api.operations;

import dev.skipjack.api.JobStatus;
import java.util.Locale;

/** The action that a bulk operation applies to each of its jobs. */
public enum OperationAction {
  /** Redrives dead jobs, as {@link QueueAdmin#redrive} does. */
  REDRIVE,
  /** Makes pending jobs due immediately. */
  RUN_NOW,
  /** Cancels jobs that are not dead, as {@link QueueAdmin#cancel} does. */
  CANCEL,
  /** Deletes dead jobs permanently, as {@link QueueAdmin#prune} does. */
  PRUNE,
  /** Changes the payloads of jobs that are not running by a JSON merge patch. */
  EDIT;

  /** {@return the value that represents this action in the database} */
  public String literal() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * {@return the action that a database value represents}
   *
   * @param literal the value in the database
   * @throws IllegalArgumentException if no action has this value
   */
  public static OperationAction of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }

  /**
   * {@return a filter with the status of the jobs that this action changes}
   *
   * @param filter selects the jobs
   * @throws IllegalArgumentException if the filter does not list live jobs by id, or lists jobs of
   *     another status
   */
  public JobQuery restrict(JobQuery filter) {
    if (filter.order() != JobOrder.ID) {
      throw new IllegalArgumentException(
          "A bulk operation changes live jobs. Begin its filter with JobQuery.live().");
    }
    JobStatus needed =
        switch (this) {
          case REDRIVE, PRUNE -> JobStatus.DEAD;
          case RUN_NOW -> JobStatus.PENDING;
          case CANCEL, EDIT -> null;
        };
    if (needed == null) {
      return filter;
    }
    if (filter.status() != null && filter.status() != needed) {
      throw new IllegalArgumentException(
          "%s changes jobs of the status %s, not %s.".formatted(this, needed, filter.status()));
    }
    return filter.status(needed);
  }
}
