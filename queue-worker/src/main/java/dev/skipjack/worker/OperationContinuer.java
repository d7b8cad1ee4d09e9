package dev.skipjack.worker;

import dev.skipjack.api.spi.ContinuedOperations;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.WorkerInstructions;
import java.util.Set;

/**
 * Continues bulk operations whose process has ended. The statement of the {@link Registrar} also
 * returns whether there is one, so that a worker needs no statement to find out. Confined to its
 * thread, except {@link #instructed}.
 */
final class OperationContinuer implements Loop.Step {

  private static final long NEVER = Long.MAX_VALUE;

  private final Maintenance maintenance;
  private final Wakeup wakeup;
  private final Reporter reporter;
  private Set<String> known = Set.of();
  private boolean asked;
  private volatile boolean due;

  /**
   * @param wakeup wakes the thread that calls {@link #run}
   */
  OperationContinuer(Maintenance maintenance, Wakeup wakeup, Reporter reporter) {
    this.maintenance = maintenance;
    this.wakeup = wakeup;
    this.reporter = reporter;
  }

  void instructed(WorkerInstructions instructions) {
    if (instructions.operationsDue()) {
      due = true;
      wakeup.raise();
    }
  }

  /** Returns whether the last run used the database. */
  @Override
  public boolean asked() {
    return asked;
  }

  /**
   * Continues operations for about a second. If that fails, the next instructions of the worker
   * start another try.
   */
  @Override
  public long run() {
    asked = due;
    if (!due) {
      return NEVER;
    }
    due = false;
    ContinuedOperations continued = maintenance.continueOperations();
    continued.ended().forEach(reporter::operationContinued);
    // Logged once, not every few minutes while an operation cannot be continued.
    continued.failed().stream()
        .filter(one -> !known.contains(one))
        .forEach(reporter::operationNotContinued);
    known = Set.copyOf(continued.failed());
    if (!continued.unfinished()) {
      return NEVER;
    }
    due = true;
    return 1;
  }
}
