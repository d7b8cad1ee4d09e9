package dev.skipjack.api;

/**
 * Identity of one attempt. Every claim creates a new one; it is the fence that prevents a worker
 * that has lost its lease from changing anything.
 *
 * @param value positive; never used twice
 */
public record ExecutionId(long value) {

  /** Rejects values that are not positive. */
  public ExecutionId {
    if (value < 1) {
      throw new IllegalArgumentException("Execution id %d is not positive.".formatted(value));
    }
  }

  /** The plain number, as shown in logs and commands. */
  @Override
  public String toString() {
    return Long.toString(value);
  }
}
