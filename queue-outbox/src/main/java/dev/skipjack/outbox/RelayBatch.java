package dev.skipjack.outbox;

import dev.skipjack.api.StoreException;
import dev.skipjack.outbox.BatchResult.Rules;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes one batch at a time: leases, reads, publishes, records. Thread-safe. */
final class RelayBatch {

  private static final Logger LOG = LoggerFactory.getLogger(RelayBatch.class);

  private static final long PAUSE_MILLIS = 100;

  private final RelayStore store;
  private final BatchPublisher publisher;
  private final Settings settings;
  private final ScheduledExecutorService timer;
  private final RelayCounters counters;

  /**
   * The settings of a relay that concern batches.
   *
   * @param shards the maximum number of shards in a batch
   * @param events the approximate maximum number of events in a batch
   * @param bytes the approximate maximum size of the payloads in a batch
   * @param publishTimeout how long leases are extended while the publisher is running
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

  /** What a call did. */
  enum Outcome {
    /** There was nothing to publish. */
    IDLE,
    /** A batch was processed. */
    PROGRESS,
    /** Nothing of a batch could be published. */
    OUTAGE
  }

  RelayBatch(
      RelayStore store,
      Publisher publisher,
      Settings settings,
      ScheduledExecutorService timer,
      RelayCounters counters) {
    this.store = store;
    this.publisher = new BatchPublisher(publisher, new Suspects(settings.outageLimit()));
    this.settings = settings;
    this.timer = timer;
    this.counters = counters;
  }

  /**
   * Processes a batch.
   *
   * @throws StoreException if the database is unavailable
   * @throws InterruptedException if the thread was interrupted; the leases then expire
   */
  Outcome run() throws InterruptedException {
    long since = System.nanoTime();
    Optional<Fetched> next =
        store.next(
            settings.relay(),
            settings.shards(),
            settings.lease(),
            settings.events(),
            settings.bytes());
    if (next.isEmpty()) {
      return Outcome.IDLE;
    }
    Fetched fetched = next.get();
    counters.takenOver.add(fetched.leases().stream().filter(ShardLease::isTakenOver).count());
    try (HeldLeases held =
        new HeldLeases(
            store, fetched.leases(), settings.lease(), since, settings.publishTimeout(), timer)) {
      List<RecordedEvent> events = fetched.publishable();
      Optional<List<PublishResult>> results = publisher.publish(events, held::areHeld);
      if (results.isEmpty()) {
        counters.outages.increment();
      }
      BatchResult result =
          BatchResult.of(
              fetched,
              results.orElseGet(
                  () -> events.stream().map(event -> PublishResult.notTried()).toList()),
              settings.rules(),
              ThreadLocalRandom.current());
      record(fetched.leases(), result, held);
      return results.isEmpty() || !result.isProgress() ? Outcome.OUTAGE : Outcome.PROGRESS;
    }
  }

  /**
   * Records a result. While the leases are held, tries again if the database is unavailable,
   * because otherwise the events would be published again.
   */
  private void record(List<ShardLease> leases, BatchResult result, HeldLeases held)
      throws InterruptedException {
    held.noteRecording();
    while (true) {
      try {
        BatchResult recorded = store.record(leases, result);
        counters.add(recorded);
        int lost = result.published().size() - recorded.published().size();
        if (lost > 0) {
          counters.unrecorded.add(lost);
          LOG.warn("Published events not recorded because the lease was lost events={}", lost);
        }
        return;
      } catch (StoreException failure) {
        if (!held.areHeld()) {
          counters.unrecorded.add(result.published().size());
          LOG.warn("Published events not recorded events={}", result.published().size(), failure);
          throw failure;
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      }
    }
  }
}
