package dev.skipjack.outbox;

import dev.skipjack.api.StoreException;
import dev.skipjack.outbox.BatchResult.Rules;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Processes batches for the threads of a relay: leases shards, reads and publishes their events,
 * and records the results. Thread-safe.
 */
final class RelayBatch {

  private final RelayStore store;
  private final BatchPublisher publisher;
  private final Settings settings;
  private final Stop stop;
  private final ScheduledExecutorService timer;
  private final RelayCounters counters;
  private final RelayVitals vitals;
  private final Set<RunningBatch> running = ConcurrentHashMap.newKeySet();

  /**
   * The settings of a relay that concern batches.
   *
   * @param shards the maximum number of shards in a batch
   * @param events the approximate maximum number of events in a batch
   * @param bytes the approximate maximum size of the payloads in a batch
   * @param publishTimeout how long the publisher may begin to send events of a batch
   * @param outageLimit how long the destination may be unavailable before failures count
   */
  record Settings(
      String relay,
      int shards,
      int events,
      long bytes,
      Duration lease,
      Duration publishTimeout,
      Duration outageLimit,
      Rules rules) {}

  enum Result {
    /** There was nothing to publish. */
    IDLE,
    /** A batch was processed. */
    PROGRESS,
    /** A batch changed nothing, for example because the destination was unavailable. */
    OUTAGE
  }

  RelayBatch(
      RelayStore store,
      Publisher publisher,
      Settings settings,
      Stop stop,
      ScheduledExecutorService timer,
      RelayCounters counters,
      RelayVitals vitals) {
    this.store = store;
    this.publisher =
        new BatchPublisher(
            publisher, new Suspects(settings.outageLimit()), settings.rules().texts());
    this.settings = settings;
    this.stop = stop;
    this.timer = timer;
    this.counters = counters;
    this.vitals = vitals;
  }

  /**
   * Processes a batch. If the thread is interrupted meanwhile, what was sent is recorded, and the
   * interrupt flag is set afterwards.
   *
   * @throws StoreException if the database is unavailable
   * @throws InterruptedException if the thread was interrupted while the database was unavailable;
   *     the leases then expire
   */
  Result run() throws InterruptedException {
    long since = System.nanoTime();
    Optional<Fetched> next =
        store.next(
            settings.relay(),
            settings.shards(),
            settings.lease(),
            settings.events(),
            settings.bytes());
    if (next.isEmpty()) {
      return Result.IDLE;
    }
    Fetched fetched = next.get();
    counters.takenOver.add(fetched.leases().stream().filter(ShardLease::isTakenOver).count());
    try (HeldLeases held =
        new HeldLeases(
            store,
            fetched.leases(),
            settings.lease(),
            since,
            settings.publishTimeout(),
            stop,
            timer)) {
      RunningBatch batch =
          new RunningBatch(fetched, held, store, publisher, settings.rules(), counters, vitals);
      running.add(batch);
      try {
        return batch.run(timer);
      } finally {
        running.remove(batch);
      }
    }
  }

  /** Lets the timer record the sent events of the batches that these threads are publishing. */
  void recordRunning(List<Thread> threads) {
    for (RunningBatch each : running) {
      if (threads.contains(each.thread())) {
        each.end(timer);
      }
    }
  }
}
