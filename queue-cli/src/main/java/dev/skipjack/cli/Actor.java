package dev.skipjack.cli;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.store.jooq.JobQueue;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options with which a change is recorded: who makes it, and why. */
final class Actor {

  /** The SQLSTATE with which the server refuses a record of a role that may not write records. */
  private static final Optional<String> NO_PRIVILEGE = Optional.of("42501");

  private final Environment environment;

  @Option(
      names = "--as",
      paramLabel = "NAME",
      description =
          "Name under which the change is recorded. Default: the variable SKIPJACK_ACTOR or, if it is not set, your user and host.")
  private @Nullable String name;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Why you make the change, at most 1,000 characters. Recorded with it.")
  private @Nullable String reason;

  Actor(Environment environment) {
    this.environment = environment;
  }

  String name() {
    return name == null ? environment.actor() : name;
  }

  @Nullable String reason() {
    return reason;
  }

  /** Returns the administration that records the actor and the reason of each change. */
  QueueAdmin admin(JobQueue queue) {
    return queue.admin().as(name(), reason);
  }

  /**
   * Records a change that was made in another way than with {@link #admin}.
   *
   * @param of the queue whose job or schedule was changed; null if there is none
   */
  void record(JobQueue queue, String action, @Nullable String of, String target) {
    queue.operations().record(name(), reason, action, of, target);
  }

  /**
   * Records a change like {@link #record}, unless the role may not. The roles of producers and
   * workers may make some changes, but write no records.
   */
  void recordIfAllowed(JobQueue queue, String action, @Nullable String of, String target) {
    try {
      record(queue, action, of, target);
    } catch (StoreException refused) {
      if (!refused.sqlState().equals(NO_PRIVILEGE)) {
        throw refused;
      }
    }
  }
}
