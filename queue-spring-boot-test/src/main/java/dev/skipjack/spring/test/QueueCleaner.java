package dev.skipjack.spring.test;

import dev.skipjack.testkit.TestQueue;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Empties the queue, unless it had jobs before the tests. */
final class QueueCleaner implements SmartInitializingSingleton {

  private final TestQueue queue;
  private volatile boolean foreign;

  QueueCleaner(TestQueue queue) {
    this.queue = queue;
  }

  @Override
  public void afterSingletonsInstantiated() {
    foreign = queue.hasJobs();
  }

  void empty() {
    if (foreign) {
      throw new IllegalStateException(
          "The queue had jobs before the application started, and @AutoConfigureSkipjack would"
              + " delete them. Use a database that belongs to the tests, for example with"
              + " spring.datasource.url=skipjack:embedded; if it does, truncate the table jobs and"
              + " jobs_archive of the queue's schema; or set truncate = false.");
    }
    queue.truncate();
  }
}
