package dev.skipjack.worker;

import java.time.Duration;

/** An ending on its way to the database, with its own patience. Belongs to the flusher's thread. */
final class Unwritten {

  /** Most endings that one statement writes. */
  static final int LARGEST_BATCH = 500;

  private static final Duration LONGEST_BUSY_WAIT = Duration.ofSeconds(1);

  /** After this many refusals an ending is written alone, and its lease is no longer renewed. */
  private static final int REFUSALS_UNTIL_ALONE = 3;

  private final Attempt attempt;
  private Ending ending;
  private int refusals;
  private int busyAnswers;
  private long dueAt;
  private boolean unanswered;
  private boolean settled;

  Unwritten(Attempt attempt, Ending ending) {
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

  /** Changes what is to be written, after the database had a say. */
  void become(Ending other) {
    ending = other;
    unanswered = false;
  }

  long dueAt() {
    return dueAt;
  }

  boolean isSettled() {
    return settled;
  }

  void settle() {
    settled = true;
  }

  /** With how many others it may be written: a refused batch is repeated, then taken apart. */
  int largestBatch() {
    if (busyAnswers > 0 || refusals >= REFUSALS_UNTIL_ALONE) {
      return 1;
    }
    return refusals == 2 ? LARGEST_BATCH / 20 : LARGEST_BATCH;
  }

  /** A write was sent and its answer was lost: it may have been done. */
  void unanswered() {
    unanswered = true;
  }

  /** Whether a write was sent that may have been done, though nobody said so. */
  boolean isUnanswered() {
    return unanswered;
  }

  /**
   * Whether the attempt, being over for the database, was ended by a write whose answer was lost.
   * While the lease lasts nobody else can end it.
   */
  boolean wasWrittenUnanswered() {
    return unanswered && attempt.holdsLease();
  }

  /**
   * The database answered with an error.
   *
   * @param draw jitter of the wait, 0 to 1
   */
  void refused(double draw) {
    refusals++;
    if (refusals >= REFUSALS_UNTIL_ALONE) {
      attempt.stopRenewing(); // or what can never be written would be held for ever
    }
    waitFor(Duration.ofMillis(25).toNanos() << Math.min(refusals, 20), Loop.LONGEST_PAUSE, draw);
  }

  /**
   * Somebody holds the row.
   *
   * @param draw jitter of the wait, 0 to 1
   */
  void busy(double draw) {
    busyAnswers++;
    waitFor(Duration.ofMillis(5).toNanos() << Math.min(busyAnswers, 20), LONGEST_BUSY_WAIT, draw);
  }

  private void waitFor(long nanos, Duration most, double draw) {
    long full = Math.min(nanos, most.toNanos());
    dueAt = System.nanoTime() + full / 2 + (long) (full * draw / 2);
  }
}
