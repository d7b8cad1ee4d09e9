package dev.skipjack.worker;

import java.time.Duration;

/**
 * An ending that is not written yet, and the time of the next try. Created by any thread, then
 * confined to the flusher's thread.
 */
final class UnwrittenEnding {

  /** The maximum number of endings that one statement writes. */
  static final int LARGEST_BATCH = 500;

  private static final Duration LONGEST_BUSY_WAIT = Duration.ofSeconds(1);

  /**
   * The number of refusals after which an ending is written alone, and its lease is no longer
   * renewed.
   */
  private static final int REFUSALS_UNTIL_ALONE = 3;

  private final Attempt attempt;
  private Ending ending;
  private int refusals;
  private int busyAnswers;
  private long dueAt;
  private boolean answerLost;
  private boolean settled;

  UnwrittenEnding(Attempt attempt, Ending ending) {
    this.attempt = attempt;
    this.ending = ending;
    this.dueAt = System.nanoTime();
  }

  Attempt attempt() {
    return attempt;
  }

  Ending ending() {
    return ending;
  }

  /**
   * Replaces the ending, because the state of the job in the database shows that the attempt cannot
   * end this way.
   */
  void become(Ending other) {
    ending = other;
    answerLost = false;
  }

  long dueAt() {
    return dueAt;
  }

  boolean isSettled() {
    return settled;
  }

  /** Removes the attempt from this worker, because its ending was written or its job was lost. */
  void settle(RunningJobs running) {
    settled = true;
    if (attempt.lease().isHeld()) {
      running.settle(attempt);
    } else {
      running.leave(attempt);
    }
  }

  /**
   * Returns the maximum number of endings that may be written in the same statement as this one,
   * including this one. A rejected batch is first retried as a whole and, if it is rejected again,
   * split. An ending whose row was locked is not split off, because the statement waits for no row.
   */
  int largestBatch() {
    if (refusals >= REFUSALS_UNTIL_ALONE) {
      return 1;
    }
    return refusals == 2 ? LARGEST_BATCH / 20 : LARGEST_BATCH;
  }

  /** Records that a write was sent and its response was lost, so that it may have been executed. */
  void answerLost() {
    answerLost = true;
  }

  /** Returns whether a write was sent and may have been executed. */
  boolean mayBeWritten() {
    return answerLost;
  }

  /**
   * Returns whether the ending was written by a statement whose response was lost, provided that
   * the attempt has ended in the database. While the lease lasts, no other worker can have ended
   * it.
   */
  boolean isWritten() {
    return answerLost && attempt.lease().isHeld();
  }

  /**
   * Records that the database returned an error.
   *
   * @param now the nanoTime of the error
   * @param draw the jitter of the wait, 0 to 1
   */
  void refused(long now, double draw) {
    refusals++;
    if (refusals >= REFUSALS_UNTIL_ALONE) {
      attempt
          .lease()
          .stopRenewing(); // otherwise an ending that can never be written would be held forever
    }
    long nanos = Duration.ofMillis(25).toNanos() << Math.min(refusals, 20);
    waitFor(nanos, Loop.LONGEST_PAUSE, now, draw);
  }

  /**
   * Records that another transaction holds a lock on the row.
   *
   * @param now the nanoTime of the response
   * @param draw the jitter of the wait, 0 to 1
   */
  void busy(long now, double draw) {
    busyAnswers++;
    long nanos = Duration.ofMillis(5).toNanos() << Math.min(busyAnswers, 20);
    waitFor(nanos, LONGEST_BUSY_WAIT, now, draw);
  }

  private void waitFor(long nanos, Duration most, long now, double draw) {
    long full = Math.min(nanos, most.toNanos());
    dueAt = now + full / 2 + (long) (full * draw / 2);
  }
}
