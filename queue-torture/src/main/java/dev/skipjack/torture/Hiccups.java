package dev.skipjack.torture;

import java.util.concurrent.TimeUnit;

/**
 * Notes when this process stands still: frozen, or on a machine that has no time for it. Without
 * that nobody could tell a lease that ran out for a reason from one that did for none.
 */
final class Hiccups {

  private static final long PAUSE_MILLIS = 50;
  private static final long WORTH_NOTING_MILLIS = 250;

  private final Thread thread;

  private Hiccups(Thread thread) {
    this.thread = thread;
  }

  /** Watches until it is stopped, or the JVM ends. */
  static Hiccups watch(HistoryFile history) {
    Thread thread = new Thread(() -> watchOn(history), "hiccups");
    thread.setDaemon(true);
    thread.start();
    return new Hiccups(thread);
  }

  /** Writes nothing any more once it returns. */
  void stop() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }

  private static void watchOn(HistoryFile history) {
    long last = System.nanoTime();
    while (!Thread.currentThread().isInterrupted()) {
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException stopped) {
        return;
      }
      long now = System.nanoTime();
      long late = TimeUnit.NANOSECONDS.toMillis(now - last) - PAUSE_MILLIS;
      if (late > WORTH_NOTING_MILLIS) {
        history.write(EventType.STALLED, Event.NONE, 0, 0, String.valueOf(late));
      }
      last = now;
    }
  }
}
