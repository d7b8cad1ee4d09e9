package dev.skipjack.outbox;

import java.util.concurrent.atomic.LongAdder;

/** The counters of a relay. Thread-safe. */
final class RelayCounters {

  final LongAdder published = new LongAdder();
  final LongAdder retried = new LongAdder();
  final LongAdder died = new LongAdder();
  final LongAdder unrecorded = new LongAdder();
  final LongAdder outOfOrder = new LongAdder();
  final LongAdder takenOver = new LongAdder();
  final LongAdder outages = new LongAdder();
  final LongAdder overruns = new LongAdder();

  void add(BatchResult recorded) {
    published.add(recorded.published().size());
    retried.add(recorded.retried());
    died.add(recorded.died());
    outOfOrder.add(recorded.outOfOrder());
  }

  /**
   * @param deadThreads the number of threads that ended before the relay was closed
   */
  RelayStats stats(int deadThreads) {
    return new RelayStats(
        published.sum(),
        retried.sum(),
        died.sum(),
        unrecorded.sum(),
        outOfOrder.sum(),
        takenOver.sum(),
        outages.sum(),
        overruns.sum(),
        deadThreads);
  }
}
