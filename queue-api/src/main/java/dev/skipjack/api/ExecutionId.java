package dev.skipjack.api;

/**
 * The id of a single attempt. Every claim creates a new one. It fences writes: a worker that has
 * lost its lease cannot change anything, because its execution id is no longer current.
 *
 * @param value the numeric id; positive and never reused
 */
public record ExecutionId(long value) {

  /**
   * Creates an execution id.
   *
   * @throws IllegalArgumentException if {@code value} is not positive
   */
  public ExecutionId {
    if (value < 1) {
      throw new IllegalArgumentException("Execution id %d is not positive.".formatted(value));
    }
  }

  /** Returns the number, as shown in logs and commands. */
  @Override
  public String toString() {
    return Long.toString(value);
  }
}
