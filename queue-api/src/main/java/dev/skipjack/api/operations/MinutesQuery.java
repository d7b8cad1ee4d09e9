package dev.skipjack.api.operations;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;

/**
 * The minutes that {@link JobReader#minutes} and {@link JobReader#depths} return. Immutable; each
 * method returns a changed copy.
 *
 * @param last how far the query reaches back from now, from a minute to {@link #KEPT}
 * @param step the length of the intervals of the result, a whole number of minutes
 * @param queues the queues to which it is restricted; empty for all
 */
public record MinutesQuery(Duration last, Duration step, Set<String> queues) {

  /** How long minutes are kept. */
  public static final Duration KEPT = Duration.ofDays(2);

  private static final long MOST_STEPS = 3_000;

  /**
   * Checks the durations and copies the set.
   *
   * @param last how far the query reaches back
   * @param step the length of the intervals
   * @param queues the queues
   * @throws IllegalArgumentException if a duration is out of bounds, or the result would have more
   *     than 3,000 intervals
   */
  public MinutesQuery {
    if (last.compareTo(Duration.ofMinutes(1)) < 0 || last.compareTo(KEPT) > 0) {
      throw new IllegalArgumentException(
          "Duration %s is not from a minute to %d days.".formatted(last, KEPT.toDays()));
    }
    if (step.compareTo(Duration.ofMinutes(1)) < 0
        || !step.equals(Duration.ofMinutes(step.toMinutes()))
        || last.dividedBy(step) > MOST_STEPS) {
      throw new IllegalArgumentException(
          "Step %s must be a whole number of minutes, and %s must not have more than %d of them."
              .formatted(step, last, MOST_STEPS));
    }
    queues = Set.copyOf(queues);
  }

  /**
   * {@return a query for all queues, in intervals of a minute}
   *
   * @param last how far the query reaches back
   */
  public static MinutesQuery last(Duration last) {
    return new MinutesQuery(last, Duration.ofMinutes(1), Set.of());
  }

  /**
   * Sets the length of the intervals. Default: a minute.
   *
   * @param interval the length
   * @return a copy with this change
   */
  public MinutesQuery every(Duration interval) {
    return new MinutesQuery(last, interval, queues);
  }

  /**
   * Restricts the query to some queues.
   *
   * @param names their names, at least one
   * @return a copy with this change
   */
  public MinutesQuery queues(Collection<String> names) {
    return new MinutesQuery(last, step, Set.copyOf(names));
  }
}
