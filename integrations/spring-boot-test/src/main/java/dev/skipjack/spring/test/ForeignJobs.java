package dev.skipjack.spring.test;

import dev.skipjack.migrations.Migrations;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.TestQueue;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Notes whether the queue had jobs before the application could enqueue any. */
final class ForeignJobs implements BeanPostProcessor {

  private volatile boolean found;

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof JobQueue queue) {
      found |=
          Migrations.version(queue.dataSource(), queue.schema()).isPresent()
              && TestQueue.on(queue.dataSource(), queue.schema()).hasJobs();
    }
    return bean;
  }

  boolean found() {
    return found;
  }
}
