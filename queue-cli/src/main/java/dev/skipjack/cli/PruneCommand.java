package dev.skipjack.cli;

import dev.skipjack.api.Retention;
import dev.skipjack.api.spi.CreatedPartitions;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Pruned;
import dev.skipjack.api.spi.RemovedPartitions;
import dev.skipjack.store.jooq.JobQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code skipjack prune}. */
@Command(
    name = "prune",
    description = {
      "Remove history, expired keys and expired dead jobs, and create the partitions of the next two weeks, as running workers do by themselves.",
      "Only the owner of the tables can remove partitions. The command stops after about 30 seconds; run it again if it reports that more remains."
    })
final class PruneCommand extends ChangeAction {

  private static final Duration AHEAD = Duration.ofDays(14);
  private static final int MOST_CALLS = 3;

  @Option(
      names = "--archive",
      paramLabel = "DURATION",
      defaultValue = "7d",
      description =
          "How long ended jobs are kept, except in queues with a setting of their own. Default: ${DEFAULT-VALUE}.")
  private Duration archive;

  @Option(
      names = "--audit",
      paramLabel = "DURATION",
      defaultValue = "30d",
      description = "How long attempts are kept. Default: ${DEFAULT-VALUE}.")
  private Duration audit;

  @SuppressWarnings("NullAway.Init") // picocli sets options that have a default
  PruneCommand() {}

  /** The sums of the results of several calls. */
  private static final class Totals {

    private final List<String> created = new ArrayList<>();
    private final List<String> removed = new ArrayList<>();
    private final Set<String> problems = new LinkedHashSet<>();
    private long ended;
    private long dead;
    private long keys;
    private boolean unfinished;

    void problems(List<Postponed> postponed) {
      for (Postponed one : postponed) {
        if (one.reason() == Postponed.Reason.UNFINISHED) {
          unfinished = true;
        } else {
          problems.add(
              "%s: %s%s"
                  .formatted(
                      one.partition(),
                      Cell.literal(one.reason()).replace('_', ' '),
                      one.detail().isEmpty() ? "" : " (%s)".formatted(one.detail())));
        }
      }
    }
  }

  @Override
  void check() {
    new Retention(archive, audit);
  }

  @Override
  int run(JobQueue queue, Output output) {
    Totals totals = new Totals();
    CreatedPartitions created = queue.maintenance().createPartitions(AHEAD);
    totals.created.addAll(created.created());
    totals.problems(created.postponed());
    for (int call = 0; call == 0 || (totals.unfinished && call < MOST_CALLS); call++) {
      totals.unfinished = false;
      RemovedPartitions removed =
          queue.maintenance().removePartitions(new Retention(archive, audit));
      totals.removed.addAll(removed.removed());
      totals.ended += removed.rows();
      totals.problems(removed.postponed());
      Pruned pruned = queue.maintenance().prune();
      totals.keys += pruned.keys();
      totals.dead += pruned.jobs();
      totals.unfinished |= pruned.unfinished();
      totals.problems.addAll(pruned.failed());
    }
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("partitions_created", totals.created);
    members.put("partitions_removed", totals.removed);
    members.put("ended_jobs_deleted", totals.ended);
    members.put("dead_jobs_deleted", totals.dead);
    members.put("keys_deleted", totals.keys);
    members.put("unfinished", totals.unfinished);
    members.put("problems", totals.problems);
    String done =
        "Created %s, removed %d, and deleted %s, %s and %s."
            .formatted(
                Cell.count(totals.created.size(), "partition", "partitions"),
                totals.removed.size(),
                Cell.count(totals.ended, "ended job", "ended jobs"),
                Cell.count(totals.dead, "dead job", "dead jobs"),
                Cell.count(totals.keys, "key", "keys"));
    actor().recordIfAllowed(queue, "prune", null, done);
    output.done(done, members);
    totals.problems.forEach(output::note);
    if (totals.unfinished) {
      output.note("More remains. Run the command again.");
    }
    return totals.problems.isEmpty() ? ExitCodes.DONE : ExitCodes.BAD_NEWS;
  }
}
