package dev.skipjack.demo;

import dev.skipjack.api.QueueAccess;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import dev.skipjack.worker.WorkerListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The workers of the demo, which serve one queue and one kind with short leases. */
final class DemoWorkers implements AutoCloseable {

  /** The number of jobs that a worker handles at once. */
  static final int SLOTS = 8;

  /**
   * If the demo is killed, its jobs stay in status {@code running}; these settings let the next run
   * rescue them within seconds. Closing is quick because a handler takes only milliseconds.
   */
  private static final WorkerConfig CONFIG =
      WorkerConfig.builder()
          .lease(Duration.ofSeconds(5))
          .rescueInterval(Duration.ofSeconds(1))
          .pollInterval(Duration.ofMillis(50))
          .drainTimeout(Duration.ofSeconds(5))
          .build();

  private final List<Worker> workers = new ArrayList<>();

  private DemoWorkers() {}

  static DemoWorkers start(
      QueueAccess queue, WebhookHandler handler, int count, WorkerListener... listeners) {
    DemoWorkers started = new DemoWorkers();
    try {
      for (int n = 1; n <= count; n++) {
        Worker.Builder worker =
            Worker.on(queue)
                .name("demo-" + n)
                .config(CONFIG)
                .handle(WebhookJob.TYPE, handler)
                .queue(WebhookJob.QUEUE, SLOTS);
        for (WorkerListener listener : listeners) {
          worker.listener(listener);
        }
        started.workers.add(worker.start());
      }
      return started;
    } catch (RuntimeException e) {
      started.close();
      throw e;
    }
  }

  /**
   * Lets running handlers finish and releases the other jobs. Stops all workers in parallel,
   * because each may need its full drain timeout.
   */
  @Override
  public void close() {
    List<Thread> closing =
        workers.stream().map(worker -> new Thread(worker::close, "demo-close")).toList();
    closing.forEach(Thread::start);
    boolean interrupted = false;
    for (Thread thread : closing) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
          closing.forEach(Thread::interrupt);
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
