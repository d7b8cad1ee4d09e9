package dev.skipjack.dashboard;

import dev.skipjack.api.operations.JobOperations;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the operations that users start, one after another in a thread of its own, so that they go
 * on when the browser is closed. If the end of this process interrupts an operation, a worker
 * continues it.
 */
final class OperationRunner implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(OperationRunner.class);

  private final JobOperations operations;
  private final Set<Long> running = ConcurrentHashMap.newKeySet();
  private final ThreadPoolExecutor thread;
  private volatile boolean closed;

  OperationRunner(JobOperations operations) {
    this.operations = operations;
    this.thread =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread created = new Thread(task, "skipjack-dashboard-operations");
              created.setDaemon(true);
              return created;
            });
    thread.allowCoreThreadTimeOut(true);
  }

  /** Runs an operation, unless this process is already running it. */
  void run(long id) {
    if (!running.add(id)) {
      return;
    }
    try {
      thread.execute(() -> work(id));
    } catch (RejectedExecutionException ended) {
      running.remove(id);
      throw new Refusal(503, "The dashboard is being stopped. A worker will run the operation.");
    }
  }

  private void work(long id) {
    try {
      operations.run(
          id,
          progress -> {
            if (closed) {
              throw new Stopped();
            }
          });
    } catch (Stopped stopped) {
      LOG.info("Operation interrupted by the end of the dashboard operation={}", id);
    } catch (Throwable failure) {
      LOG.warn("Operation failed; a worker will try to continue it operation={}", id, failure);
    } finally {
      running.remove(id);
    }
  }

  /** Whether this process is running the operation or will do so. */
  boolean isRunning(long id) {
    return running.contains(id);
  }

  @Override
  public void close() {
    closed = true;
    thread.shutdown();
  }

  /** Ends a run after a batch. */
  private static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Stopped() {
      super(null, null, false, false);
    }
  }
}
