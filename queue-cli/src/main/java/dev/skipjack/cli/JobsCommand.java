package dev.skipjack.cli;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.EditResult;
import dev.skipjack.api.operations.HandlerStack;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.JobExecution;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.spi.Headers;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code skipjack jobs}. */
@Command(
    name = "jobs",
    description = "List, show, cancel, redrive and edit jobs, or make them due now.",
    subcommands = {
      ListJobs.class,
      JobsCommand.Show.class,
      JobsCommand.Retry.class,
      JobsCommand.Cancel.class,
      JobsCommand.Redrive.class,
      JobsCommand.RunNow.class,
      JobsCommand.Edit.class,
      PatchJobs.class
    })
final class JobsCommand extends CommandGroup {

  static final Fields<JobSummary> SUMMARY =
      Fields.<JobSummary>none()
          .and("id", JobSummary::id)
          .and("status", JobSummary::status)
          .and("queue", JobSummary::queue)
          .and("kind", JobSummary::kind)
          .andIfPresent("group", JobSummary::group)
          .andApart("priority", JobSummary::priority)
          .andText("attempts", JobsCommand::attempts)
          .andJson("attempts", JobSummary::usedAttempts)
          .andJson("max_attempts", JobSummary::maxAttempts)
          .andApart("created_at", JobSummary::createdAt)
          .and("scheduled_at", JobSummary::scheduledAt)
          .andApart("started_at", JobSummary::startedAt)
          .andApart("died_at", JobSummary::diedAt)
          .andApart("finished_at", JobSummary::finishedAt)
          .andApart("worker", JobSummary::worker)
          .andApart("tags", JobSummary::tags)
          .and("last_error", JobSummary::lastError);

  private static final Fields<JobExecution> ATTEMPTS =
      Fields.<JobExecution>none()
          .and("attempt", JobExecution::attempt)
          .and("status", JobExecution::status)
          .and("started_at", JobExecution::startedAt)
          .and("took_seconds", JobsCommand::took)
          .and("worker", JobExecution::worker)
          .andApart("execution", attempt -> attempt.id().value())
          .andApart("finished_at", JobExecution::finishedAt)
          .and("error", attempt -> attempt.error() == null ? null : attempt.error().message())
          .andApart(
              "error_class",
              attempt -> attempt.error() == null ? null : attempt.error().errorClass())
          .andApart("stack", attempt -> attempt.error() == null ? null : attempt.error().stack());

  private static final Fields<Visible<JobDetails>> DETAILS =
      SUMMARY
          .<JobDetails>of(JobDetails::summary)
          .and("payload_version", JobDetails::payloadVersion)
          .and("lease_expires_at", JobDetails::leaseExpiresAt)
          .and("cancel_requested_at", JobDetails::cancelRequestedAt)
          .and("unique_label", JobDetails::uniqueLabel)
          .and("ordering_key", JobDetails::orderingKey)
          .and("schedule", job -> job.fire() == null ? null : job.fire().schedule())
          .and("planned_for", job -> job.fire() == null ? null : job.fire().at())
          .and("traceparent", JobDetails::traceparent)
          .and("progress", job -> Json.Raw.of(job.progress()))
          .and("result", job -> Json.Raw.of(job.result()))
          .and(JobsCommand.stackOf(JobDetails::stack))
          .<Visible<JobDetails>>of(Visible::value)
          .andRecord("headers", job -> job.text(Headers.text(job.value().headers())))
          .andJson("headers", job -> Json.Raw.of(Headers.text(job.value().headers())))
          .andRecord("payload", job -> job.text(job.value().payload()))
          .andJson("payload", job -> Json.Raw.of(job.value().payload()));

  /** Returns the fields of JSON that show where the handler of a job is. */
  static <T> Fields<T> stackOf(Function<T, @Nullable HandlerStack> stack) {
    return Fields.<T>none()
        .andJson("stack_since", job -> part(stack.apply(job), HandlerStack::since))
        .andJson("stack", job -> part(stack.apply(job), HandlerStack::stack))
        .andJson("stack_problem", job -> part(stack.apply(job), HandlerStack::problem));
  }

  private static @Nullable Object part(
      @Nullable HandlerStack stack, Function<HandlerStack, ? extends @Nullable Object> part) {
    return stack == null ? null : part.apply(stack);
  }

  private static String attempts(JobSummary job) {
    return "%d/%d".formatted(job.usedAttempts(), job.maxAttempts());
  }

  private static @Nullable Duration took(JobExecution attempt) {
    Instant end = attempt.finishedAt();
    return end == null ? null : Duration.between(attempt.startedAt(), end);
  }

  /** {@code skipjack jobs show}. */
  @Command(
      name = "show",
      description = "Show a job with its payload and its attempts, whether it is live or ended.")
  static final class Show extends QueueAction {

    @Parameters(paramLabel = "JOB", description = "Id of the job.")
    private JobId id;

    @SuppressWarnings("NullAway.Init") // picocli sets a required parameter before the command runs
    Show() {
      super(Access.READ);
    }

    @Override
    int run(JobQueue queue, Output output) throws SQLException {
      Visible<Optional<JobDetails>> found =
          visible(() -> queue.reader().find(id), () -> queue.reader().findWithoutPayload(id));
      show(found.with(found.value().orElseThrow(() -> unknown(id))), output);
      return ExitCodes.DONE;
    }
  }

  static CommandFailure unknown(JobId id) {
    return CommandFailure.nothing(
        "There is no job %s: it never existed, has been pruned, or ended in a queue without an archive."
            .formatted(id));
  }

  static void show(Visible<JobDetails> job, Output output) {
    List<JobExecution> executions = job.value().executions();
    if (output.isJson()) {
      Map<String, @Nullable Object> document = DETAILS.members(job);
      document.put("executions", executions.stream().map(ATTEMPTS::members).toList());
      output.document(document);
      job.remark(output);
    } else {
      output.record(DETAILS, job);
      if (!executions.isEmpty()) {
        output.section("Attempts", ATTEMPTS, executions);
      }
      HandlerStack stack = job.value().stack();
      if (stack != null) {
        show(stack, output);
      }
    }
  }

  private static void show(HandlerStack stack, Output output) {
    output.line("");
    output.line(
        output
            .style()
            .heading("Stack of the handler, the same since " + Cell.whole(stack.since())));
    if (stack.stack() == null) {
      output.line(Cell.whole(stack.problem()));
    } else {
      stack.stack().lines().forEach(line -> output.line(Cell.indented(line)));
    }
  }

  /** The result of a change to one job. */
  private record Change(JobId id, String result, boolean done, boolean gone) {

    static Change done(JobId id, String result) {
      return new Change(id, result, true, false);
    }

    static Change refused(JobId id, String result) {
      return new Change(id, result, false, false);
    }

    static Change gone(JobId id) {
      return new Change(id, "has ended or never existed", false, true);
    }

    static Change busy(JobId id) {
      return refused(id, "locked by another transaction; try again");
    }
  }

  private static final Fields<Change> CHANGE =
      Fields.<Change>none()
          .and("id", Change::id)
          .and("changed", Change::done)
          .and("result", Change::result);

  /** A command that changes the jobs whose ids are given. */
  abstract static class JobsAction extends QueueAction {

    @Parameters(paramLabel = "JOB", arity = "1..*", description = "Ids of the jobs.")
    private List<JobId> ids = List.of();

    JobsAction() {
      super(Access.WRITE);
    }

    @Override
    final int run(JobQueue queue, Output output) {
      return report(change(queue, List.copyOf(ids)), output);
    }

    abstract List<Change> change(JobQueue queue, List<JobId> jobs);
  }

  private static <R> List<Change> zip(
      List<JobId> jobs, List<R> results, Function<R, Function<JobId, Change>> describe) {
    List<Change> changes = new ArrayList<>();
    for (int i = 0; i < jobs.size(); i++) {
      changes.add(describe.apply(results.get(i)).apply(jobs.get(i)));
    }
    return changes;
  }

  /** A command that changes the jobs whose ids are given, or all that match a filter. */
  abstract static class FilteredAction extends QueueAction {

    private final OperationAction action;

    @Parameters(paramLabel = "JOB", arity = "0..*", description = "Ids of the jobs.")
    private List<JobId> ids = List.of();

    @Mixin private JobFilter.WithStatus filter = new JobFilter.WithStatus();
    @Mixin private BulkChange bulk;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before the command runs
    FilteredAction(OperationAction action) {
      super(Access.WRITE);
      this.action = action;
    }

    @Override
    final void check() {
      if (ids.isEmpty() && filter.isEmpty()) {
        throw CommandFailure.input(
            "No jobs are named. Give their ids, or select them with a filter, for example --queue.");
      }
      if (!ids.isEmpty() && (!filter.isEmpty() || bulk.isDryRun())) {
        throw CommandFailure.input(
            "Filters and --dry-run do not apply to jobs that are named by their ids.");
      }
      filter.applyTo(JobQuery.live());
    }

    @Override
    final int run(JobQueue queue, Output output) {
      return ids.isEmpty()
          ? bulk.run(
              queue, queue.operations().preview(action, filter.applyTo(JobQuery.live())), output)
          : report(change(queue, List.copyOf(ids)), output);
    }

    abstract List<Change> change(JobQueue queue, List<JobId> jobs);
  }

  private static int report(List<Change> changes, Output output) {
    output.list("jobs", CHANGE, changes);
    if (changes.stream().allMatch(Change::gone)) {
      return ExitCodes.NOTHING_MATCHED;
    }
    return changes.stream().allMatch(Change::done) ? ExitCodes.DONE : ExitCodes.BAD_NEWS;
  }

  /** {@code skipjack jobs cancel}. */
  @Command(
      name = "cancel",
      description = {
        "Cancel the jobs with the given ids, or all jobs that match a filter. A job that is not running is archived as cancelled.",
        "The worker of a running job is asked to stop it. Dead jobs are not changed: redrive or prune them.",
        BulkChange.HELP
      })
  static final class Cancel extends FilteredAction {

    Cancel() {
      super(OperationAction.CANCEL);
    }

    @Override
    List<Change> change(JobQueue queue, List<JobId> jobs) {
      return zip(jobs, queue.admin().cancel(jobs), Cancel::describe);
    }

    private static Function<JobId, Change> describe(CancelResult result) {
      return switch (result) {
        case CANCELLED -> id -> Change.done(id, "cancelled");
        case REQUESTED -> id -> Change.done(id, "running; its worker was asked to stop it");
        case DEAD -> id -> Change.refused(id, "dead; redrive or prune it instead");
        case BUSY -> Change::busy;
        case GONE -> Change::gone;
      };
    }
  }

  /** {@code skipjack jobs redrive}. */
  @Command(
      name = "redrive",
      description = "Return dead jobs to their queues, due immediately and with fresh attempts.")
  static final class Redrive extends JobsAction {

    @Override
    List<Change> change(JobQueue queue, List<JobId> jobs) {
      return zip(jobs, queue.admin().redrive(jobs), Redrive::describe);
    }

    static Function<JobId, Change> describe(RedriveResult result) {
      if (result instanceof RedriveResult.Redriven) {
        return id -> Change.done(id, "redriven");
      }
      if (result instanceof RedriveResult.Conflict conflict) {
        return id ->
            Change.refused(id, "job %s has taken its unique key".formatted(conflict.holder()));
      }
      if (result instanceof RedriveResult.NotDead) {
        return id -> Change.refused(id, "not dead");
      }
      return result instanceof RedriveResult.Busy ? Change::busy : Change::gone;
    }
  }

  /** {@code skipjack jobs run-now}. */
  @Command(
      name = "run-now",
      description = {
        "Make pending jobs due immediately, for example jobs that wait for a retry. Name them by their ids or by a filter.",
        "A job that waits for its ordering key is changed only if its id is given; it runs when its key is free.",
        BulkChange.HELP
      })
  static final class RunNow extends FilteredAction {

    RunNow() {
      super(OperationAction.RUN_NOW);
    }

    @Override
    List<Change> change(JobQueue queue, List<JobId> jobs) {
      return jobs.stream().map(id -> hurry(queue.admin(), id)).toList();
    }

    static Change hurry(QueueAdmin admin, JobId id) {
      EditResult result = admin.edit(id, JobEdit.nothing().delay(Duration.ZERO));
      return changed(result, "due now", "running or dead").apply(id);
    }
  }

  private static Function<JobId, Change> changed(EditResult result, String done, String otherwise) {
    return switch (result) {
      case EDITED -> id -> Change.done(id, done);
      case NOT_PENDING -> id -> Change.refused(id, otherwise);
      case BUSY -> Change::busy;
      case GONE -> Change::gone;
    };
  }

  /** {@code skipjack jobs retry}. */
  @Command(
      name = "retry",
      description =
          "Retry failed jobs immediately: redrive dead jobs, and make jobs that wait for their next attempt due now.")
  static final class Retry extends JobsAction {

    @Override
    List<Change> change(JobQueue queue, List<JobId> jobs) {
      List<RedriveResult> redriven = queue.admin().redrive(jobs);
      List<Change> changes = new ArrayList<>();
      for (int i = 0; i < jobs.size(); i++) {
        RedriveResult result = redriven.get(i);
        changes.add(
            result instanceof RedriveResult.NotDead
                ? RunNow.hurry(queue.admin(), jobs.get(i))
                : Redrive.describe(result).apply(jobs.get(i)));
      }
      return changes;
    }
  }

  /** {@code skipjack jobs edit}. */
  @Command(
      name = "edit",
      description =
          "Change a job that is not running. A dead job remains dead: redrive it afterwards.")
  static final class Edit extends QueueAction {

    @Parameters(paramLabel = "JOB", description = "Id of the job.")
    private JobId id;

    @Option(
        names = "--priority",
        paramLabel = "N",
        description = "New priority, from -100 (lowest) to 100 (highest).")
    private @Nullable Integer priority;

    @Option(
        names = "--at",
        paramLabel = "TIME",
        description = "New due time, for example 2026-12-01T08:00:00Z.")
    private @Nullable Instant at;

    @Option(
        names = "--delay",
        paramLabel = "DURATION",
        description = "New due time, counted from now, for example 15m.")
    private @Nullable Duration delay;

    @Option(names = "--payload", paramLabel = "JSON", description = "New payload.")
    private @Nullable String payload;

    @SuppressWarnings("NullAway.Init") // picocli sets a required parameter before the command runs
    Edit() {
      super(Access.WRITE);
    }

    @Override
    void check() {
      if (priority == null && at == null && delay == null && payload == null) {
        throw CommandFailure.input(
            "Nothing to change. Use at least one of --priority, --at, --delay and --payload.");
      }
      if (at != null && delay != null) {
        throw CommandFailure.input("--at and --delay both set the due time. Use one of them.");
      }
    }

    @Override
    int run(JobQueue queue, Output output) {
      JobEdit edit = JobEdit.nothing();
      if (priority != null) {
        edit = edit.priority(priority);
      }
      if (at != null) {
        edit = edit.at(at);
      }
      if (delay != null) {
        edit = edit.delay(delay);
      }
      if (payload != null) {
        edit = edit.payload(payload);
      }
      Change change =
          changed(
                  queue.admin().edit(id, edit),
                  "changed",
                  "running, or dead, in which case only a redrive makes it due")
              .apply(id);
      output.list("jobs", CHANGE, List.of(change));
      if (change.gone()) {
        return ExitCodes.NOTHING_MATCHED;
      }
      return change.done() ? ExitCodes.DONE : ExitCodes.BAD_NEWS;
    }
  }
}
