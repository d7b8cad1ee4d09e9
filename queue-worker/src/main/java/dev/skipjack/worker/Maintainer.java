package dev.skipjack.worker;

import dev.skipjack.api.Retention;
import dev.skipjack.api.spi.CreatedPartitions;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Postponed.Reason;
import dev.skipjack.api.spi.Pruned;
import dev.skipjack.api.spi.RemovedPartitions;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Creates the partitions of the days to come and removes and prunes what is older than its
 * retention, for everybody: any worker may do it at any time. A loop of its own, because it may
 * wait a second here and there for somebody's lock, and jobs that are to be rescued must not wait
 * with it.
 */
final class Maintainer implements Loop.Step {

  static final Duration AHEAD = Duration.ofDays(14);

  private static final long USUALLY = Duration.ofHours(1).toNanos();
  private static final long WHEN_BUSY = Duration.ofMinutes(1).toNanos();
  private static final long WHEN_UNFINISHED = Duration.ofSeconds(1).toNanos();

  private final Maintenance maintenance;
  private final Retention retention;
  private final Reporter reporter;
  private final RandomGenerator random;
  private Set<Postponed> known = Set.of();

  Maintainer(
      Maintenance maintenance, Retention retention, Reporter reporter, RandomGenerator random) {
    this.maintenance = maintenance;
    this.retention = retention;
    this.reporter = reporter;
    this.random = random;
  }

  @Override
  public long run() {
    CreatedPartitions created = maintenance.createPartitions(AHEAD);
    reporter.partitionsCreated(created.created());
    RemovedPartitions removed = maintenance.removePartitions(retention);
    reporter.partitionsRemoved(removed.removed(), removed.rows());
    Set<Postponed> postponed = new HashSet<>(created.postponed());
    postponed.addAll(removed.postponed());
    // Said once, not each minute while a reader holds the same partition.
    postponed.stream().filter(one -> !known.contains(one)).forEach(reporter::partitionPostponed);
    known = postponed;
    Pruned pruned = maintenance.prune();
    reporter.pruned(pruned);
    return Jitter.around(pruned.unfinished() ? WHEN_UNFINISHED : pause(postponed), random);
  }

  private static long pause(Set<Postponed> postponed) {
    long pause = USUALLY;
    for (Postponed one : postponed) {
      if (one.reason() == Reason.UNFINISHED) {
        return WHEN_UNFINISHED;
      }
      if (one.reason() == Reason.BUSY) {
        pause = WHEN_BUSY;
      }
    }
    return pause;
  }
}
