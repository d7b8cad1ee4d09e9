package dev.skipjack.cli;

import dev.skipjack.api.DeadJobs;
import dev.skipjack.api.DeadLetterGroup;
import dev.skipjack.api.JobDetails;
import dev.skipjack.api.JobExecution;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobOperation;
import dev.skipjack.api.JobOperations;
import dev.skipjack.api.JobQuery;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.OperationAction;
import dev.skipjack.api.OperationPreview;
import dev.skipjack.store.jooq.JobQueue;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

  private static final Fields<DeadLetterGroup> GROUP =
      Fields.<DeadLetterGroup>none()
          .andText("jobs", group -> group.jobs() + (group.atLeast() ? "+" : ""))
          .andJson("jobs", DeadLetterGroup::jobs)
          .andJson("at_least", DeadLetterGroup::atLeast)
          .and("queue", DeadLetterGroup::queue)
          .and("kind", DeadLetterGroup::kind)
          .andApart("error_class", DeadLetterGroup::errorClass)
          .andApart("first_died_at", DeadLetterGroup::firstDiedAt)
          .and("last_died_at", DeadLetterGroup::lastDiedAt)
          .and("example", DeadLetterGroup::example)
          .and("error", DeadLetterGroup::error);

  /** The options that select dead jobs. */
  static final class Filter {

    @Option(names = "--queue", paramLabel = "NAME", description = "Only jobs of this queue.")
    private @Nullable String queue;

    @Option(names = "--kind", paramLabel = "NAME", description = "Only jobs of this kind.")
    private @Nullable String kind;

    DeadJobs jobs() {
      DeadJobs jobs = DeadJobs.all();
      if (queue != null) {
        jobs = jobs.ofQueue(queue);
      }
      return kind == null ? jobs : jobs.ofKind(kind);
    }

    List<DeadLetterGroup> groups(JobQueue queue) {
      DeadJobs jobs = jobs();
      return queue.reader().deadLetters().stream()
          .filter(group -> jobs.queue().map(group.queue()::equals).orElse(true))
          .filter(group -> jobs.kind().map(group.kind()::equals).orElse(true))
          .toList();
    }

    JobQuery query() {
      JobQuery query = JobQuery.live().status(JobStatus.DEAD);
      if (queue != null) {
        query = query.queue(queue);
      }
      return kind == null ? query : query.kind(kind);
    }
  }

  /** {@code skipjack dead list}. */
  @Command(
      name = "list",
      description = {
        "List dead jobs, grouped by queue, kind and the first line of the last error, the largest group first.",
        "The newest 10,000 dead jobs of each queue and kind are read."
      })
  static final class ListGroups extends QueueAction {

    @Mixin private Filter filter = new Filter();

    ListGroups() {
      super(Access.READ);
    }

    @Override
    int run(JobQueue queue, Output output) {
      return output.listOrNote("groups", GROUP, filter.groups(queue), "No dead job matches.");
    }
  }

  /** {@code skipjack dead show}. */
  @Command(name = "show", description = "Show a dead job with the stack trace of its last error.")
  static final class Show extends QueueAction {

    @Parameters(paramLabel = "JOB", description = "Id of the job.")
    private JobId id;

    @SuppressWarnings("NullAway.Init") // picocli sets a required parameter before anything runs
    Show() {
      super(Access.READ);
    }

    @Override
    int run(JobQueue queue, Output output) {
      JobDetails job =
          queue
              .reader()
              .find(id)
              .filter(found -> found.summary().status() == JobStatus.DEAD)
              .orElseThrow(
                  () ->
                      CommandFailure.nothing(
                          "Job %s is not dead, or does not exist. 'skipjack jobs show %s' shows a job of any status."
                              .formatted(id, id)));
      JobsCommand.show(job, output);
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
      return ExitCodes.DONE;
    }
  }

  /** A command that changes all matching dead jobs, after a preview. */
  abstract static class BulkAction extends QueueAction {

    private final OperationAction action;

    @Mixin private Filter filter = new Filter();
    @Mixin private Confirmation confirmation;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before anything runs
    BulkAction(OperationAction action) {
      super(Access.WRITE);
      this.action = action;
    }

    @Override
    final int run(JobQueue queue, Output output) {
      // The list of errors is limited, so its sum could be smaller than what would be changed.
      OperationPreview preview = queue.operations().preview(action, filter.query());
      if (preview.jobs() == 0 && !preview.atLeast()) {
        throw CommandFailure.nothing("No dead job matches.");
      }
      if (!output.isJson()) {
        output.list("jobs", JobsCommand.SUMMARY, preview.sample());
      }
      String count = preview.jobs() + (preview.atLeast() ? " or more" : "");
      confirmation.require(question(count, preview.newestId()), output);
      return change(queue, preview, filter.jobs(), output);
    }

    abstract String question(String count, long newestId);

    abstract int change(JobQueue queue, OperationPreview preview, DeadJobs jobs, Output output);

    /** Runs the previewed operation and reports its result. */
    static int work(JobQueue queue, OperationPreview preview, String done, Output output) {
      JobOperations operations = queue.operations();
      JobOperation started = operations.start(preview, System.getProperty("user.name", "unknown"));
      JobOperation ended =
          operations.run(
              started.id(),
              progress ->
                  output.progress(
                      () -> "%d of %d jobs".formatted(progress.done(), preview.jobs())));
      output.endProgress();
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("operation", ended.id());
      members.put("state", ended.state());
      members.put("done", ended.done());
      members.put("skipped", ended.skipped());
      members.put("failed", ended.failed());
      members.put("last_reason", ended.lastReason());
      long refused = ended.skipped() + ended.failed();
      output.done(
          "%s %d jobs%s."
              .formatted(
                  done,
                  ended.done(),
                  refused == 0
                      ? ""
                      : "; %d were skipped and %d were locked. The last reason: %s"
                          .formatted(
                              ended.skipped(),
                              ended.failed(),
                              Cell.whole(ended.lastReason()).replaceFirst("[.]$", ""))),
          members);
      return refused == 0 && ended.state() == JobOperation.State.FINISHED
          ? ExitCodes.DONE
          : ExitCodes.BAD_NEWS;
    }
  }

  /** {@code skipjack dead redrive}. */
  @Command(
      name = "redrive",
      description = {
        "Return all matching dead jobs to their queues, due immediately and with fresh attempts.",
        "Prints up to five of them and asks before. If it is interrupted, run it again."
      })
  static final class Redrive extends BulkAction {

    Redrive() {
      super(OperationAction.REDRIVE);
    }

    @Override
    String question(String count, long newestId) {
      return "Redrive %s dead jobs, up to job %d?".formatted(count, newestId);
    }

    @Override
    int change(JobQueue queue, OperationPreview preview, DeadJobs jobs, Output output) {
      return work(queue, preview, "Redrove", output);
    }
  }

  /** {@code skipjack dead prune}. */
  @Command(
      name = "prune",
      description = {
        "Delete all matching dead jobs permanently.",
        "Prints up to five dead jobs and asks before. If it is interrupted, run it again."
      })
  static final class Prune extends BulkAction {

    @Option(
        names = "--older-than",
        paramLabel = "DURATION",
        defaultValue = "0s",
        description =
            "Only jobs that have been dead for longer, for example 7d. Default: ${DEFAULT-VALUE}.")
    private Duration age;

    @SuppressWarnings("NullAway.Init") // picocli sets an option that has a default
    Prune() {
      super(OperationAction.PRUNE);
    }

    @Override
    String question(String count, long newestId) {
      return age.isZero()
          ? "Delete %s dead jobs, up to job %d?".formatted(count, newestId)
          : "Delete those of %s dead jobs that have been dead for longer than %s?"
              .formatted(count, Cell.duration(age));
    }

    @Override
    int change(JobQueue queue, OperationPreview preview, DeadJobs jobs, Output output) {
      if (age.isZero()) {
        return work(queue, preview, "Deleted", output);
      }
      int deleted = queue.admin().pruneAll(jobs, age);
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("done", deleted);
      output.done("Deleted %d jobs.".formatted(deleted), members);
      return deleted == 0 ? ExitCodes.NOTHING_MATCHED : ExitCodes.DONE;
    }
  }
}
