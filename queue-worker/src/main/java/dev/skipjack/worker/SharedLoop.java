package dev.skipjack.worker;

import java.util.function.LongSupplier;

/**
 * Runs two steps in the thread of one loop. One runs whenever its own pause has ended. The other
 * runs in every round, so also when the loop is woken. If one of them fails, the other still runs.
 * Confined to one thread.
 */
final class SharedLoop implements Loop.Step {

  private final Loop.Step paced;
  private final Loop.Step woken;
  private final LongSupplier clock;
  private long pacedAt;
  private boolean asked;

  /**
   * @param woken runs whenever the loop is woken, and does nothing if there is no work
   * @param clock a clock in nanoseconds, such as {@link System#nanoTime()}
   */
  SharedLoop(Loop.Step paced, Loop.Step woken, LongSupplier clock) {
    this.paced = paced;
    this.woken = woken;
    this.clock = clock;
    this.pacedAt = clock.getAsLong();
  }

  @Override
  public long run() throws Exception {
    asked = false;
    try {
      if (clock.getAsLong() - pacedAt >= 0) {
        pacedAt = paced.run() + clock.getAsLong();
        asked = paced.asked();
      }
    } catch (Throwable failure) {
      try {
        long unused = woken.run();
      } catch (Throwable second) {
        failure.addSuppressed(second);
      }
      throw failure;
    }
    long pause = woken.run();
    asked |= woken.asked();
    return Math.max(Math.min(pause, pacedAt - clock.getAsLong()), 1);
  }

  /** Returns whether one of the steps used the database in the last run. */
  @Override
  public boolean asked() {
    return asked;
  }
}
