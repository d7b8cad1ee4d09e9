package dev.skipjack.store.jooq;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Lets a rival go first. */
final class Pause {

  private Pause() {}

  /**
   * Waits between half of {@code longest} and all of it, so that rivals do not meet again.
   *
   * @return false if the thread is interrupted: it should give up, and stays interrupted
   */
  static boolean upTo(Duration longest) {
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
