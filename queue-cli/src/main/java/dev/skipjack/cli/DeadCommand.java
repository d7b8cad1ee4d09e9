package dev.skipjack.cli;

import dev.skipjack.api.DeadJobs;
import dev.skipjack.api.DeadLetterGroup;
import dev.skipjack.api.JobDetails;
import dev.skipjack.api.JobExecution;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobPage;
import dev.skipjack.api.JobQuery;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobSummary;
import dev.skipjack.api.OperationAction;
import dev.skipjack.api.OperationPreview;
import dev.skipjack.api.PageToken;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
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
      return bulk.run(queue, OperationAction.REDRIVE, filter.query(), output);
    }
  }

  /** {@code skipjack dead prune}. */
  @Command(
      name = "prune",
      description = {"Delete all matching dead jobs permanently.", BulkChange.HELP})
  static final class Prune extends QueueAction {

    private static final int PREVIEW_PAGES = 20;

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
      return age.isZero()
          ? bulk.run(queue, OperationAction.PRUNE, filter.query(), output)
          : pruneOld(queue, output);
    }

    /** Operations have no filter for the time since which a job has been dead. */
    private int pruneOld(JobQueue queue, Output output) {
      OperationPreview preview = old(queue);
      boolean wanted =
          bulk.isConfirmed(
              preview,
              count ->
                  "Delete %s jobs that have been dead for longer than %s?"
                      .formatted(count, Cell.duration(age)),
              output);
      if (!wanted) {
        return ExitCodes.DONE;
      }
      int deleted =
          queue
              .admin()
              .pruneAll(
                  filter.jobs(),
                  age,
                  done -> output.progress(() -> "%d of %d jobs".formatted(done, preview.jobs())));
      output.endProgress();
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("done", deleted);
      output.done("Deleted %d jobs.".formatted(deleted), members);
      return deleted == 0 ? ExitCodes.NOTHING_MATCHED : ExitCodes.DONE;
    }

    /**
     * Counts the old jobs by the clock of this machine, while the deletion uses that of the server.
     */
    private OperationPreview old(JobQueue queue) {
      OperationPreview all = queue.operations().preview(OperationAction.PRUNE, filter.query());
      Instant before = Instant.now().minus(age);
      List<JobSummary> sample = new ArrayList<>();
      long jobs = 0;
      JobQuery next = filter.query().limit(JobQuery.LARGEST);
      for (int page = 0; page < PREVIEW_PAGES; page++) {
        JobPage read = queue.reader().list(next);
        for (JobSummary job : read.jobs()) {
          if (job.diedAt() != null && job.diedAt().isBefore(before)) {
            jobs++;
            if (sample.size() < all.sample().size()) {
              sample.add(job);
            }
          }
        }
        PageToken token = read.nextToken();
        if (token == null) {
          return new OperationPreview(
              all.action(), all.filter(), jobs, false, sample, all.newestId());
        }
        next = next.after(token);
      }
      return new OperationPreview(all.action(), all.filter(), jobs, true, sample, all.newestId());
    }
  }
}
