package dev.skipjack.api;

/**
 * The id of a single attempt. Every claim creates a new one. It fences writes: after a job has been
 * rescued, its previous worker cannot change it, because the execution id of that worker is no
 * longer current.
 *
 * @param value the numeric id; positive for every new execution and never reused, but the history
 *     may contain other numbers
 */
public record ExecutionId(long value) {

  /** Returns the number, as shown in logs and commands. */
  @Override
  public String toString() {
    return Long.toString(value);
  }
}
