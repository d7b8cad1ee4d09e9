package dev.skipjack.outbox;

import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Extends the leases of a batch while it is published, for a limited time: a publisher that hangs
 * must not keep its aggregates forever.
 */
final class HeldLeases implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HeldLeases.class);

  private final RelayStore store;
  private final List<ShardLease> leases;
  private final Duration lease;
  private final long givesUpAt;
  private final ScheduledFuture<?> renewal;

  /** The value of {@link System#nanoTime()} until which the leases are certainly held. */
  private volatile long heldUntil;

  private volatile boolean lost;
  private volatile boolean recording;
  private volatile boolean closed;

  /**
   * @param since a value of {@link System#nanoTime()} before the leases were claimed
   * @param timeout how long the leases are extended
   */
  HeldLeases(
      RelayStore store,
      List<ShardLease> leases,
      Duration lease,
      long since,
      Duration timeout,
      ScheduledExecutorService timer) {
    this.store = store;
    this.leases = leases;
    this.lease = lease;
    this.heldUntil = since + lease.toNanos();
    this.givesUpAt = since + timeout.toNanos();
    long period = lease.toNanos() / 3;
    this.renewal = timer.scheduleWithFixedDelay(this::renew, period, period, TimeUnit.NANOSECONDS);
  }

  /** Returns whether no other relay can have taken over one of the shards. */
  boolean areHeld() {
    return !lost && System.nanoTime() - heldUntil < 0;
  }

  /**
   * Notes that the batch has been published. The write that records it also releases the leases.
   */
  void noteRecording() {
    recording = true;
  }

  private void renew() {
    long now = System.nanoTime();
    if (lost || closed || now - givesUpAt >= 0) {
      return;
    }
    try {
      if (store.extend(leases, lease)) {
        heldUntil = now + lease.toNanos();
      } else if (!closed) { // otherwise they have just been released
        lost = true;
        if (!recording) { // otherwise released, or the write that records the batch reports it
          LOG.warn("Relay lost leases of a batch it is publishing shards={}", shards());
        }
      }
    } catch (StoreException failure) {
      LOG.debug("Leases not extended shards={}", shards(), failure);
    } catch (RuntimeException failure) { // the timer would never call again
      LOG.warn("Leases not extended shards={}", shards(), failure);
    }
  }

  private List<Integer> shards() {
    return leases.stream().map(ShardLease::shard).toList();
  }

  /** Stops extending the leases. */
  @Override
  public void close() {
    closed = true;
    renewal.cancel(false);
  }
}
