package dev.skipjack.store.jooq;

import dev.skipjack.api.DeadJobs;
import dev.skipjack.api.spi.Pruned;
import dev.skipjack.store.jooq.DeadJobsStatement.Position;
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
 * Deletes the dead jobs that are older than their queue's retention. A call that runs out of time
 * leaves the rest to the next, which continues where it stopped: if each call began anew, a queue
 * with more dead jobs than one call can read would keep its own last ones, and those of other
 * queues, from ever being read. Each process has its own position. Safe for any number of threads;
 * two at once may walk the same jobs.
 */
final class DeadLetterPruner implements JooqMaintenance.DeadJobPruning {

  private final DeadLetters deadLetters;
  private final AtomicReference<Optional<Position>> stopped =
      new AtomicReference<>(Optional.empty());

  DeadLetterPruner(DeadLetters deadLetters) {
    this.deadLetters = deadLetters;
  }

  /** Prunes until all queues are done or the deadline has passed, and at least one batch. */
  @Override
  public Pruned prune(Map<String, Instant> cutoffs, Instant now, long deadline) {
    AtomicLong jobs = new AtomicLong();
    List<String> failed = new ArrayList<>();
    Optional<Position> from = stopped.getAndSet(Optional.empty());
    AtomicReference<@Nullable Position> end = new AtomicReference<>();
    for (Map.Entry<String, Instant> queue : left(cutoffs, from)) {
      // Not ofQueue: the table may hold names that only SQL allows.
      DeadJobs which = new DeadJobs(Optional.of(queue.getKey()), Optional.empty());
      Position after =
          from.filter(position -> position.queue().equals(queue.getKey()))
              .orElseGet(() -> Position.before(which));
      MaintenanceSteps.prune(
          "Dead jobs of queue '%s'".formatted(queue.getKey()),
          failed,
          () ->
              deadLetters
                  .walk(
                      which,
                      after,
                      Duration.between(queue.getValue(), now),
                      batch -> {
                        jobs.addAndGet(deadLetters.pruneFree(batch));
                        return System.nanoTime() - deadline < 0;
                      })
                  .ifPresent(end::set));
      Position reached = end.get();
      if (reached != null) {
        stopped.set(Optional.of(reached));
        return new Pruned(0, jobs.get(), true, failed);
      }
    }
    return new Pruned(0, jobs.get(), false, failed);
  }

  /** By name, from the queue of the position on: those before it had their turn in this round. */
  private static Set<Map.Entry<String, Instant>> left(
      Map<String, Instant> cutoffs, Optional<Position> from) {
    return new TreeMap<>(cutoffs).tailMap(from.map(Position::queue).orElse("")).entrySet();
  }
}
