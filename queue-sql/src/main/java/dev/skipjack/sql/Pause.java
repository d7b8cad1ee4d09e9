package dev.skipjack.sql;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Pauses so that a competing session can go first. */
public final class Pause {

  private Pause() {}

  /**
   * Waits for a random time between half of {@code longest} and all of it, so that competing
   * sessions do not collide again.
   *
   * @param longest the longest pause
   * @return false if the thread is interrupted; the caller should give up, and the thread remains
   *     interrupted
   */
  public static boolean upTo(Duration longest) {
    long half = longest.toNanos() / 2;
    try {
      TimeUnit.NANOSECONDS.sleep(half + ThreadLocalRandom.current().nextLong(half + 1));
      return true;
    } catch (InterruptedException hurry) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
