package dev.skipjack.api.spi;

/**
 * A partition whose creation or removal was postponed.
 *
 * @param partition the name of the partition, or of the table if none of its partitions could be
 *     processed
 * @param reason the reason for the postponement
 * @param detail the message of the database; empty if the reason is sufficient
 */
public record Postponed(String partition, Reason reason, String detail) {

  /**
   * Creates an instance without details.
   *
   * @param partition the name of the partition
   * @param reason the reason
   */
  public Postponed(String partition, Reason reason) {
    this(partition, reason, "");
  }

  /** The reason why the creation or removal of a partition was postponed. */
  public enum Reason {
    /** Another session is reading the partition, or another worker is maintaining it. */
    BUSY,
    /** An attempt that started in the partition is still running. */
    RUNNING,
    /** The call ran out of time; the next one continues where it stopped. */
    UNFINISHED,
    /** The database role lacks a privilege. Only the owner of a table can remove its partitions. */
    FORBIDDEN,
    /** A table with this name already exists but is not a partition of the queue. */
    IN_THE_WAY,
    /**
     * A view, a foreign key or another object depends on the partition and must be dropped first.
     */
    DEPENDED_ON,
    /** The database rejected the statement for another reason, which the detail states. */
    FAILED
  }
}
