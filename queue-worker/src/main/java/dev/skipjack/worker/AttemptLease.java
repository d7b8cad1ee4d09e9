package dev.skipjack.worker;

import java.time.Duration;

/**
 * The lease of an attempt, as far as this worker knows it. Safe for any number of threads.
 *
 * <p>Each heartbeat usually renews it. A spared attempt has one long lease instead, so that the
 * worker does not change its row while its handler's transaction runs.
 */
final class AttemptLease {

  private volatile long length;
  private volatile long renewedAt;
  private volatile boolean spared;
  private volatile boolean renewable = true;

  /** Counts the starts and ends of usual renewals; odd while a renewal is in progress. */
  private int renewals;

  /**
   * @param sentAt nanoTime before the claim was sent, so that the worker never overestimates the
   *     lease
   */
  AttemptLease(Duration length, long sentAt) {
    this.length = length.toNanos();
    this.renewedAt = sentAt;
  }

  Duration length() {
    return Duration.ofNanos(length);
  }

  /** Whether no other worker can have rescued the job yet. */
  boolean isHeld() {
    return System.nanoTime() - renewedAt < length;
  }

  /** NanoTime at which the last granted renewal, or else the claim, was sent. */
  long renewedAt() {
    return renewedAt;
  }

  /** Whether it must be renewed now. */
  boolean isDue(long now, long usualInterval) {
    return renewable && now - renewedAt >= (spared ? length / 2 : usualInterval);
  }

  /** Records a renewal that was sent at this nanoTime and granted. */
  void renewed(long sentAt) {
    renewedAt = sentAt;
  }

  /** Lets the lease expire. */
  void stopRenewing() {
    renewable = false;
  }

  boolean isRenewable() {
    return renewable;
  }

  /**
   * Records that a renewal with the usual length is about to be sent.
   *
   * @return false if the attempt has been spared, and must no longer get the usual length
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
   * Records the response to a renewal. A failed renewal counts as in progress until the next one
   * gets a response, because the server may still execute it.
   */
  synchronized void endRenewal() {
    if (isRenewalUnderWay()) {
      renewals++;
    }
  }

  private boolean isRenewalUnderWay() {
    return (renewals & 1) == 1;
  }

  /** Changes whenever a usual renewal begins or ends; see {@link #spare}. */
  synchronized int renewals() {
    return renewals;
  }

  /**
   * Records that the lease has this length from {@code sentAt} on and must be renewed after half of
   * it. Returns false if a usual renewal was in progress meanwhile: the server may have executed
   * that renewal last, and then the lease is short.
   *
   * @param before {@link #renewals()} before the long lease was sent
   * @return whether the lease is known to be long
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

  /** Whether the worker leaves the row unchanged for as long as the lease allows. */
  boolean isSpared() {
    return spared;
  }
}
