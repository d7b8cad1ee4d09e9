package dev.skipjack.examples.demo;

import dev.skipjack.worker.WorkerEvent;
import dev.skipjack.worker.WorkerListener;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what this process has done so far, for the progress display; the report reads the database
 * instead.
 */
final class Progress implements WorkerListener {

  private final OptionalLong expected;
  private final LongAdder stored = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder completed = new LongAdder();
  private final LongAdder retries = new LongAdder();
  private final LongAdder dead = new LongAdder();

  /**
   * @param expected how many jobs will have ended at the end; empty if the input's length is
   *     unknown
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

  /** Deliveries that were stored, each with its job. */
  long storedSoFar() {
    return stored.sum();
  }

  /** Sends so far, including refused ones. */
  long sends() {
    return stored.sum() + refused.sum();
  }

  /** Jobs that ended. */
  long ended() {
    return completed.sum() + dead.sum();
  }

  /** Failed attempts that were followed by another. */
  long retriesSoFar() {
    return retries.sum();
  }

  /** Jobs that ended dead. */
  long deadSoFar() {
    return dead.sum();
  }

  /** How many jobs will have ended at the end, as far as known. */
  long expected() {
    return expected.orElse(stored.sum());
  }
}
