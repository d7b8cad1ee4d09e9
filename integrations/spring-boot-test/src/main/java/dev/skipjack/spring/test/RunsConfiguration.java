package dev.skipjack.spring.test;

import dev.skipjack.handlers.HandlerTransactions;
import dev.skipjack.spring.SkipjackWorker;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.TestQueue;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The beans of the modes in which the application's worker is not started. */
@Configuration(proxyBeanMethods = false)
class RunsConfiguration {

  /** The name of the starter's bean. */
  private static final String TRANSACTIONS = "skipjackHandlerTransactions";

  @Bean
  TestJobRunner skipjackTestJobRunner(
      CallersTransaction transaction,
      JobQueue queue,
      TestQueue jobs,
      ObjectProvider<SkipjackWorker> worker,
      ObjectProvider<Failures> failures) {
    return new TestJobRunner(queue, jobs, worker, transaction, failures);
  }

  @Bean
  JobRuns skipjackJobRuns(TestJobRunner runner, TestQueue queue) {
    return JobRuns.with(runner, queue);
  }

  @Bean
  static BeanPostProcessor skipjackTestHandlerTransactions(
      ObjectProvider<CallersTransaction> transaction) {
    return new BeanPostProcessor() {
      @Override
      public Object postProcessAfterInitialization(Object bean, String name) {
        return name.equals(TRANSACTIONS) && bean instanceof HandlerTransactions own
            ? new TestHandlerTransactions(own, transaction.getObject())
            : bean;
      }
    };
  }
}
