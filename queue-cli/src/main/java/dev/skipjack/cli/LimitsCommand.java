package dev.skipjack.cli;

import dev.skipjack.api.operations.HeldLane;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.LimitState;
import dev.skipjack.api.operations.Rate;
import dev.skipjack.api.spi.Names;
import dev.skipjack.store.jooq.JobQueue;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code skipjack limits}. */
@Command(
    name = "limits",
    description =
        "List, set and remove limits of running jobs and starts, and show what they hold.",
    subcommands = {
      LimitsCommand.ListLimits.class,
      LimitsCommand.Held.class,
      LimitsCommand.SetLimit.class,
      LimitsCommand.Reset.class,
      LimitsCommand.Remove.class
    })
final class LimitsCommand extends CommandGroup {

  /** The value of an option that removes a number. */
  private static final String NONE = "none";

  private static final Fields<Limit> NUMBERS =
      Fields.<Limit>none()
          .and("max_running", limit -> orNull(limit.maxRunning()))
          .and("max_running_per_group", limit -> orNull(limit.maxRunningPerGroup()))
          .andText("rate", limit -> limit.rate().map(LimitsCommand::text).orElse(null))
          .andJson("rate_kind", rate(rate -> rate.kind().literal()))
          .andJson("rate_count", rate(Rate::count))
          .andJson("rate_period_seconds", rate(Rate::period))
          .andJson("rate_burst", rate(Rate::burst))
          .andJson("rate_per_group", rate(Rate::isPerGroup));

  private static final Fields<LimitState> LIMIT =
      Fields.<LimitState>none()
          .and("limit", LimitState::name)
          .and("running", LimitState::running)
          .and(NUMBERS.of(LimitState::limit))
          .and("queues", LimitState::queues)
          .andApart("updated_at", LimitState::updatedAt);

  private static final Fields<HeldLane> LANE =
      Fields.<HeldLane>none()
          .and("queue", HeldLane::queue)
          .and("group", HeldLane::group)
          .and("cause", HeldLane::cause)
          .and("limit", HeldLane::limit)
          .and("running", HeldLane::running)
          .and("most", HeldLane::most)
          .and("opens_at", HeldLane::opensAt)
          .and("due", HeldLane::due);

  private static @Nullable Integer orNull(OptionalInt number) {
    return number.isPresent() ? (Integer) number.getAsInt() : null;
  }

  private static Function<Limit, @Nullable Object> rate(Function<Rate, Object> part) {
    return limit -> limit.rate().map(part).orElse(null);
  }

  private static String text(Rate rate) {
    return "%d/%s %s%s%s"
        .formatted(
            rate.count(),
            Cell.of(rate.period()),
            rate.kind().literal(),
            rate.kind() == Rate.Kind.BUCKET ? " of " + rate.burst() : "",
            rate.isPerGroup() ? ", per group" : "");
  }

  /** {@code skipjack limits list}. */
  @Command(
      name = "list",
      description =
          "List the limits with the number of running jobs, up to 10,000 for each, and the queues that obey them.")
  static final class ListLimits extends QueueAction {

    ListLimits() {
      super(Access.READ);
    }

    @Override
    int run(JobQueue queue, Output output) {
      return output.listOrNote(
          "limits",
          LIMIT,
          queue.reader().limits(),
          "There are no limits. 'skipjack limits set' creates one.");
    }
  }

  /** {@code skipjack limits held}. */
  @Command(
      name = "held",
      description = {
        "List the due jobs that limits and pauses of groups hold, by queue or group.",
        "Due jobs are counted up to 1,000. Paused queues are left out."
      })
  static final class Held extends QueueAction {

    Held() {
      super(Access.READ);
    }

    @Override
    int run(JobQueue queue, Output output) {
      return output.listOrNote("held", LANE, queue.reader().held(), "No limit holds a due job.");
    }
  }

  /** {@code skipjack limits set}. */
  @Command(
      name = "set",
      description = {
        "Create a limit, or change some of its numbers. Workers obey it from their next claim on; running jobs are not stopped.",
        "The value 'none' removes a number. To make a queue obey the limit, use 'skipjack queues set QUEUE --limit NAME'."
      })
  static final class SetLimit extends ChangeAction {

    @Parameters(paramLabel = "NAME", description = "Name of the limit.")
    private String name;

    @Option(
        names = "--running",
        paramLabel = "N",
        description = "Maximum number of jobs that run at the same time; 0 prevents every start.")
    private @Nullable String running;

    @Option(
        names = "--running-per-group",
        paramLabel = "N",
        description = "Maximum number of jobs of each group that run at the same time.")
    private @Nullable String runningPerGroup;

    @Option(
        names = "--rate",
        paramLabel = "N/DURATION",
        description =
            "Maximum number of starts in a period, for example 100/1s. Replaces the whole rate.")
    private @Nullable String rate;

    @Option(
        names = "--rate-kind",
        paramLabel = "KIND",
        description =
            "How --rate counts: bucket (starts are spread, with bursts), sliding (no period contains more), or fixed (windows that follow each other). Default: bucket.")
    private @Nullable String kind;

    @Option(
        names = "--burst",
        paramLabel = "N",
        description =
            "Number of starts that a bucket allows at once after a pause. Default: the N of --rate.")
    private @Nullable Integer burst;

    @Option(names = "--rate-per-group", description = "Each group has --rate for itself.")
    private boolean ratePerGroup;

    @SuppressWarnings("NullAway.Init") // picocli sets a required parameter before the command runs
    SetLimit() {}

    @Override
    void check() {
      if (running == null && runningPerGroup == null && rate == null) {
        throw CommandFailure.input(
            "Nothing to set. Use at least one of --running, --running-per-group and --rate.");
      }
      if ((rate == null || rate.equals(NONE)) && (kind != null || burst != null || ratePerGroup)) {
        throw CommandFailure.input(
            "--rate-kind, --burst and --rate-per-group need --rate, because a rate is replaced as a whole.");
      }
      changed(Limit.none());
    }

    @Override
    int run(JobQueue queue, Output output) {
      Limit limit = changed(admin(queue).limit(Names.requireLimit(name)).orElse(Limit.none()));
      admin(queue).limit(name, limit);
      if (output.isJson()) {
        Map<String, @Nullable Object> document = new LinkedHashMap<>();
        document.put("limit", name);
        document.putAll(NUMBERS.members(limit));
        output.document(document);
      } else {
        output.line("Limit '%s':".formatted(name));
        output.record(NUMBERS, limit);
      }
      return ExitCodes.DONE;
    }

    private Limit changed(Limit from) {
      return new Limit(
          running == null ? from.maxRunning() : number("--running", running),
          runningPerGroup == null
              ? from.maxRunningPerGroup()
              : number("--running-per-group", runningPerGroup),
          rate == null ? from.rate() : rate(rate));
    }

    private static OptionalInt number(String option, String text) {
      try {
        return text.equals(NONE) ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(text));
      } catch (NumberFormatException invalid) {
        throw CommandFailure.input(
            "%s is '%s', but must be a number or 'none'.".formatted(option, Cell.safe(text)));
      }
    }

    private Optional<Rate> rate(String text) {
      if (text.equals(NONE)) {
        return Optional.empty();
      }
      String[] parts = text.split("/", 2);
      int count;
      Duration period;
      try {
        count = Integer.parseInt(parts[0]);
        period = new DurationText().convert(parts.length == 2 ? parts[1] : "");
      } catch (NumberFormatException | TypeConversionException invalid) {
        throw CommandFailure.input(
            "--rate is '%s', but must be a number and a duration such as 100/1s, or 'none'."
                .formatted(Cell.safe(text)));
      }
      Rate.Kind chosen = kind == null ? Rate.Kind.BUCKET : Rate.Kind.of(kind);
      return Optional.of(
          new Rate(chosen, count, period, burst == null ? count : burst, ratePerGroup));
    }
  }

  /** {@code skipjack limits reset}. */
  @Command(
      name = "reset",
      description = {
        "Forget the starts that the rate of a limit remembers, and end its throttles.",
        "The number of running jobs is not affected."
      })
  static final class Reset extends ChangeAction {

    @Parameters(paramLabel = "NAME", description = "Name of the limit.")
    private String name;

    @SuppressWarnings("NullAway.Init") // picocli sets a required parameter before the command runs
    Reset() {}

    @Override
    int run(JobQueue queue, Output output) {
      if (!admin(queue).resetLimit(name)) {
        throw unknown(name);
      }
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("limit", name);
      members.put("reset", true);
      output.done("Reset the rate of the limit '%s'.".formatted(name), members);
      return ExitCodes.DONE;
    }
  }

  private static CommandFailure unknown(String name) {
    return CommandFailure.nothing("There is no limit '%s'.".formatted(name));
  }

  /** {@code skipjack limits remove}. */
  @Command(
      name = "remove",
      description = {
        "Remove a limit that no queue obeys.",
        "An application that declares it creates it again; to lift it, set its numbers to 'none' instead."
      })
  static final class Remove extends ChangeAction {

    @Parameters(paramLabel = "NAME", description = "Name of the limit.")
    private String name;

    @SuppressWarnings("NullAway.Init") // picocli sets a required parameter before the command runs
    Remove() {}

    @Override
    int run(JobQueue queue, Output output) {
      if (!admin(queue).removeLimit(name)) {
        throw unknown(name);
      }
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("limit", name);
      members.put("removed", true);
      output.done("Removed the limit '%s'.".formatted(name), members);
      return ExitCodes.DONE;
    }
  }
}
