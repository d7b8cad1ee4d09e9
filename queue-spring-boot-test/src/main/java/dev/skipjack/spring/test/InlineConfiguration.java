package dev.skipjack.spring.test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The additional beans of the mode in which an enqueue runs its job. */
@Configuration(proxyBeanMethods = false)
class InlineConfiguration {

  @Bean
  Failures skipjackFailures() {
    return new Failures();
  }

  @Bean
  InlineEnqueues skipjackInlineEnqueues(
      ObjectProvider<TestJobRunner> runner,
      ObjectProvider<CallersTransaction> transaction,
      Failures failures) {
    return new InlineEnqueues(runner, transaction, failures);
  }
}
