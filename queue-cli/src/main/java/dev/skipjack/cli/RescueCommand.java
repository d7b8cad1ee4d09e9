package dev.skipjack.cli;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.OrderedJobs;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.store.jooq.JobQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code skipjack rescue}. */
@Command(
    name = "rescue",
    description = {
      "Take back jobs whose lease has expired, as running workers do by themselves.",
      "A rescued job is due again, or becomes dead if it has used all its attempts."
    })
final class RescueCommand extends ChangeAction {

  private static final int BATCH = 500;

  private static final Fields<Rescued> RESCUED =
      Fields.<Rescued>none()
          .and("id", job -> job.execution().jobId())
          .and("queue", Rescued::queue)
          .and("kind", Rescued::kind)
          .and("status", Rescued::status);

  @Option(
      names = "--spread",
      paramLabel = "DURATION",
      defaultValue = "0s",
      description = "The jobs become due within this time. Default: ${DEFAULT-VALUE}.")
  private Duration spread;

  @SuppressWarnings("NullAway.Init") // picocli sets an option that has a default
  RescueCommand() {}

  @Override
  int run(JobQueue queue, Output output) {
    List<Rescued> rescued = new ArrayList<>();
    List<Rescued> batch;
    do {
      batch = queue.store().rescue(spread, BATCH);
      rescued.addAll(batch);
      output.progress(() -> Cell.jobs(rescued.size()) + " rescued");
    } while (batch.size() == BATCH);
    output.endProgress();
    // A job that became dead may have freed its ordering key for the next job.
    if (rescued.stream().anyMatch(job -> job.status() == JobStatus.DEAD)) {
      queue.orderedJobs().ifPresent(OrderedJobs::sweep);
    }
    if (!rescued.isEmpty()) {
      actor().recordIfAllowed(queue, "rescue", null, Cell.jobs(rescued.size()));
    }
    output.listOrNote("rescued", RESCUED, rescued, "No lease has expired.");
    return ExitCodes.DONE; // a cron job often has nothing to rescue
  }
}
