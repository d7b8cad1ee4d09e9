package dev.skipjack.demo;

import dev.skipjack.worker.WorkerEvent;
import dev.skipjack.worker.WorkerListener;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the work that this process has done so far, for the progress display. The report uses the
 * database instead.
 */
final class Progress implements WorkerListener {

  private final OptionalLong expected;
  private final LongAdder stored = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder completed = new LongAdder();
  private final LongAdder retries = new LongAdder();
  private final LongAdder dead = new LongAdder();

  /**
   * @param expected the number of jobs that will have ended after the run; empty if the length of
   *     the input is unknown
   */
  Progress(OptionalLong expected) {
    this.expected = expected;
  }

  void stored() {
    stored.increment();
  }

  void refused() {
    refused.increment();
  }

  @Override
  public void on(WorkerEvent event) {
    if (event instanceof WorkerEvent.Succeeded) {
      completed.increment();
    } else if (event instanceof WorkerEvent.Failed) {
      retries.increment();
    } else if (event instanceof WorkerEvent.Dead) {
      dead.increment();
    }
  }

  /** Returns the number of deliveries stored so far, each with its job. */
  long storedSoFar() {
    return stored.sum();
  }

  /** Returns the number of sends so far, including refused ones. */
  long sends() {
    return stored.sum() + refused.sum();
  }

  /** Returns the number of jobs that have ended. */
  long ended() {
    return completed.sum() + dead.sum();
  }

  /** Returns the number of failed attempts that are retried. */
  long retriesSoFar() {
    return retries.sum();
  }

  /** Returns the number of dead jobs. */
  long deadSoFar() {
    return dead.sum();
  }

  /** Returns the number of jobs that will have ended after the run, as far as it is known. */
  long expected() {
    return expected.orElse(stored.sum());
  }
}
