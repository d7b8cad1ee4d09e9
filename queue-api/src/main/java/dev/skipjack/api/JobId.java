package dev.skipjack.api;

/**
 * The id of a job. It never changes, and is the same in the live table, the archive and the audit.
 *
 * @param value the numeric id; positive for every live job. Later enqueues usually get greater ids,
 *     with gaps. The history may contain other numbers
 */
public record JobId(long value) {

  /** Returns the number, as shown in logs and commands. */
  @Override
  public String toString() {
    return Long.toString(value);
  }
}
