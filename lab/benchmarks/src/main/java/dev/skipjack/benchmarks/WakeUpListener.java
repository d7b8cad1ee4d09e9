package dev.skipjack.benchmarks;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.WakeUps;
import dev.skipjack.store.jooq.JobQueue;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Receives wake-ups as a worker does. Benchmarks of enqueueing need a listener, because NOTIFY
 * costs less without one.
 */
public final class WakeUpListener implements AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofMillis(200);

  private final WakeUps.Subscription subscription;
  private final AtomicLong received = new AtomicLong();
  private volatile boolean closed;

  /** Starts listening on a connection of the queue. Listens until it is closed. */
  public WakeUpListener(JobQueue queue) {
    subscription = queue.wakeUps().orElseThrow().subscribe();
    Thread thread =
        new Thread(
            () -> {
              try {
                while (!closed) {
                  received.addAndGet(subscription.await(TIMEOUT).size());
                }
              } catch (StoreException ended) {
                if (!closed) {
                  throw ended;
                }
              }
            },
            "bench-listener");
    thread.setDaemon(true);
    thread.start();
  }

  long received() {
    return received.get();
  }

  @Override
  public void close() {
    closed = true;
    subscription.close();
  }
}
