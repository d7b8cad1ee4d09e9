package dev.skipjack.api;

/**
 * The id of a single attempt. Every claim creates a new one. It fences writes: a worker that has
 * lost its lease cannot change anything, because its execution id is no longer current.
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
