package dev.skipjack.steps;

/**
 * The id of a batch. No job has the same id.
 *
 * @param value the id, above 0
 */
public record BatchId(long value) {

  /**
   * Checks the id.
   *
   * @param value the id
   * @throws IllegalArgumentException if it is not above 0
   */
  public BatchId {
    if (value < 1) {
      throw new IllegalArgumentException("Batch id %d must be above 0.".formatted(value));
    }
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
