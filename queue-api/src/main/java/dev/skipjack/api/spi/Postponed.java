package dev.skipjack.api.spi;

/**
 * A partition that could not be created or removed now.
 *
 * @param partition name of the partition, or of the table if none of its partitions could be
 *     processed
 * @param reason the reason
 * @param detail message of the database; empty if the reason is sufficient
 */
public record Postponed(String partition, Reason reason, String detail) {

  /** Creates an instance without details. */
  public Postponed(String partition, Reason reason) {
    this(partition, reason, "");
  }

  /** Why a partition could not be created or removed now. */
  public enum Reason {
    /** Another session reads it, or another worker is maintaining it. */
    BUSY,
    /** An attempt that started in it is still running. */
    RUNNING,
    /** The call ran out of time; the next one continues from there. */
    UNFINISHED,
    /** The database role lacks the right: only the owner of the tables may do it. */
    FORBIDDEN,
    /** A table of that name exists that is not a partition of the queue. */
    IN_THE_WAY,
    /** A view, a foreign key or another object depends on the partition: drop that first. */
    DEPENDED_ON,
    /** The database refused for another reason, which is in the detail. */
    FAILED
  }
}
