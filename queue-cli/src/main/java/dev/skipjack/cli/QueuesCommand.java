package dev.skipjack.cli;

import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.api.operations.JobCount;
import dev.skipjack.api.operations.QueuePause;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.spi.Names;
import dev.skipjack.store.jooq.JobQueue;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code skipjack queues}. */
@Command(
    name = "queues",
    description = "List queues, show one, pause and resume queues, and set their defaults.",
    subcommands = {
      QueuesCommand.ListQueues.class,
      QueuesCommand.Show.class,
      QueuesCommand.Pause.class,
      QueuesCommand.Resume.class,
      QueuesCommand.SetDefaults.class
    })
final class QueuesCommand extends CommandGroup {

  private static final Fields<JobCount> COUNTS =
      Fields.<JobCount>none()
          .and("kind", count -> count.isOthers() ? "(others)" : count.kind())
          .and("status", JobCount::status)
          .and("jobs", count -> count.isOthers() ? null : count.jobs())
          .and("estimated", JobCount::estimated);

  private static final Fields<QueueSettings> SETTINGS =
      Fields.<QueueSettings>none()
          .and("archive_retention_seconds", settings -> or(settings.archiveRetention()))
          .and("dead_retention_seconds", settings -> or(settings.deadRetention()))
          .and("default_priority", settings -> or(settings.defaultPriority()))
          .and("default_max_attempts", settings -> or(settings.defaultMaxAttempts()))
          .and("ordering_policy", settings -> or(settings.orderingPolicy()))
          .and("limit", settings -> or(settings.limit()))
          .and("fair", QueueSettings::isFair);

  private static <V> @Nullable V or(Optional<V> value) {
    return value.orElse(null);
  }

  private static @Nullable Integer or(OptionalInt value) {
    return value.isPresent() ? value.getAsInt() : null;
  }

  /** {@code skipjack queues list}. */
  @Command(
      name = "list",
      description = {
        "List the queues that have jobs, settings or workers.",
        "Numbers above 10,000 are estimates."
      })
  static final class ListQueues extends QueueAction {

    ListQueues() {
      super(Access.READ);
    }

    @Override
    int run(JobQueue queue, Output output) {
      List<QueueOverview> queues = Overview.read(queue).queues();
      return output.listOrNote(
          "queues",
          QueueOverview.FIELDS,
          queues,
          "There are no queues: no job, setting or worker names one.");
    }
  }

  /** {@code skipjack queues show}. */
  @Command(
      name = "show",
      description = "Show a queue with its settings, and count its jobs by kind and status.")
  static final class Show extends QueueAction {

    @Parameters(paramLabel = "QUEUE", description = "Name of the queue.")
    private String name;

    @SuppressWarnings("NullAway.Init") // picocli sets a required parameter before the command runs
    Show() {
      super(Access.READ);
    }

    @Override
    int run(JobQueue queue, Output output) {
      QueueOverview overview = Overview.read(queue).of(Names.requireQueue(name));
      if (!overview.isKnown()) {
        throw CommandFailure.nothing(
            "There is no queue '%s': no job, setting or worker names it.".formatted(name));
      }
      QueueSettings settings = queue.admin().settings(name).orElse(QueueSettings.defaults());
      List<JobCount> counts =
          queue.reader().counts().stream().filter(count -> count.queue().equals(name)).toList();
      if (output.isJson()) {
        Map<String, @Nullable Object> document = new LinkedHashMap<>();
        document.putAll(QueueOverview.FIELDS.members(overview));
        document.put("settings", SETTINGS.members(settings));
        document.put("counts", counts.stream().map(COUNTS::members).toList());
        output.document(document);
      } else {
        output.record(QueueOverview.FIELDS, overview);
        output.record(SETTINGS, settings);
        if (!counts.isEmpty()) {
          output.section("Jobs", COUNTS, counts);
        }
      }
      return ExitCodes.DONE;
    }
  }

  /** {@code skipjack queues pause}. */
  @Command(
      name = "pause",
      description = {
        "Pause a queue. Workers stop claiming its jobs within a second; running jobs finish.",
        "Jobs can still be enqueued. 'queues', 'why' and 'doctor' show the reason, of at most 500 characters, and who paused it."
      })
  static final class Pause extends ChangeAction {

    @Parameters(paramLabel = "QUEUE", description = "Name of the queue.")
    private String name;

    @Option(
        names = "--for",
        paramLabel = "DURATION",
        description = "How long to pause it, for example 15m. Default: until it is resumed.")
    private @Nullable Duration length;

    @SuppressWarnings("NullAway.Init") // picocli sets a required parameter before the command runs
    Pause() {}

    @Override
    void check() {
      pause();
    }

    private QueuePause pause() {
      return new QueuePause(length, actor().name(), actor().reason());
    }

    @Override
    int run(JobQueue queue, Output output) {
      boolean known = Overview.read(queue).of(Names.requireQueue(name)).isKnown();
      admin(queue).pause(name, pause());
      if (!known) {
        output.note(
            "No job, setting or worker names the queue '%s'; check the spelling.".formatted(name));
      }
      QueueOverview paused = Overview.read(queue).of(name);
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("queue", name);
      members.put("paused", paused.isPaused());
      members.put("paused_until", paused.pausedUntil());
      members.put("paused_by", paused.pausedBy());
      members.put("pause_reason", paused.pauseReason());
      output.done(sentence(paused), members);
      return ExitCodes.DONE;
    }
  }

  /** Describes the pause that applies, which may be an earlier and longer one. */
  private static String sentence(QueueOverview queue) {
    String by = queue.pausedBy() == null ? "" : " by " + Cell.safe(queue.pausedBy());
    String reason = queue.pauseReason() == null ? "" : " Reason: " + Cell.safe(queue.pauseReason());
    return "Queue '%s' is %s%s.%s".formatted(queue.name(), queue.pause(), by, reason);
  }

  /** {@code skipjack queues resume}. */
  @Command(name = "resume", description = "Resume a paused queue.")
  static final class Resume extends ChangeAction {

    @Parameters(paramLabel = "QUEUE", description = "Name of the queue.")
    private String name;

    @SuppressWarnings("NullAway.Init") // picocli sets a required parameter before the command runs
    Resume() {}

    @Override
    int run(JobQueue queue, Output output) {
      if (!Overview.read(queue).of(Names.requireQueue(name)).isPaused()) {
        throw CommandFailure.nothing("Queue '%s' is not paused.".formatted(name));
      }
      admin(queue).resume(name);
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("queue", name);
      members.put("paused", false);
      output.done("Queue '%s' is active.".formatted(name), members);
      return ExitCodes.DONE;
    }
  }

  /** {@code skipjack queues set}. */
  @Command(
      name = "set",
      description = {
        "Set defaults of a queue. Other defaults remain.",
        "The value 'default' removes a setting."
      })
  static final class SetDefaults extends ChangeAction {

    private static final String DEFAULT = "default";

    @Parameters(paramLabel = "QUEUE", description = "Name of the queue.")
    private String name;

    @Option(
        names = "--archive-retention",
        paramLabel = "DURATION",
        description =
            "How long completed and cancelled jobs are kept, for example 7d; 0s keeps none.")
    private @Nullable String archiveRetention;

    @Option(
        names = "--dead-retention",
        paramLabel = "DURATION",
        description = "How long dead jobs are kept. Default: until they are redriven or pruned.")
    private @Nullable String deadRetention;

    @Option(
        names = "--priority",
        paramLabel = "N",
        description = "Priority of jobs that set none, from -100 to 100.")
    private @Nullable String priority;

    @Option(
        names = "--max-attempts",
        paramLabel = "N",
        description = "Maximum attempts of jobs that set none, from 1 to 1000000.")
    private @Nullable String maxAttempts;

    @Option(
        names = "--ordering-policy",
        paramLabel = "POLICY",
        description =
            "What happens to the jobs behind a dead job of their ordering key: block, skip or park.")
    private @Nullable String orderingPolicy;

    @Option(
        names = "--limit",
        paramLabel = "NAME",
        description = "Limit that the queue obeys; see 'skipjack limits'.")
    private @Nullable String limit;

    @Option(
        names = "--fair",
        paramLabel = "true|false",
        description = "Whether the groups of the queue's jobs are served in turn. Default: false.")
    private @Nullable String fair;

    @SuppressWarnings("NullAway.Init") // picocli sets a required parameter before the command runs
    SetDefaults() {}

    @Override
    void check() {
      if (archiveRetention == null
          && deadRetention == null
          && priority == null
          && maxAttempts == null
          && orderingPolicy == null
          && limit == null
          && fair == null) {
        throw CommandFailure.input(
            "Nothing to set. Use at least one of --archive-retention, --dead-retention, --priority, --max-attempts, --ordering-policy, --limit and --fair.");
      }
      changed(QueueSettings.defaults());
    }

    @Override
    int run(JobQueue queue, Output output) {
      QueueSettings settings =
          changed(admin(queue).settings(Names.requireQueue(name)).orElse(QueueSettings.defaults()));
      admin(queue).configure(name, settings);
      if (output.isJson()) {
        Map<String, @Nullable Object> document = new LinkedHashMap<>();
        document.put("queue", name);
        document.putAll(SETTINGS.members(settings));
        output.document(document);
      } else {
        output.line("Settings of queue '%s':".formatted(name));
        output.record(SETTINGS, settings);
      }
      return ExitCodes.DONE;
    }

    private QueueSettings changed(QueueSettings from) {
      QueueSettings none = QueueSettings.defaults();
      QueueSettings archive =
          archiveRetention == null || archiveRetention.equals(DEFAULT)
              ? none
              : none.archiveRetention(duration("--archive-retention", archiveRetention));
      QueueSettings dead =
          deadRetention == null || deadRetention.equals(DEFAULT)
              ? none
              : none.deadRetention(duration("--dead-retention", deadRetention));
      QueueSettings ranked =
          priority == null || priority.equals(DEFAULT)
              ? none
              : none.defaultPriority(number("--priority", priority));
      QueueSettings tries =
          maxAttempts == null || maxAttempts.equals(DEFAULT)
              ? none
              : none.defaultMaxAttempts(number("--max-attempts", maxAttempts));
      QueueSettings ordered =
          orderingPolicy == null || orderingPolicy.equals(DEFAULT)
              ? none
              : none.orderingPolicy(policy(orderingPolicy));
      QueueSettings limited = limit == null || limit.equals(DEFAULT) ? none : none.limitedBy(limit);
      return new QueueSettings(
          (archiveRetention == null ? from : archive).archiveRetention(),
          (deadRetention == null ? from : dead).deadRetention(),
          (priority == null ? from : ranked).defaultPriority(),
          (maxAttempts == null ? from : tries).defaultMaxAttempts(),
          (orderingPolicy == null ? from : ordered).orderingPolicy(),
          (limit == null ? from : limited).limit(),
          fair == null ? from.isFair() : isFair(fair));
    }

    private static boolean isFair(String text) {
      return switch (text) {
        case "true" -> true;
        case "false", DEFAULT -> false;
        default ->
            throw CommandFailure.input(
                "--fair is '%s', but must be true, false or 'default'.".formatted(Cell.safe(text)));
      };
    }

    private static Duration duration(String option, String text) {
      try {
        return new DurationText().convert(text);
      } catch (TypeConversionException invalid) {
        throw CommandFailure.input("%s: %s".formatted(option, invalid.getMessage()));
      }
    }

    private static int number(String option, String text) {
      try {
        return Integer.parseInt(text);
      } catch (NumberFormatException invalid) {
        throw CommandFailure.input(
            "%s is '%s', but must be a number or 'default'.".formatted(option, text));
      }
    }

    private static OrderingPolicy policy(String text) {
      try {
        return OrderingPolicy.of(text);
      } catch (IllegalArgumentException invalid) {
        throw CommandFailure.input(
            "--ordering-policy is '%s', but must be block, skip, park or 'default'."
                .formatted(text));
      }
    }
  }
}
