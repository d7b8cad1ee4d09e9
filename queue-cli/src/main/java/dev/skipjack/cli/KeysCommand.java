package dev.skipjack.cli;

import dev.skipjack.api.BlockedKey;
import dev.skipjack.api.SkipResult;
import dev.skipjack.store.jooq.JobQueue;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code skipjack keys}. */
@Command(
    name = "keys",
    description = "List ordering keys that a dead job blocks, and skip the job that holds a key.",
    subcommands = {KeysCommand.ListKeys.class, KeysCommand.Unblock.class, KeysCommand.Skip.class})
final class KeysCommand extends CommandGroup {

  private static final Fields<BlockedKey> KEY =
      Fields.<BlockedKey>none()
          .and("ordering_key", BlockedKey::orderingKey)
          .and("dead_job", BlockedKey::head)
          .andApart("queue", BlockedKey::queue)
          .and("kind", BlockedKey::kind)
          .and("died_at", BlockedKey::diedAt)
          .and("waiting", BlockedKey::waiting)
          .and("last_error", BlockedKey::lastError);

  private static CommandFailure notBlocked(String key) {
    return CommandFailure.nothing(
        "No dead job blocks the key '%s', or another transaction has locked that job."
            .formatted(key));
  }

  /** {@code skipjack keys list}. */
  @Command(
      name = "list",
      description = {
        "List the ordering keys that a dead job blocks, with the number of jobs behind it, up to 1,000.",
        "To run the dead job again in its place, use 'skipjack jobs redrive'."
      })
  static final class ListKeys extends QueueAction {

    ListKeys() {
      super(Access.READ);
    }

    @Override
    int run(JobQueue queue, Output output) {
      return output.listOrNote(
          "keys", KEY, queue.reader().blockedKeys(), "No ordering key is blocked.");
    }
  }

  /** {@code skipjack keys unblock}. */
  @Command(
      name = "unblock",
      description = {
        "Skip the dead job that blocks a key: the next job of the key runs.",
        "The dead job remains dead. A later redrive puts it behind the key's other jobs."
      })
  static final class Unblock extends QueueAction {

    @Parameters(paramLabel = "KEY", description = "The ordering key.")
    private String key;

    @SuppressWarnings("NullAway.Init") // picocli sets a required parameter before anything runs
    Unblock() {
      super(Access.WRITE);
    }

    @Override
    int run(JobQueue queue, Output output) {
      if (!queue.admin().unblock(key)) {
        throw notBlocked(key);
      }
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("ordering_key", key);
      members.put("unblocked", true);
      output.done("Unblocked the key '%s'.".formatted(key), members);
      return ExitCodes.DONE;
    }
  }

  /** {@code skipjack keys skip}. */
  @Command(
      name = "skip",
      description = {
        "Skip the job that holds a key: the next job of the key runs.",
        "A pending job, for example one that is delayed or waits for a retry, goes to the back of the key and keeps its due time. A dead job remains dead. A running job is not skipped."
      })
  static final class Skip extends QueueAction {

    @Parameters(paramLabel = "KEY", description = "The ordering key.")
    private String key;

    @SuppressWarnings("NullAway.Init") // picocli sets a required parameter before anything runs
    Skip() {
      super(Access.WRITE);
    }

    @Override
    int run(JobQueue queue, Output output) {
      SkipResult result = queue.admin().skipHead(key);
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("ordering_key", key);
      members.put("result", result);
      output.done(
          switch (result) {
            case SKIPPED -> "Skipped the job that held the key '%s'.".formatted(key);
            case RUNNING ->
                "The job that holds the key '%s' is running, so it was not skipped. To stop it, cancel it."
                    .formatted(key);
            case BUSY ->
                "Another transaction has locked the job that holds the key '%s'. Try again."
                    .formatted(key);
            case NO_HEAD -> "No job holds the key '%s'.".formatted(key);
          },
          members);
      return switch (result) {
        case SKIPPED -> ExitCodes.DONE;
        case RUNNING, BUSY -> ExitCodes.BAD_NEWS;
        case NO_HEAD -> ExitCodes.NOTHING_MATCHED;
      };
    }
  }
}
