package dev.skipjack.cli;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import dev.skipjack.api.schedule.CronTiming;
import dev.skipjack.api.schedule.Missed;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.ScheduleState;
import dev.skipjack.api.schedule.Timing;
import dev.skipjack.api.spi.Names;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code skipjack schedules}. */
@Command(
    name = "schedules",
    description = "List schedules, show one, and add, pause, resume, fire or remove schedules.",
    subcommands = {
      SchedulesCommand.ListSchedules.class,
      SchedulesCommand.Show.class,
      SchedulesCommand.Add.class,
      SchedulesCommand.Pause.class,
      SchedulesCommand.Resume.class,
      SchedulesCommand.Fire.class,
      SchedulesCommand.Remove.class
    })
final class SchedulesCommand extends CommandGroup {

  private static final Fields<Visible<ScheduleState>> STATE =
      Fields.<ScheduleState>none()
          .and("schedule", ScheduleState::name)
          .and("timing", schedule -> describe(schedule.timing()))
          .and("kind", ScheduleState::kind)
          .andApart("queue", ScheduleState::queue)
          .andText("state", SchedulesCommand::state)
          .andJson("paused_at", ScheduleState::pausedAt)
          .andText("next fire", SchedulesCommand::nextFire)
          .andJson("next_fires", ScheduleState::nextFires)
          .and("last_fire", ScheduleState::lastFire)
          .andApart("last_job", ScheduleState::lastJob)
          .and("last_status", ScheduleState::lastStatus)
          .andApart("missed", schedule -> schedule.missed().policy())
          .andApart("overlap", ScheduleState::overlap)
          .andApart("jitter_seconds", ScheduleState::jitter)
          .andApart("tags", ScheduleState::tags)
          .andApart("description", ScheduleState::description)
          .andApart("origin", ScheduleState::origin)
          .andApart("undeclared", ScheduleState::isUndeclared)
          .andApart("needs_code", ScheduleState::needsCode)
          .andApart(
              "failure", schedule -> schedule.failure() == null ? null : schedule.failure().error())
          .andApart("unreadable", ScheduleState::unreadable)
          .<Visible<ScheduleState>>of(Visible::value)
          .andRecord("payload", schedule -> schedule.text(schedule.value().payload()))
          .andJson("payload", schedule -> Json.Raw.of(schedule.value().payload()));

  private static @Nullable String describe(@Nullable Timing timing) {
    return timing == null
        ? null
        : timing.fold(
            CronTiming::toString,
            interval ->
                "every %s%s"
                    .formatted(
                        Cell.duration(interval.interval()),
                        interval.isAligned() ? "" : " from the last fire"));
  }

  private static String state(ScheduleState schedule) {
    String state = schedule.isPaused() ? "paused" : "active";
    return schedule.unreadable() == null ? state : state + ", unreadable";
  }

  private static @Nullable Instant nextFire(ScheduleState schedule) {
    return schedule.nextFires().stream().findFirst().orElse(null);
  }

  private static CommandFailure unknown(String name) {
    return CommandFailure.nothing(
        "There is no schedule '%s'. 'skipjack schedules list' prints them.".formatted(name));
  }

  /** {@code skipjack schedules list}. */
  @Command(
      name = "list",
      description = {
        "List schedules by name, with their next and last fires.",
        "If there may be more, it prints the option that continues the list."
      })
  static final class ListSchedules extends QueueAction {

    private static final int LARGEST = 500;

    @Option(
        names = "--limit",
        paramLabel = "N",
        defaultValue = "100",
        description = "Maximum number of schedules, from 1 to 500. Default: ${DEFAULT-VALUE}.")
    private int limit;

    @Option(
        names = "--after",
        paramLabel = "SCHEDULE",
        defaultValue = "",
        description = "Continue an earlier list after the schedule of this name.")
    private String after;

    @SuppressWarnings("NullAway.Init") // picocli sets defaulted options
    ListSchedules() {
      super(Access.READ);
    }

    @Override
    void check() {
      if (limit < 1 || limit > LARGEST) {
        throw CommandFailure.input("Limit %d is not in 1..%d.".formatted(limit, LARGEST));
      }
    }

    @Override
    int run(JobQueue queue, Output output) throws SQLException {
      Visible<List<ScheduleState>> page =
          visible(
              () -> queue.schedules().list(after, limit),
              () -> queue.schedules().listWithoutPayloads(after, limit));
      page.remark(output);
      List<ScheduleState> schedules = page.value();
      String next = schedules.size() < limit ? null : schedules.get(limit - 1).name();
      Map<String, @Nullable Object> more = new LinkedHashMap<>();
      more.put("next", next);
      if (output.isJson() || !schedules.isEmpty()) {
        output.list("schedules", STATE, schedules.stream().map(page::with).toList(), more);
      }
      for (ScheduleState schedule : schedules) {
        if (schedule.unreadable() != null) {
          output.note(
              "Schedule '%s' cannot be read. %s".formatted(schedule.name(), schedule.unreadable()));
        }
      }
      if (next != null) {
        output.note("There may be more schedules. Continue with --after %s".formatted(next));
        return ExitCodes.DONE;
      }
      if (schedules.isEmpty()) {
        output.note(after.isEmpty() ? "There are no schedules." : "There are no more schedules.");
        return ExitCodes.NOTHING_MATCHED;
      }
      return ExitCodes.DONE;
    }
  }

  /** {@code skipjack schedules show}. */
  @Command(name = "show", description = "Show a schedule with its next five fires.")
  static final class Show extends QueueAction {

    @Parameters(paramLabel = "SCHEDULE", description = "Name of the schedule.")
    private String name;

    @SuppressWarnings("NullAway.Init") // picocli sets a required parameter before the command runs
    Show() {
      super(Access.READ);
    }

    @Override
    int run(JobQueue queue, Output output) throws SQLException {
      Names.requireSchedule(name);
      Visible<Optional<ScheduleState>> found =
          visible(
              () -> queue.schedules().find(name), () -> queue.schedules().findWithoutPayload(name));
      ScheduleState schedule = found.value().orElseThrow(() -> unknown(name));
      if (output.isJson()) {
        output.document(STATE.members(found.with(schedule)));
        found.remark(output);
      } else {
        output.record(STATE, found.with(schedule));
        if (schedule.nextFires().size() > 1) {
          output.section(
              "Next fires",
              Fields.<Instant>none().and("planned_for", fire -> fire),
              schedule.nextFires());
        }
      }
      return ExitCodes.DONE;
    }
  }

  /** {@code skipjack schedules add}. */
  @Command(
      name = "add",
      description = {
        "Add a schedule. Workers fire it, whether or not they serve its queue.",
        "Give --cron or --every."
      })
  static final class Add extends ChangeAction {

    @Parameters(paramLabel = "SCHEDULE", description = "Name of the new schedule.")
    private String name;

    @Option(
        names = "--cron",
        paramLabel = "EXPRESSION",
        description = "When it fires: minute, hour, day of month, month, day of week.")
    private @Nullable String cron;

    @Option(
        names = "--every",
        paramLabel = "DURATION",
        description = "Interval between fires, for example 15m.")
    private @Nullable Duration every;

    @Option(
        names = "--zone",
        paramLabel = "ZONE",
        description = "Time zone of the expression, for example Europe/Berlin. Default: UTC.")
    private @Nullable String zone;

    @Option(
        names = "--kind",
        paramLabel = "KIND",
        required = true,
        description = "Kind of its jobs.")
    private String kind;

    @Option(
        names = "--payload",
        paramLabel = "JSON",
        defaultValue = "{}",
        description = "Payload of its jobs. Default: ${DEFAULT-VALUE}.")
    private String payload;

    @Option(
        names = "--queue",
        paramLabel = "NAME",
        description = "Queue of its jobs. Default: default.")
    private @Nullable String queueName;

    @Option(names = "--priority", paramLabel = "N", description = "Priority of its jobs.")
    private @Nullable Integer priority;

    @Option(names = "--tag", paramLabel = "TAG", description = "Tag of its jobs; may be repeated.")
    private List<String> tags = List.of();

    @Option(
        names = "--missed",
        paramLabel = "POLICY",
        defaultValue = "once",
        description =
            "What happens to fires that no worker could serve: skip, once or all (at most 1000). Default: ${DEFAULT-VALUE}.")
    private Missed.Policy missed;

    @Option(
        names = "--overlap",
        paramLabel = "POLICY",
        defaultValue = "allow",
        description =
            "What happens if an earlier job is live: allow, skip_while_live or cancel_previous. Default: ${DEFAULT-VALUE}.")
    private Overlap overlap;

    @Option(
        names = "--jitter",
        paramLabel = "DURATION",
        defaultValue = "0s",
        description = "Maximum random delay of fires. Default: ${DEFAULT-VALUE}.")
    private Duration jitter;

    @Option(names = "--description", paramLabel = "TEXT", description = "What it is for.")
    private @Nullable String description;

    private static final int MOST_MISSED = 1_000;

    @SuppressWarnings("NullAway.Init") // picocli sets required and defaulted options
    Add() {}

    @Override
    void check() {
      if ((cron == null) == (every == null)) {
        throw CommandFailure.input("Give either --cron or --every.");
      }
      schedule();
    }

    @Override
    int run(JobQueue queue, Output output) {
      queue.schedules().add(schedule());
      actor().record(queue, "add_schedule", queueName == null ? "default" : queueName, name);
      ScheduleState added = queue.schedules().find(name).orElseThrow(() -> unknown(name));
      if (output.isJson()) {
        output.document(STATE.members(new Visible<>(added, null)));
      } else {
        output.line(
            "Added schedule '%s', which fires next at %s."
                .formatted(name, Cell.whole(nextFire(added))));
      }
      return ExitCodes.DONE;
    }

    private Schedule schedule() {
      Timing timing =
          cron == null ? Timing.every(Objects.requireNonNull(every)) : Timing.cron(cron);
      Schedule schedule =
          Schedule.of(zone == null ? timing : timing.zone(zone))
              .named(name)
              .enqueue(JobType.of(kind, String.class), payload, this::options)
              .missed(missed == Missed.Policy.ALL ? Missed.all(MOST_MISSED) : new Missed(missed, 1))
              .overlap(overlap)
              .jitter(jitter);
      return description == null ? schedule : schedule.description(description);
    }

    private EnqueueOptions options(EnqueueOptions none) {
      EnqueueOptions options = none;
      if (queueName != null) {
        options = options.onQueue(queueName);
      }
      if (priority != null) {
        options = options.priority(priority);
      }
      return tags.isEmpty() ? options : options.tags(tags);
    }
  }

  /** A command that changes the named schedule. */
  abstract static class ScheduleAction extends ChangeAction {

    @Parameters(paramLabel = "SCHEDULE", description = "Name of the schedule.")
    private String name;

    private final String action;
    private final String result;

    /**
     * @param action the change, as it is recorded
     * @param result the state of the schedule after the change
     */
    @SuppressWarnings("NullAway.Init") // picocli sets a required parameter before the command runs
    ScheduleAction(String action, String result) {
      this.action = action;
      this.result = result;
    }

    @Override
    final int run(JobQueue queue, Output output) {
      Optional<String> itsQueue =
          queue
              .schedules()
              .findWithoutPayload(Names.requireSchedule(name))
              .map(ScheduleState::queue);
      if (!change(queue, name)) {
        throw unknown(name);
      }
      actor().record(queue, action, itsQueue.orElse(null), name);
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("schedule", name);
      members.put("result", result);
      output.done("Schedule '%s': %s.".formatted(name, result), members);
      return ExitCodes.DONE;
    }

    /** Changes the schedule. Returns false if no schedule has this name. */
    abstract boolean change(JobQueue queue, String schedule);
  }

  /** {@code skipjack schedules pause}. */
  @Command(
      name = "pause",
      description = "Pause a schedule, so that it does not fire until it is resumed.")
  static final class Pause extends ScheduleAction {

    Pause() {
      super("pause_schedule", "paused");
    }

    @Override
    boolean change(JobQueue queue, String schedule) {
      return queue.schedules().pause(schedule);
    }
  }

  /** {@code skipjack schedules resume}. */
  @Command(
      name = "resume",
      description = "Resume a schedule with its next fire. Fires during the pause are skipped.")
  static final class Resume extends ScheduleAction {

    Resume() {
      super("resume_schedule", "active");
    }

    @Override
    boolean change(JobQueue queue, String schedule) {
      return queue.schedules().resume(schedule);
    }
  }

  /** {@code skipjack schedules fire}. */
  @Command(
      name = "fire",
      description = "Request one fire now, even of a paused schedule. A worker serves the request.")
  static final class Fire extends ScheduleAction {

    Fire() {
      super("fire_schedule", "fire requested");
    }

    @Override
    boolean change(JobQueue queue, String schedule) {
      return queue.schedules().fireNow(schedule);
    }
  }

  /** {@code skipjack schedules remove}. */
  @Command(
      name = "remove",
      description = {
        "Remove a schedule that an operator added. Its jobs remain.",
        "A schedule that is declared in code would return with the next start of a worker: pause it instead."
      })
  static final class Remove extends ScheduleAction {

    Remove() {
      super("remove_schedule", "removed");
    }

    @Override
    boolean change(JobQueue queue, String schedule) {
      return queue.schedules().remove(schedule);
    }
  }
}
