package dev.skipjack.spring.test;

import dev.skipjack.spring.SkipjackWorker;
import dev.skipjack.testkit.TestQueue;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Separates the test classes that share a context: empties the queue and stops the worker between
 * them.
 */
final class QueueOfContext {

  private final TestQueue queue;
  private final ObjectProvider<SkipjackWorker> application;
  private final ForeignJobs foreign;
  private boolean paused;

  QueueOfContext(TestQueue queue, ObjectProvider<SkipjackWorker> application, ForeignJobs foreign) {
    this.queue = queue;
    this.application = application;
    this.foreign = foreign;
  }

  /** Empties the queue. Throws an exception if it had jobs before the tests. */
  synchronized void empty() {
    if (foreign.found()) {
      throw new IllegalStateException(
          "The queue had jobs before the application started, and @AutoConfigureSkipjack would"
              + " delete them. Use a database that belongs to the tests, for example with"
              + " spring.datasource.url=skipjack:embedded; if this one does, truncate the tables"
              + " jobs and jobs_archive in the queue's schema. To keep the jobs, set truncate ="
              + " false.");
    }
    queue.truncate();
  }

  /** Stops the worker until the next test of the context. */
  synchronized void pause() {
    SkipjackWorker worker = application.getIfUnique();
    if (worker != null && worker.isRunning()) {
      worker.stop();
      paused = worker.isAutoStartup();
    }
  }

  /** Starts the stopped worker again. */
  synchronized void resume() {
    if (paused) {
      paused = false;
      application.getObject().start();
    }
  }
}
