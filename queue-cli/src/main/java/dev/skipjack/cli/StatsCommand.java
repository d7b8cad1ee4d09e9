package dev.skipjack.cli;

import dev.skipjack.store.jooq.JobQueue;
import picocli.CommandLine.Command;

/** {@code skipjack stats}. */
@Command(
    name = "stats",
    description = {
      "Show each queue with its jobs, the age of its oldest due job, and its workers.",
      "Numbers above 10,000 are estimates."
    })
final class StatsCommand extends QueueAction {

  StatsCommand() {
    super(Access.READ);
  }

  @Override
  int run(JobQueue queue, Output output) {
    Overview overview = Overview.read(queue);
    output.list("queues", QueueOverview.FIELDS, overview.queues(), overview.totals());
    if (!output.isJson()) {
      output.line("");
      output.line(overview.summary());
      overview.warnings().forEach(warning -> output.line("! " + warning));
    }
    return ExitCodes.DONE;
  }
}
