package dev.skipjack.store.jooq;

import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.spi.ContinuedOperations;
import dev.skipjack.operations.bulk.AbandonedOperations;
import dev.skipjack.store.jooq.internal.history.MaintenanceSteps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Continues abandoned operations for about a second at each call. Safe for any number of threads:
 * of the workers of one queue object, one at a time does so.
 */
final class OperationContinuation implements Supplier<ContinuedOperations> {

  private static final long LONGEST_CALL = Duration.ofSeconds(1).toNanos();

  private final AbandonedOperations abandoned;
  private final Lock turn = new ReentrantLock();

  OperationContinuation(AbandonedOperations abandoned) {
    this.abandoned = abandoned;
  }

  @Override
  public ContinuedOperations get() {
    if (!turn.tryLock()) {
      return ContinuedOperations.NONE;
    }
    try {
      return continueSome();
    } finally {
      turn.unlock();
    }
  }

  private ContinuedOperations continueSome() {
    long deadline = System.nanoTime() + LONGEST_CALL;
    List<JobOperation> ended = new ArrayList<>();
    List<String> failed = new ArrayList<>();
    while (takeOver(failed)) {
      Optional<JobOperation> last =
          MaintenanceSteps.run(
              abandoned::batch,
              failure -> {
                failed.add(leave(String.valueOf(failure.getMessage())));
                return Optional.empty();
              });
      last.ifPresent(ended::add);
      if (System.nanoTime() - deadline > 0) {
        return new ContinuedOperations(ended, true, failed);
      }
    }
    return new ContinuedOperations(ended, false, failed);
  }

  private boolean takeOver(List<String> failed) {
    return MaintenanceSteps.run(
        abandoned::takeOver,
        failure -> {
          failed.add("No operation was taken over. " + failure.getMessage());
          return false;
        });
  }

  /** Leaves an operation that could not be continued. The reason is recorded in it if possible. */
  private String leave(String reason) {
    long id =
        MaintenanceSteps.run(() -> abandoned.leave(reason), failure -> abandoned.leave(reason));
    return "Operation %d was not continued. %s".formatted(id, reason);
  }
}
