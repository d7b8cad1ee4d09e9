package dev.skipjack.api.spi;

/**
 * A partition that could not be dealt with now.
 *
 * @param partition its name, or the table's if no partition of it could be dealt with
 * @param reason why
 * @param detail what the database said; empty if the reason says it all
 */
public record Postponed(String partition, Reason reason, String detail) {

  /** One whose reason says it all. */
  public Postponed(String partition, Reason reason) {
    this(partition, reason, "");
  }

  /** Why a partition was left for later. */
  public enum Reason {
    /** Somebody reads it, or another maintainer is at it. */
    BUSY,
    /** An attempt that began in it still runs. */
    RUNNING,
    /** The time of the call was used up; the next goes on from there. */
    UNFINISHED,
    /** The database role may not do it: only the owner of the tables may. */
    FORBIDDEN,
    /** A table of that name exists that is no partition of the queue's. */
    IN_THE_WAY,
    /** A view, a foreign key or another object depends on the partition: drop that first. */
    DEPENDED_ON,
    /** The database refused for another reason, which the detail tells. */
    FAILED
  }
}
