package dev.skipjack.cli;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.BlockedKey;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.operations.SkipResult;
import dev.skipjack.store.jooq.JobQueue;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
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

  private static final String ONLY_THIS_JOB =
      "Skip only this job. If it no longer holds the key, nothing is changed.";

  /** The key that a command changes, given directly or by the job that holds it. */
  private static final class Chosen {

    @Parameters(
        paramLabel = "KEY",
        arity = "0..1",
        description =
            "The ordering key. Put -- in front of a key that begins with -. Not needed with --job.")
    private @Nullable String key;

    @Option(names = "--job", paramLabel = "JOB", description = ONLY_THIS_JOB)
    private @Nullable JobId job;

    void check() {
      if (key == null && job == null) {
        throw CommandFailure.input(
            "No key is named. Give the key, or the job that holds it with --job.");
      }
    }

    String find(JobQueue queue) {
      if (key != null) {
        return key;
      }
      JobId holder = Objects.requireNonNull(job);
      return queue
          .reader()
          .findWithoutPayload(holder)
          .map(JobDetails::orderingKey)
          .orElseThrow(
              () ->
                  CommandFailure.nothing(
                      "Job %s does not exist, or has no ordering key.".formatted(holder)));
    }
  }

  private static CommandFailure notBlocked(String key, @Nullable JobId job) {
    return CommandFailure.nothing(
        job == null
            ? "No dead job blocks the key '%s'.".formatted(key)
            : "Job %s does not block the key '%s'.".formatted(job, key));
  }

  /** {@code skipjack keys list}. */
  @Command(
      name = "list",
      description = {
        "List the ordering keys that a dead job blocks, with the number of jobs that wait for each key, up to 1,000.",
        "To run the dead job again in its place, use 'skipjack jobs redrive'; to skip it, 'skipjack keys unblock --job JOB'."
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
  static final class Unblock extends ChangeAction {

    @Mixin private Chosen chosen = new Chosen();

    Unblock() {}

    @Override
    void check() {
      chosen.check();
    }

    @Override
    int run(JobQueue queue, Output output) {
      String key = chosen.find(queue);
      JobId job = chosen.job;
      QueueAdmin admin = admin(queue);
      if (!(job == null ? admin.unblock(key) : admin.unblock(key, job))) {
        throw notBlocked(key, job);
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
  static final class Skip extends ChangeAction {

    @Mixin private Chosen chosen = new Chosen();

    Skip() {}

    @Override
    void check() {
      chosen.check();
    }

    @Override
    int run(JobQueue queue, Output output) {
      String key = chosen.find(queue);
      JobId job = chosen.job;
      QueueAdmin admin = admin(queue);
      SkipResult result = job == null ? admin.skipHead(key) : admin.skipHead(key, job);
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
            case OTHER_HEAD ->
                "Another job than %s holds the key '%s', so nothing was skipped."
                    .formatted(job, key);
            case NO_HEAD -> "No job holds the key '%s'.".formatted(key);
          },
          members);
      return switch (result) {
        case SKIPPED -> ExitCodes.DONE;
        case RUNNING, BUSY, OTHER_HEAD -> ExitCodes.BAD_NEWS;
        case NO_HEAD -> ExitCodes.NOTHING_MATCHED;
      };
    }
  }
}
