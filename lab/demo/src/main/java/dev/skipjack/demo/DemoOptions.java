package dev.skipjack.demo;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a run of the demo. Exceptions name the options of the command.
 *
 * @param input the file of deliveries, one JSON object per line; null for generated deliveries
 * @param jobs the number of deliveries to send, for which the input is repeated or truncated and
 *     all deliveries get new ids; null for the input as it is, or 1,000 generated deliveries
 * @param resume whether to send nothing, and to finish and verify the jobs that an earlier run left
 * @param database the database; null for an embedded PostgreSQL, whose data is kept
 */
public record DemoOptions(
    @Nullable Path input, @Nullable Long jobs, boolean resume, @Nullable Database database) {

  /**
   * A database that the user named.
   *
   * @param jdbcUrl the URL, which may contain a password: keep it out of messages
   * @param name the name of the database in messages
   */
  public record Database(String jdbcUrl, String name) {

    /** Omits the password. */
    @Override
    public String toString() {
      return name;
    }
  }

  /**
   * Checks the settings.
   *
   * @throws RefusedException if they contradict each other, or a number is out of range
   */
  public DemoOptions {
    if (resume && (jobs != null || input != null)) {
      throw new RefusedException("--resume sends nothing: leave out --jobs and --input.");
    }
    if (jobs != null && jobs < 1) {
      throw new RefusedException(
          "--jobs is %d, but at least 1 delivery is needed.".formatted(jobs));
    }
  }
}
