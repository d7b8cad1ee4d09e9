package dev.skipjack.outbox;

import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Extends the leases of a batch while it is published, for a limited time: a publisher that hangs
 * must not keep its aggregates forever.
 *
 * <p>Events are sent until the publish timeout, or a third of the lease if that is longer. Those in
 * progress then have a third of the lease to end, and at least another third is left to record the
 * batch. So without a fault, sent events are recorded before a lease expires.
 */
final class HeldLeases implements SendingTime, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HeldLeases.class);

  private final RelayStore store;
  private final List<ShardLease> leases;
  private final Duration lease;
  private final Stop stop;
  private final long third;
  private final long sendUntil;
  private final long endUntil;
  private final ScheduledFuture<?> renewal;

  /** The value of {@link System#nanoTime()} until which the leases are certainly held. */
  private volatile long heldUntil;

  private final AtomicBoolean recording = new AtomicBoolean();
  private volatile boolean lost;
  private volatile boolean closed;

  /**
   * @param since a value of {@link System#nanoTime()} before the leases were claimed
   * @param timeout how long events are sent
   */
  HeldLeases(
      RelayStore store,
      List<ShardLease> leases,
      Duration lease,
      long since,
      Duration timeout,
      Stop stop,
      ScheduledExecutorService timer) {
    this.store = store;
    this.leases = leases;
    this.lease = lease;
    this.stop = stop;
    this.third = lease.toNanos() / 3;
    this.sendUntil = since + Math.max(timeout.toNanos(), third);
    this.endUntil = sendUntil + third;
    this.heldUntil = since + lease.toNanos();
    this.renewal = timer.scheduleWithFixedDelay(this::renew, third, third, TimeUnit.NANOSECONDS);
  }

  /** Returns whether all leases are certainly still held. */
  boolean areHeld() {
    return !lost && System.nanoTime() - heldUntil < 0;
  }

  @Override
  public boolean isOpen() {
    long now = System.nanoTime();
    return !lost && !stop.isRequested() && now - sendUntil < 0 && now - heldUntil < -third;
  }

  @Override
  public Duration left() {
    long now = System.nanoTime();
    boolean inDanger = lost || now - heldUntil >= -third / 2;
    return inDanger ? Duration.ZERO : Duration.ofNanos(Math.min(endUntil - now, stop.nanosLeft()));
  }

  /**
   * Returns the time until a publisher that does not return is overdue: a tenth of the lease after
   * its time has passed. The rest of the lease is enough to record the batch.
   */
  long nanosToOverrun() {
    return endUntil + lease.toNanos() / 10 - System.nanoTime();
  }

  /**
   * Notes that the batch is about to be recorded, by the write that also releases the leases.
   *
   * @return false if another thread has done so
   */
  boolean beginRecording() {
    return recording.compareAndSet(false, true);
  }

  private void renew() {
    long now = System.nanoTime();
    if (lost || closed || now - endUntil >= 0) {
      return;
    }
    try {
      if (store.extend(leases, lease)) {
        heldUntil = now + lease.toNanos();
      } else if (!closed) { // otherwise the leases have just been released
        lost = true;
        if (!recording.get()) { // otherwise the write reports lost leases
          LOG.warn("Relay lost leases of a batch it is publishing shards={}", shards());
        }
      }
    } catch (StoreException failure) {
      LOG.debug("Leases not extended shards={} error={}", shards(), ErrorTexts.own(failure));
    } catch (Throwable failure) { // otherwise the timer would stop calling
      LOG.warn("Leases not extended shards={} error={}", shards(), ErrorTexts.own(failure));
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
