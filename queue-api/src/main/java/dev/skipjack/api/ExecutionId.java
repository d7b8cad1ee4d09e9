package dev.skipjack.api;

/**
 * The id of a single attempt. Every claim creates a new one. It fences writes: a worker that has
 * lost its lease cannot change anything, because its execution id is no longer current.
 *
 * @param value the numeric id; positive and never reused. Other numbers are allowed, because the
 *     history may contain them
 */
public record ExecutionId(long value) {

  /** Returns the number, as shown in logs and commands. */
  @Override
  public String toString() {
    return Long.toString(value);
  }
}
