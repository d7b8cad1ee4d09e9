package dev.skipjack.worker;

import java.time.Duration;

/**
 * Tracks the lease of an attempt. Safe for any number of threads.
 *
 * <p>Usually, heartbeats renew the lease. A <i>spared</i> attempt has one long lease instead, so
 * that the worker does not change the job's row while the handler's transaction runs.
 */
final class AttemptLease {

  private volatile long length;
  private volatile long renewedAt;
  private volatile boolean spared;
  private volatile boolean renewable = true;

  /** Increases when a usual renewal begins or ends; odd while one is in progress. */
  private int renewals;

  /**
   * @param sentAt the nanoTime before the claim was sent, so that the worker never overestimates
   *     the lease
   */
  AttemptLease(Duration length, long sentAt) {
    this.length = length.toNanos();
    this.renewedAt = sentAt;
  }

  Duration length() {
    return Duration.ofNanos(length);
  }

  /** Returns whether the lease is still valid. If so, no other worker can have rescued the job. */
  boolean isHeld() {
    return System.nanoTime() - renewedAt < length;
  }

  /**
   * Returns the nanoTime at which the last granted renewal was sent or, if there was none, the
   * claim.
   */
  long renewedAt() {
    return renewedAt;
  }

  /** Returns whether the lease must be renewed now. */
  boolean isDue(long now, long usualInterval) {
    return renewable && now - renewedAt >= (spared ? length / 2 : usualInterval);
  }

  /** Records that a renewal sent at this nanoTime was granted. */
  void renewed(long sentAt) {
    renewedAt = sentAt;
  }

  /** Stops renewals, so that the lease expires. */
  void stopRenewing() {
    renewable = false;
  }

  boolean isRenewable() {
    return renewable;
  }

  /**
   * Records that a renewal for the usual duration is about to be sent.
   *
   * @return false if the attempt is now spared and must not be renewed for the usual duration
   */
  synchronized boolean beginRenewal() {
    if (spared) {
      return false;
    }
    if (!isRenewalUnderWay()) {
      renewals++;
    }
    return true;
  }

  /**
   * Records that a renewal got a response. A renewal that failed counts as in progress until the
   * next one gets a response, because the server may still execute it.
   */
  synchronized void endRenewal() {
    if (isRenewalUnderWay()) {
      renewals++;
    }
  }

  private boolean isRenewalUnderWay() {
    return (renewals & 1) == 1;
  }

  /**
   * Returns a number that is odd while a usual renewal is in progress, and larger after each one;
   * see {@link #spare}.
   */
  synchronized int renewals() {
    return renewals;
  }

  /**
   * Records that the lease lasts this long from {@code sentAt} on, and must be renewed after half
   * of that time. Has no effect if a usual renewal was in progress at the same time, because the
   * server may have executed that renewal last and shortened the lease.
   *
   * @param before the value of {@link #renewals()} before the long lease was requested
   * @return whether the lease is certainly the long one
   */
  synchronized boolean spare(Duration granted, long sentAt, int before) {
    if (renewals != before || isRenewalUnderWay()) {
      return false;
    }
    length = granted.toNanos();
    renewedAt = sentAt;
    spared = true;
    return true;
  }

  /**
   * Returns whether the attempt is spared: the worker does not change its row before half of the
   * lease has passed.
   */
  boolean isSpared() {
    return spared;
  }
}
