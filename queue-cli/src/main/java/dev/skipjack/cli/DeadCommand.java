package dev.skipjack.cli;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.operations.DeadLetterGroup;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobExecution;
import dev.skipjack.api.operations.JobOperations;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.OperationPreview;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code skipjack dead}. */
@Command(
    name = "dead",
    description = "List dead jobs by their errors, and redrive or prune many of them.",
    subcommands = {
      DeadCommand.ListGroups.class,
      DeadCommand.Show.class,
      DeadCommand.Redrive.class,
      DeadCommand.Prune.class
    })
final class DeadCommand extends CommandGroup {

  private static final JobQuery DEAD = JobQuery.live().status(JobStatus.DEAD);

  private static final Fields<DeadLetterGroup> GROUP =
      Fields.<DeadLetterGroup>none()
          .andText("jobs", group -> group.jobs() + (group.atLeast() ? "+" : ""))
          .andJson("jobs", DeadLetterGroup::jobs)
          .andJson("at_least", DeadLetterGroup::atLeast)
          .and("queue", DeadLetterGroup::queue)
          .and("kind", DeadLetterGroup::kind)
          .andApart("first_died_at", DeadLetterGroup::firstDiedAt)
          .and("last_died_at", DeadLetterGroup::lastDiedAt)
          .and("example", DeadLetterGroup::example)
          .andText("error_class", group -> simpleName(group.errorClass()))
          .andJson("error_class", DeadLetterGroup::errorClass)
          .andText("error", group -> new Cell.Uncut(group.error()))
          .andJson("error", DeadLetterGroup::error);

  private static @Nullable String simpleName(@Nullable String errorClass) {
    return errorClass == null ? null : errorClass.substring(errorClass.lastIndexOf('.') + 1);
  }

  /** {@code skipjack dead list}. */
  @Command(
      name = "list",
      description = {
        "List dead jobs, grouped by queue, kind, and the class and first line of the last error, the largest group first. Quoted texts and words with digits appear as *.",
        "To act on one group, give its error to --error-group and its error class to --error-class of 'skipjack dead redrive' or 'skipjack dead prune'. If the error is shown as -, use --error-group ''. The newest 10,000 dead jobs of each queue and kind are read."
      })
  static final class ListGroups extends QueueAction {

    @Option(names = "--queue", paramLabel = "NAME", description = "Only jobs of this queue.")
    private @Nullable String queue;

    @Option(names = "--kind", paramLabel = "NAME", description = "Only jobs of this kind.")
    private @Nullable String kind;

    private DeadJobs which = DeadJobs.all();

    ListGroups() {
      super(Access.READ);
    }

    @Override
    void check() {
      DeadJobs all = DeadJobs.all();
      DeadJobs ofQueue = queue == null ? all : all.ofQueue(queue);
      which = kind == null ? ofQueue : ofQueue.ofKind(kind);
    }

    @Override
    int run(JobQueue jobs, Output output) {
      List<DeadLetterGroup> groups =
          jobs.reader().deadLetters().stream()
              .filter(group -> which.queue().map(group.queue()::equals).orElse(true))
              .filter(group -> which.kind().map(group.kind()::equals).orElse(true))
              .toList();
      return output.listOrNote("groups", GROUP, groups, "No dead job matches.");
    }
  }

  /** {@code skipjack dead show}. */
  @Command(name = "show", description = "Show a dead job with the stack trace of its last error.")
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
      JobDetails job =
          found
              .value()
              .filter(known -> known.summary().status() == JobStatus.DEAD)
              .orElseThrow(
                  () ->
                      CommandFailure.nothing(
                          "Job %s is not dead, or does not exist. 'skipjack jobs show %s' shows a job of any status."
                              .formatted(id, id)));
      JobsCommand.show(found.with(job), output);
      Optional<String> stack =
          job.executions().stream()
              .map(JobExecution::error)
              .filter(Objects::nonNull)
              .map(error -> error.stack() == null ? "" : error.stack())
              .reduce((earlier, later) -> later)
              .filter(text -> !text.isEmpty());
      if (!output.isJson() && stack.isPresent()) {
        output.line("");
        stack.get().lines().map(Cell::indented).forEach(output::line);
      }
      if (!output.isJson() && found.hidden() != null) {
        output.note("The stack trace is not shown: %s.".formatted(found.hidden()));
      }
      return ExitCodes.DONE;
    }
  }

  /** {@code skipjack dead redrive}. */
  @Command(
      name = "redrive",
      description = {
        "Return all matching dead jobs to their queues, due immediately and with fresh attempts.",
        BulkChange.HELP
      })
  static final class Redrive extends ChangeAction {

    @Mixin private JobFilter filter = new JobFilter();

    @Option(
        names = "--patch",
        paramLabel = "JSON",
        description = "Also change the payloads. " + PatchJobs.HELP)
    private @Nullable String patch;

    @Mixin private BulkChange bulk;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before the command runs
    Redrive() {}

    @Override
    void check() {
      filter.applyTo(DEAD);
    }

    @Override
    int run(JobQueue queue, Output output) {
      JobOperations operations = queue.operations();
      JobQuery jobs = filter.applyTo(DEAD);
      return bulk.run(
          queue,
          patch == null
              ? operations.preview(OperationAction.REDRIVE, jobs)
              : operations.preview(OperationAction.REDRIVE, jobs, patch),
          actor(),
          output);
    }
  }

  /** {@code skipjack dead prune}. */
  @Command(
      name = "prune",
      description = {"Delete all matching dead jobs permanently.", BulkChange.HELP})
  static final class Prune extends ChangeAction {

    @Option(
        names = "--older-than",
        paramLabel = "DURATION",
        defaultValue = "0s",
        description =
            "Only jobs that have been dead for longer than this, for example 7d. Default: ${DEFAULT-VALUE}.")
    private Duration age;

    @Mixin private JobFilter filter = new JobFilter();
    @Mixin private BulkChange bulk;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before the command runs
    Prune() {}

    @Override
    void check() {
      filter.applyTo(DEAD);
    }

    @Override
    int run(JobQueue queue, Output output) {
      JobQuery jobs = filter.applyTo(DEAD);
      OperationPreview preview =
          age.isZero()
              ? queue.operations().preview(OperationAction.PRUNE, jobs)
              : queue.operations().previewPrune(jobs, age);
      return bulk.run(queue, preview, actor(), output);
    }
  }
}
