package dev.skipjack.cli;

import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.OperationPreview;
import dev.skipjack.api.operations.OperationPreview.PayloadChange;
import dev.skipjack.store.jooq.JobQueue;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Changes many jobs as an operation: shows a preview, asks the user to confirm it, and reports the
 * result.
 */
final class BulkChange {

  /** A part of the help of each command that can change jobs by a filter. */
  static final String HELP =
      "A change by filter prints up to five of the jobs, asks for confirmation, and works in batches. If it is interrupted, a running worker continues it; or use 'skipjack operations continue'.";

  /** The maximum length of a payload in the preview. JSON output contains the whole payload. */
  private static final int LONGEST_PAYLOAD = 1_000;

  private static final Fields<PayloadChange> CHANGE =
      Fields.<PayloadChange>none()
          .and("id", PayloadChange::job)
          .and("before", change -> Json.Raw.of(change.before()))
          .and("after", change -> Json.Raw.of(change.after()));

  @Option(
      names = "--dry-run",
      description = "Print how many jobs match, and up to five of them. Change nothing.")
  private boolean dryRun;

  @Mixin private Confirmation confirmation;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields before the command runs
  BulkChange() {}

  boolean isDryRun() {
    return dryRun;
  }

  /**
   * Changes all jobs of a preview, unless this is a dry run. The operation records its actor; a
   * reason is recorded apart.
   *
   * @return the exit code
   * @throws CommandFailure if no job matches or the user declines
   */
  int run(JobQueue queue, OperationPreview preview, Actor actor, Output output) {
    if (!isConfirmed(preview, output)) {
      return ExitCodes.DONE;
    }
    JobOperation started = queue.operations().start(preview, actor.name());
    if (actor.reason() != null) {
      record("start_operation", started, actor, queue);
    }
    return work(queue, started, preview.jobs(), output);
  }

  /** Records what was done with an operation. */
  static void record(String action, JobOperation operation, Actor actor, JobQueue queue) {
    actor.record(queue, action, operation.filter().queue(), "operation " + operation.id());
  }

  /**
   * Prints the preview of a change and asks the user to confirm it.
   *
   * @return false if this is a dry run
   * @throws CommandFailure if no job matches or the user declines
   */
  private boolean isConfirmed(OperationPreview preview, Output output) {
    if (preview.jobs() == 0 && !preview.atLeast()) {
      throw CommandFailure.nothing(
          preview.action() == OperationAction.REDRIVE || preview.action() == OperationAction.PRUNE
              ? "No dead job matches."
              : "No job matches.");
    }
    if (!output.isJson()) {
      output.list("jobs", JobsCommand.SUMMARY, preview.sample());
      for (PayloadChange change : preview.changes()) {
        output.line("");
        output.line("Payload of job %s:".formatted(change.job()));
        output.line("  " + shortened(change.before()));
        output.line(
            change.after() == null
                ? "  is not a JSON object and is not changed."
                : "  becomes " + shortened(change.after()));
      }
    }
    boolean single = preview.jobs() == 1 && !preview.atLeast();
    String count = preview.jobs() + (preview.atLeast() ? " or more" : "");
    if (dryRun) {
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("jobs", preview.jobs());
      members.put("at_least", preview.atLeast());
      members.put("newest_id", preview.newestId());
      members.put("sample", preview.sample().stream().map(JobsCommand.SUMMARY::members).toList());
      if (preview.payloadPatch() != null) {
        members.put("changes", preview.changes().stream().map(CHANGE::members).toList());
      }
      output.done(
          "%s %s. Nothing was changed.".formatted(count, single ? "job matches" : "jobs match"),
          members);
      return false;
    }
    confirmation.require(
        "%s%s, up to job %d?"
            .formatted(
                request(preview).formatted(count, single ? "job" : "jobs"),
                preview.diedBefore() == null
                    ? ""
                    : " that died before " + Cell.whole(preview.diedBefore()),
                preview.newestId()),
        output);
    return true;
  }

  /**
   * Runs an operation and reports its result.
   *
   * @param jobs the number of jobs that the operation covers; 0 if it is not known
   * @return the exit code
   */
  static int work(JobQueue queue, JobOperation started, long jobs, Output output) {
    JobOperation ended =
        queue
            .operations()
            .run(
                started.id(),
                progress ->
                    output.progress(
                        () ->
                            jobs == 0
                                ? Cell.jobs(progress.done())
                                : "%d of %s".formatted(progress.done(), Cell.jobs(jobs))));
    output.endProgress();
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("operation", ended.id());
    members.put("state", ended.state());
    members.put("done", ended.done());
    members.put("skipped", ended.skipped());
    members.put("failed", ended.failed());
    members.put("last_reason", ended.lastReason());
    long refused = ended.skipped() + ended.failed();
    boolean finished = ended.state() == JobOperation.State.FINISHED;
    output.done(
        "%s%s.%s"
            .formatted(
                result(ended.action()).formatted(Cell.jobs(ended.done())),
                refused == 0
                    ? ""
                    : "; %s skipped and %s locked. The last reason: %s"
                        .formatted(
                            Cell.count(ended.skipped(), "was", "were"),
                            Cell.count(ended.failed(), "was", "were"),
                            Cell.whole(ended.lastReason()).replaceFirst("[.]$", "")),
                switch (ended.state()) {
                  case FINISHED -> "";
                  case RUNNING -> " Another process continues operation %d.".formatted(ended.id());
                  case STOPPED ->
                      " The operation was stopped. Continue it with 'skipjack operations continue %d'."
                          .formatted(ended.id());
                }),
        members);
    return refused == 0 && finished ? ExitCodes.DONE : ExitCodes.BAD_NEWS;
  }

  private static String shortened(String payload) {
    String line = Cell.safe(payload);
    return line.length() <= LONGEST_PAYLOAD ? line : line.substring(0, LONGEST_PAYLOAD) + "...";
  }

  private static String request(OperationPreview preview) {
    return switch (preview.action()) {
      case REDRIVE ->
          preview.payloadPatch() == null
              ? "Redrive %s dead %s"
              : "Change the payloads of %s dead %s and redrive them";
      case RUN_NOW -> "Make %s %s due now";
      case CANCEL -> "Cancel %s %s";
      case PRUNE -> "Delete %s dead %s";
      case EDIT -> "Change the payloads of %s %s";
    };
  }

  private static String result(OperationAction action) {
    return switch (action) {
      case REDRIVE -> "Redrove %s";
      case RUN_NOW -> "Made %s due";
      case CANCEL -> "Cancelled %s";
      case PRUNE -> "Deleted %s";
      case EDIT -> "Changed the payloads of %s";
    };
  }
}
