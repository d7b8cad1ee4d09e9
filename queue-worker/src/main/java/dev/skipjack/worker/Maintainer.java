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
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Creates the partitions of the coming days, and removes rows that are older than their retention.
 * Any worker may do this at any time, for all workers. The maintainer has a separate loop, because
 * it may wait up to a second for another transaction's lock, which must not delay the rescue of
 * jobs.
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
  private final Vitals vitals;
  private Set<Postponed> known = Set.of();
  private Set<String> knownUnpruned = Set.of();
  private @Nullable RuntimeException failed;
  private long pauseAfterFailure;

  Maintainer(
      Maintenance maintenance,
      Retention retention,
      Vitals vitals,
      Reporter reporter,
      RandomGenerator random) {
    this.maintenance = maintenance;
    this.retention = retention;
    this.vitals = vitals;
    this.reporter = reporter;
    this.random = random;
  }

  @Override
  public long run() {
    failed = null;
    pauseAfterFailure = 0;
    Set<Postponed> postponed = new HashSet<>();
    step(() -> postponed.addAll(create()));
    step(() -> postponed.addAll(remove()));
    // Logged once, not every minute while a reader holds the same partition.
    postponed.stream().filter(one -> !known.contains(one)).forEach(reporter::partitionPostponed);
    known = postponed;
    long[] pause = {pause(postponed)};
    step(() -> pause[0] = Math.min(pause[0], prune()));
    if (failed != null) {
      pauseAfterFailure = Jitter.around(Math.min(pause[0], WHEN_BUSY), random);
      throw failed;
    }
    return Jitter.around(pause[0], random);
  }

  /**
   * Returns the minimum pause. A step that the database rejects, for example because a privilege is
   * missing, would soon be rejected again.
   */
  @Override
  public long pauseAfter(Throwable failure) {
    return pauseAfterFailure;
  }

  /** Runs a step. If it fails, the other steps still run, unless the database is unavailable. */
  private void step(Runnable step) {
    try {
      step.run();
    } catch (Throwable thrown) {
      RuntimeException failure = Loop.unchecked(thrown);
      if (DatabaseWatch.isAway(failure)) {
        throw failure;
      }
      failed = failed == null ? failure : failed;
    }
  }

  private List<Postponed> create() {
    CreatedPartitions created = maintenance.createPartitions(AHEAD);
    vitals.partitionsAre(created);
    reporter.partitionsCreated(created.created());
    return created.postponed();
  }

  private List<Postponed> remove() {
    RemovedPartitions removed = maintenance.removePartitions(retention);
    reporter.partitionsRemoved(removed.removed(), removed.rows());
    return removed.postponed();
  }

  private long prune() {
    Pruned pruned = maintenance.prune();
    reporter.pruned(pruned);
    Set<String> unpruned = Set.copyOf(pruned.failed());
    unpruned.stream().filter(one -> !knownUnpruned.contains(one)).forEach(reporter::notPruned);
    knownUnpruned = unpruned;
    if (pruned.unfinished()) {
      return WHEN_UNFINISHED;
    }
    return unpruned.isEmpty() ? USUALLY : WHEN_BUSY;
  }

  private static long pause(Set<Postponed> postponed) {
    long pause = USUALLY;
    for (Postponed one : postponed) {
      if (one.reason() == Reason.UNFINISHED) {
        return WHEN_UNFINISHED;
      }
      if (one.reason() == Reason.BUSY || one.reason() == Reason.FAILED) {
        pause = WHEN_BUSY;
      }
    }
    return pause;
  }
}
