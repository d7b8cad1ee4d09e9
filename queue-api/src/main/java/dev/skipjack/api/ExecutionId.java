package dev.skipjack.api;

/**
 * Identity of one attempt. The claim mints a new one each time; it is the fence that keeps a worker
 * which lost its lease from changing anything.
 *
 * @param value positive; never used twice
 */
public record ExecutionId(long value) {

  /** Refuses what no execution can have. */
  public ExecutionId {
    if (value < 1) {
      throw new IllegalArgumentException("Execution id %d is not positive.".formatted(value));
    }
  }

  /** The bare number, as logs and commands show it. */
  @Override
  public String toString() {
    return Long.toString(value);
  }
}
