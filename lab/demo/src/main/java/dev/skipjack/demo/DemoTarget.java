package dev.skipjack.demo;

/**
 * The database that the demo runs on.
 *
 * @param jdbcUrl the URL, which may contain a password: keep it out of messages
 * @param name the name of the database in messages
 * @param resumeHint the options to add to {@code skipjack demo --resume} to name this database
 *     again; may be empty
 */
public record DemoTarget(String jdbcUrl, String name, String resumeHint) {

  /** Omits the password. */
  @Override
  public String toString() {
    return name;
  }
}
