package dev.skipjack.outbox;

import dev.skipjack.api.StoreException;
import dev.skipjack.outbox.BatchResult.Rules;
import dev.skipjack.outbox.RelayBatch.Result;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One batch while it is published. Its result is recorded once: by the thread that publishes, or by
 * the timer if the publisher does not return in time.
 */
final class RunningBatch {

  private static final Logger LOG = LoggerFactory.getLogger(RunningBatch.class);

  private static final long PAUSE_MILLIS = 100;

  private final Fetched fetched;
  private final HeldLeases held;
  private final RelayStore store;
  private final BatchPublisher publisher;
  private final Rules rules;
  private final RelayCounters counters;
  private final RelayVitals vitals;
  private final BatchProgress progress = new BatchProgress();
  private final Thread thread = Thread.currentThread();

  /** The call of {@link #overrun} by the timer. */
  private volatile @Nullable Future<?> timed;

  /** Guarded by this object, like the fields below. */
  private boolean hasReturned;

  private boolean hasOverrun;

  /** The number of sent events that were recorded before the publisher returned. */
  private long sentInTime;

  RunningBatch(
      Fetched fetched,
      HeldLeases held,
      RelayStore store,
      BatchPublisher publisher,
      Rules rules,
      RelayCounters counters,
      RelayVitals vitals) {
    this.fetched = fetched;
    this.held = held;
    this.store = store;
    this.publisher = publisher;
    this.rules = rules;
    this.counters = counters;
    this.vitals = vitals;
  }

  /** Publishes and records the batch, as {@link RelayBatch#run} promises. */
  Result run(ScheduledExecutorService timer) throws InterruptedException {
    List<RecordedEvent> events = fetched.publishable();
    timed = timer.schedule(this::overrun, held.nanosToOverrun(), TimeUnit.NANOSECONDS);
    Optional<List<PublishResult>> results;
    try {
      results = publisher.publish(events, fetched.hasMore(), held, progress);
    } finally {
      cancelTimed();
      noteReturn();
    }
    boolean isInterrupted = Thread.interrupted(); // an interrupt would disturb the write
    try {
      if (!held.beginRecording()) {
        noteLate(results);
        return Result.PROGRESS;
      }
      if (results.isEmpty()) {
        counters.outages.increment();
      }
      BatchResult result =
          result(
              results.orElseGet(
                  () -> events.stream().map(event -> PublishResult.notTried()).toList()));
      record(result);
      return results.isEmpty() || !result.isProgress() ? Result.OUTAGE : Result.PROGRESS;
    } finally {
      if (isInterrupted) {
        thread.interrupt();
      }
    }
  }

  private BatchResult result(List<PublishResult> results) {
    return BatchResult.of(fetched, results, rules, ThreadLocalRandom.current());
  }

  private synchronized void noteReturn() {
    hasReturned = true;
    vitals.returned(thread);
  }

  Thread thread() {
    return thread;
  }

  /** Lets the timer record now what is known, because the relay is closed. */
  void end(ScheduledExecutorService timer) {
    cancelTimed();
    timer.execute(this::overrun);
  }

  private void cancelTimed() {
    Future<?> call = timed;
    if (call != null) {
      call.cancel(false);
    }
  }

  /**
   * Called when the publisher should have returned, and when the relay is closed. A publisher of
   * whole batches reports nothing before it returns, so nothing is recorded and the leases expire.
   */
  private void overrun() {
    try {
      List<PublishResult> known = takeOver();
      if (known != null) {
        record(result(known));
        held.close();
      }
    } catch (InterruptedException closed) {
      LOG.debug("Interrupted while a batch was recorded");
    } catch (Throwable failure) { // nothing else would report it
      LOG.warn("Batch not recorded error={}", ErrorTexts.own(failure));
    }
  }

  /** Returns the results to record before the publisher returns; null for none. */
  private synchronized @Nullable List<PublishResult> takeOver() {
    if (hasReturned) {
      return null;
    }
    if (!hasOverrun) {
      hasOverrun = true;
      LOG.warn("Publisher did not return in time events={}", fetched.publishable().size());
      counters.overruns.increment();
      vitals.overran(thread);
    }
    if (!progress.isAnyNoted() || !held.beginRecording()) {
      return null;
    }
    List<PublishResult> known = publisher.unfinished(fetched.publishable(), progress);
    sentInTime = sent(known);
    return known;
  }

  private synchronized void noteLate(Optional<List<PublishResult>> results) {
    long late = results.map(RunningBatch::sent).orElse(0L) - sentInTime;
    counters.unrecorded.add(Math.max(0, late));
    LOG.warn("Publisher returned too late unrecordedEvents={}", late);
  }

  private static long sent(List<PublishResult> results) {
    return results.stream().filter(each -> each.kind() == PublishResult.Kind.SENT).count();
  }

  /**
   * Records a result. While the leases are held, tries again if the database is unavailable,
   * because otherwise the events would be published again.
   */
  private void record(BatchResult result) throws InterruptedException {
    while (true) {
      try {
        BatchResult recorded = store.record(fetched.leases(), result);
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
          // The cause is not logged, because its detail may quote a row.
          LOG.warn(
              "Published events not recorded events={} error={}",
              result.published().size(),
              failure.getMessage());
          throw failure;
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      }
    }
  }
}
