package dev.skipjack.demo;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns the shutdown of the JVM, by Ctrl-C, SIGTERM or otherwise, into a stop request for the
 * command. The JVM waits up to 30 seconds until the request is closed.
 */
final class StopRequest implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 30;

  private final CountDownLatch requested = new CountDownLatch(1);
  private final CountDownLatch obeyed = new CountDownLatch(1);

  /** Listens for the shutdown until the request is closed. */
  StopRequest() {
    Runtime.getRuntime().addShutdownHook(new Thread(this::onShutdown, "demo-shutdown"));
  }

  boolean isMade() {
    return requested.getCount() == 0;
  }

  /** Waits for the given time, or until a stop is requested. */
  void await(long millis) throws InterruptedException {
    requested.await(millis, TimeUnit.MILLISECONDS);
  }

  private void onShutdown() {
    requested.countDown();
    try {
      obeyed.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Reports that the cleanup is complete. */
  @Override
  public void close() {
    obeyed.countDown();
  }
}
