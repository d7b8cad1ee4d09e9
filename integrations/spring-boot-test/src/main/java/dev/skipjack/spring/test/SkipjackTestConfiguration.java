package dev.skipjack.spring.test;

import dev.skipjack.spring.SkipjackWorker;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.TestQueue;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;

/** The beans of all modes. */
@Configuration(proxyBeanMethods = false)
class SkipjackTestConfiguration {

  @Bean
  CallersTransaction skipjackCallersTransaction(
      ObjectProvider<JobQueue> queue,
      ObjectProvider<PlatformTransactionManager> managers,
      ConfigurableListableBeanFactory beans) {
    requireQueue(beans);
    return new CallersTransaction(queue.getObject().dataSource(), managers);
  }

  @Bean
  TestQueue skipjackTestQueue(CallersTransaction transaction, JobQueue queue) {
    return TestQueue.on(queue.dataSource(), queue.schema())
        .decodedBy(queue.codec())
        .within(transaction::connection);
  }

  @Bean
  QueueOfContext skipjackQueueOfContext(
      TestQueue queue, ObjectProvider<SkipjackWorker> application, ForeignJobs foreign) {
    return new QueueOfContext(queue, application, foreign);
  }

  @Bean
  static ForeignJobs skipjackForeignJobs() {
    return new ForeignJobs();
  }

  private static void requireQueue(ConfigurableListableBeanFactory beans) {
    if (beans.getBeanProvider(JobQueue.class).getIfUnique() != null) {
      return;
    }
    String[] queues = beans.getBeanNamesForType(JobQueue.class);
    throw new IllegalStateException(
        queues.length > 1
            ? "@AutoConfigureSkipjack needs a single queue, but the application has %d: %s. Mark the one that the test uses with @Primary."
                .formatted(queues.length, String.join(", ", queues))
            : "@AutoConfigureSkipjack found no queue in the application. Add"
                + " skipjack-spring-boot-starter, a DataSource and"
                + " @EnableAutoConfiguration, or remove the annotation.");
  }
}
