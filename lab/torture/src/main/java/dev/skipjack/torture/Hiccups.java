package dev.skipjack.torture;

import java.util.concurrent.TimeUnit;

/**
 * Records pauses of this process, which occur if it is frozen or the machine has no CPU time for
 * it. Without this record, a lease that expired because of a pause would appear to have expired
 * without a cause.
 */
final class Hiccups {

  private static final long PAUSE_MILLIS = 50;
  private static final long MIN_MILLIS = 250;

  private final Thread thread;

  private Hiccups(Thread thread) {
    this.thread = thread;
  }

  /** Starts watching. Watching continues until {@link #stop} is called or the JVM ends. */
  static Hiccups watch(HistoryFile history) {
    Thread thread = new Thread(() -> recordPauses(history), "hiccups");
    thread.setDaemon(true);
    thread.start();
    return new Hiccups(thread);
  }

  /** Stops watching. Nothing is written after this method returns. */
  void stop() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }

  private static void recordPauses(HistoryFile history) {
    long last = System.nanoTime();
    while (!Thread.currentThread().isInterrupted()) {
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException stopped) {
        return;
      }
      long now = System.nanoTime();
      long late = TimeUnit.NANOSECONDS.toMillis(now - last) - PAUSE_MILLIS;
      if (late > MIN_MILLIS) {
        history.write(EventType.STALLED, Event.NONE, 0, 0, String.valueOf(late));
      }
      last = now;
    }
  }
}
