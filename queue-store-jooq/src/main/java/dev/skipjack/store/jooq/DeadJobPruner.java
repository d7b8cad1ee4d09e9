package dev.skipjack.store.jooq;

import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.spi.Pruned;
import dev.skipjack.store.jooq.WalkDeadJobsStatement.WalkPosition;
import dev.skipjack.store.jooq.internal.history.JooqMaintenance;
import dev.skipjack.store.jooq.internal.history.MaintenanceSteps;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the dead jobs that are older than their queue's retention. If a call runs out of time,
 * the next call of this process continues where it stopped, so that every queue is reached. Safe
 * for any number of threads.
 */
final class DeadJobPruner implements JooqMaintenance.DeadJobPruning {

  private final DeadJobWalker walker;
  private final AtomicReference<Optional<WalkPosition>> stopped =
      new AtomicReference<>(Optional.empty());

  DeadJobPruner(DeadJobWalker walker) {
    this.walker = walker;
  }

  /**
   * Prunes at least one batch, and then more until all queues are done or the deadline has passed.
   */
  @Override
  public Pruned prune(Map<String, Instant> cutoffs, Instant now, long deadline) {
    AtomicLong jobs = new AtomicLong();
    List<String> failed = new ArrayList<>();
    Optional<WalkPosition> from = stopped.getAndSet(Optional.empty());
    AtomicReference<@Nullable WalkPosition> end = new AtomicReference<>();
    for (Map.Entry<String, Instant> queue : left(cutoffs, from)) {
      // DeadJobs.ofQueue would reject a name that was written without the schema's constraint.
      DeadJobs which = new DeadJobs(Optional.of(queue.getKey()), Optional.empty());
      WalkPosition after =
          from.filter(position -> position.queue().equals(queue.getKey()))
              .orElseGet(() -> WalkPosition.before(which));
      MaintenanceSteps.prune(
          "Dead jobs of queue '%s'".formatted(queue.getKey()),
          failed,
          () ->
              walker
                  .walk(
                      which,
                      after,
                      Duration.between(queue.getValue(), now),
                      batch -> {
                        jobs.addAndGet(walker.pruneFree(batch));
                        return System.nanoTime() - deadline < 0;
                      })
                  .ifPresent(end::set));
      WalkPosition reached = end.get();
      if (reached != null) {
        stopped.set(Optional.of(reached));
        return new Pruned(0, jobs.get(), true, failed);
      }
    }
    return new Pruned(0, jobs.get(), false, failed);
  }

  /**
   * Returns the queues in name order, beginning with the queue of the position. Earlier queues are
   * already done in this round.
   */
  private static Set<Map.Entry<String, Instant>> left(
      Map<String, Instant> cutoffs, Optional<WalkPosition> from) {
    return new TreeMap<>(cutoffs).tailMap(from.map(WalkPosition::queue).orElse("")).entrySet();
  }
}
