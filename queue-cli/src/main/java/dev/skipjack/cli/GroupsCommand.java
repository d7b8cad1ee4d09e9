package dev.skipjack.cli;

import dev.skipjack.api.operations.GroupSettings;
import dev.skipjack.api.operations.GroupState;
import dev.skipjack.store.jooq.JobQueue;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code skipjack groups}. */
@Command(
    name = "groups",
    description =
        "List the groups of a queue that have settings, set their weights, and pause and resume them.",
    subcommands = {
      GroupsCommand.ListGroups.class,
      GroupsCommand.SetGroup.class,
      GroupsCommand.Pause.class,
      GroupsCommand.Resume.class
    })
final class GroupsCommand extends CommandGroup {

  private static final String DEFAULT = "default";

  private static final Fields<GroupSettings> SETTINGS =
      Fields.<GroupSettings>none()
          .and("weight", GroupSettings::weight)
          .and(
              "max_running",
              settings ->
                  settings.maxRunning().isPresent()
                      ? (Integer) settings.maxRunning().getAsInt()
                      : null);

  private static final Fields<GroupState> GROUP =
      Fields.<GroupState>none()
          .and("group", GroupState::group)
          .andText("state", group -> group.paused() ? "paused" : "active")
          .andJson("paused", GroupState::paused)
          .and(SETTINGS.of(GroupState::settings))
          .and("paused_at", GroupState::pausedAt)
          .andApart("updated_at", GroupState::updatedAt);

  /** A group of a queue. */
  private static final class Chosen {

    @Parameters(paramLabel = "QUEUE", index = "0", description = "Name of the queue.")
    private String queue;

    @Parameters(
        paramLabel = "GROUP",
        index = "1",
        description = "Name of the group. Put -- in front of a name that begins with -.")
    private String group;

    @SuppressWarnings("NullAway.Init") // picocli sets a required parameter before the command runs
    private Chosen() {}

    Map<String, @Nullable Object> members() {
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("queue", queue);
      members.put("group", group);
      return members;
    }

    @Override
    public String toString() {
      return "Group '%s' of queue '%s'".formatted(Cell.safe(group), queue);
    }
  }

  /** {@code skipjack groups list}. */
  @Command(
      name = "list",
      description =
          "List the groups of a queue that have been configured or paused, up to 1,000. All others have a weight of 1.")
  static final class ListGroups extends QueueAction {

    @Parameters(paramLabel = "QUEUE", description = "Name of the queue.")
    private String name;

    @SuppressWarnings("NullAway.Init") // picocli sets a required parameter before the command runs
    ListGroups() {
      super(Access.READ);
    }

    @Override
    int run(JobQueue queue, Output output) {
      return output.listOrNote(
          "groups",
          GROUP,
          queue.reader().groups(name),
          "No group of the queue '%s' has settings.".formatted(name));
    }
  }

  /** {@code skipjack groups set}. */
  @Command(
      name = "set",
      description = "Set the weight of a group, or the number of its jobs that may run.")
  static final class SetGroup extends ChangeAction {

    @Mixin private Chosen chosen = new Chosen();

    @Option(
        names = "--weight",
        paramLabel = "N",
        description =
            "Share of the starts relative to other groups, from 1 to 100. Groups without settings have 1.")
    private @Nullable Integer weight;

    @Option(
        names = "--max-running",
        paramLabel = "N",
        description =
            "Maximum number of the group's jobs that run at the same time, instead of that of the queue's limit; 'default' removes it.")
    private @Nullable String maxRunning;

    SetGroup() {}

    @Override
    void check() {
      if (weight == null && maxRunning == null) {
        throw CommandFailure.input(
            "Nothing to set. Use at least one of --weight and --max-running.");
      }
      changed(GroupSettings.defaults());
    }

    @Override
    int run(JobQueue queue, Output output) {
      GroupSettings settings =
          changed(
              queue
                  .admin()
                  .groupSettings(chosen.queue, chosen.group)
                  .orElse(GroupSettings.defaults()));
      admin(queue).configureGroup(chosen.queue, chosen.group, settings);
      if (output.isJson()) {
        Map<String, @Nullable Object> document = chosen.members();
        document.putAll(SETTINGS.members(settings));
        output.document(document);
      } else {
        output.line("%s:".formatted(chosen));
        output.record(SETTINGS, settings);
      }
      return ExitCodes.DONE;
    }

    private GroupSettings changed(GroupSettings from) {
      OptionalInt most = from.maxRunning();
      if (maxRunning != null) {
        try {
          most =
              maxRunning.equals(DEFAULT)
                  ? OptionalInt.empty()
                  : OptionalInt.of(Integer.parseInt(maxRunning));
        } catch (NumberFormatException invalid) {
          throw CommandFailure.input(
              "--max-running is '%s', but must be a number or 'default'."
                  .formatted(Cell.safe(maxRunning)));
        }
      }
      return new GroupSettings(weight == null ? from.weight() : weight, most);
    }
  }

  /** {@code skipjack groups pause}. */
  @Command(
      name = "pause",
      description =
          "Pause a group. Workers stop claiming its jobs within a second; running jobs finish.")
  static final class Pause extends ChangeAction {

    @Mixin private Chosen chosen = new Chosen();

    Pause() {}

    @Override
    int run(JobQueue queue, Output output) {
      admin(queue).pauseGroup(chosen.queue, chosen.group);
      Map<String, @Nullable Object> members = chosen.members();
      members.put("paused", true);
      output.done("%s is paused.".formatted(chosen), members);
      return ExitCodes.DONE;
    }
  }

  /** {@code skipjack groups resume}. */
  @Command(name = "resume", description = "Resume a paused group.")
  static final class Resume extends ChangeAction {

    @Mixin private Chosen chosen = new Chosen();

    Resume() {}

    @Override
    int run(JobQueue queue, Output output) {
      admin(queue).resumeGroup(chosen.queue, chosen.group);
      Map<String, @Nullable Object> members = chosen.members();
      members.put("paused", false);
      output.done("%s is active.".formatted(chosen), members);
      return ExitCodes.DONE;
    }
  }
}
