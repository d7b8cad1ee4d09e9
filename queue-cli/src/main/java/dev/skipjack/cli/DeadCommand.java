package dev.skipjack.cli;

import dev.skipjack.api.DeadJobs;
import dev.skipjack.api.DeadLetterGroup;
import dev.skipjack.api.JobDetails;
import dev.skipjack.api.JobExecution;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobQuery;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.OperationAction;
import dev.skipjack.api.OperationPreview;
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
  static final class Redrive extends QueueAction {

    @Mixin private Filter filter = new Filter();
    @Mixin private BulkChange bulk;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before anything runs
    Redrive() {
      super(Access.WRITE);
    }

    @Override
    int run(JobQueue queue, Output output) {
      return bulk.run(
          queue, queue.operations().preview(OperationAction.REDRIVE, filter.query()), output);
    }
  }

  /** {@code skipjack dead prune}. */
  @Command(
      name = "prune",
      description = {"Delete all matching dead jobs permanently.", BulkChange.HELP})
  static final class Prune extends QueueAction {

    @Option(
        names = "--older-than",
        paramLabel = "DURATION",
        defaultValue = "0s",
        description =
            "Only jobs that have been dead for longer, for example 7d. Default: ${DEFAULT-VALUE}.")
    private Duration age;

    @Mixin private Filter filter = new Filter();
    @Mixin private BulkChange bulk;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before anything runs
    Prune() {
      super(Access.WRITE);
    }

    @Override
    int run(JobQueue queue, Output output) {
      OperationPreview preview =
          age.isZero()
              ? queue.operations().preview(OperationAction.PRUNE, filter.query())
              : queue.operations().previewPrune(filter.query(), age);
      return bulk.run(queue, preview, output);
    }
  }
}
