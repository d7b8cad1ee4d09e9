package dev.skipjack.cli;

import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.store.jooq.JobQueue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code skipjack jobs patch}. */
@Command(
    name = "patch",
    description = {
      "Change the payloads of all jobs that match a filter and are not running, by a JSON merge patch. Dead jobs remain dead.",
      BulkChange.HELP
    })
final class PatchJobs extends ChangeAction {

  /** The help of each option that takes a patch. */
  static final String HELP =
      "A JSON object. Each of its fields replaces that of the payload, null removes it, and objects are merged, for example '{\"currency\": \"EUR\", \"debug\": null}'.";

  @Parameters(paramLabel = "PATCH", description = HELP)
  private String patch;

  @Mixin private JobFilter.WithStatus filter = new JobFilter.WithStatus();
  @Mixin private BulkChange bulk;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields before the command runs
  PatchJobs() {}

  @Override
  void check() {
    if (filter.isEmpty()) {
      throw CommandFailure.input(
          "No jobs are selected. Use a filter, for example --queue; 'skipjack jobs edit' changes a single job.");
    }
    filter.applyTo(JobQuery.live());
  }

  @Override
  int run(JobQueue queue, Output output) {
    return bulk.run(
        queue,
        queue.operations().preview(OperationAction.EDIT, filter.applyTo(JobQuery.live()), patch),
        actor(),
        output);
  }
}
