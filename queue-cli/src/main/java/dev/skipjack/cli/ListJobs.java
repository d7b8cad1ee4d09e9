package dev.skipjack.cli;

import dev.skipjack.api.operations.JobPage;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.PageToken;
import dev.skipjack.api.operations.RunningJob;
import dev.skipjack.store.jooq.JobQueue;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code skipjack jobs list}. */
@Command(
    name = "list",
    description = {
      "List jobs without their payloads: live jobs by id, or ended jobs from the latest.",
      "Each call reads at most 10,000 jobs, or 1,000 with --payload. If there may be more, it prints the option that continues the list."
    })
final class ListJobs extends QueueAction {

  private enum Order {
    ID,
    DUE,
    STARTED
  }

  private static final Fields<RunningJob> RUNNING =
      JobsCommand.SUMMARY
          .<RunningJob>of(RunningJob::job)
          .and("running_for_seconds", RunningJob::runsFor)
          .and("host", RunningJob::host)
          .and("pid", RunningJob::pid)
          .and(JobsCommand.stackOf(RunningJob::stack));

  @Mixin private JobFilter.WithStatus filter = new JobFilter.WithStatus();

  @Option(names = "--ended", description = "List completed and cancelled jobs.")
  private boolean ended;

  @Option(
      names = "--sort",
      paramLabel = "ORDER",
      description =
          "Order of live jobs: id (the default); due for the pending jobs of --queue, the one that has been due longest first; or started for running jobs, the one that has run longest first.")
  private @Nullable Order sort;

  @Option(
      names = "--running-longer-than",
      paramLabel = "DURATION",
      description =
          "Only running jobs whose attempt has run longer than this, for example 2h, the longest first, with the processes that run them. Not with other filters.")
  private @Nullable Duration runningLongerThan;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "Maximum number of jobs, from 1 to 500. Default: ${DEFAULT-VALUE}.")
  private int limit;

  @Option(
      names = "--after",
      paramLabel = "TOKEN",
      description = "Continue an earlier list, with the same filters and order.")
  private @Nullable String after;

  ListJobs() {
    super(Access.READ);
  }

  @Override
  int run(JobQueue jobs, Output output) {
    return listsRunning() ? listRunning(jobs, output) : listPage(jobs, output);
  }

  private boolean listsRunning() {
    return sort == Order.STARTED || runningLongerThan != null;
  }

  private int listRunning(JobQueue jobs, Output output) {
    List<RunningJob> running =
        jobs.reader()
            .longestRunning(Objects.requireNonNullElse(runningLongerThan, Duration.ZERO), limit);
    if (running.size() == limit) {
      output.note("There may be more jobs. Raise --limit, up to 500.");
    }
    return output.listOrNote("jobs", RUNNING, running, "No job matches.");
  }

  private int listPage(JobQueue jobs, Output output) {
    JobPage page = jobs.reader().list(query());
    PageToken next = page.nextToken();
    Map<String, @Nullable Object> more = new LinkedHashMap<>();
    more.put("next", next == null ? null : next.text());
    if (output.isJson() || !page.jobs().isEmpty()) {
      output.list("jobs", JobsCommand.SUMMARY, page.jobs(), more);
    }
    if (next != null) {
      output.note(
          page.jobs().size() == limit
              ? "There may be more jobs. Continue with --after %s".formatted(next)
              : "Stopped before the end of the list: %d of the jobs that were read match. Continue with --after %s"
                  .formatted(page.jobs().size(), next));
      return ExitCodes.DONE;
    }
    if (page.jobs().isEmpty()) {
      output.note("No job matches.");
      return ExitCodes.NOTHING_MATCHED;
    }
    return ExitCodes.DONE;
  }

  @Override
  void check() {
    if (!listsRunning()) {
      query();
    } else if (!filter.isEmpty() || ended || after != null) {
      throw CommandFailure.input(
          "%s does not combine with filters, --ended and --after."
              .formatted(runningLongerThan == null ? "--sort started" : "--running-longer-than"));
    } else if (sort == Order.ID || sort == Order.DUE) {
      throw CommandFailure.input("--running-longer-than lists by start; use --sort started.");
    }
  }

  private JobQuery query() {
    JobQuery filtered = filter.applyTo(all().limit(limit));
    return after == null ? filtered : filtered.after(new PageToken(after));
  }

  private JobQuery all() {
    boolean archived = ended || filter.selectsEnded();
    if (sort != null && archived) {
      throw CommandFailure.input("--sort orders live jobs; ended jobs are listed from the latest.");
    }
    if (sort == Order.DUE) {
      return JobQuery.pending(
          filter.queue().orElseThrow(() -> CommandFailure.input("--sort due needs --queue.")));
    }
    return archived ? JobQuery.archived() : JobQuery.live();
  }
}
