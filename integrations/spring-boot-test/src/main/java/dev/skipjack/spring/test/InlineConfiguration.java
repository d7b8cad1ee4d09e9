package dev.skipjack.spring.test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.ConfigurableTransactionManager;

/** The additional beans of {@link JobMode#INLINE}. */
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

  @Bean
  static BeanPostProcessor skipjackInlineListeners(ObjectProvider<InlineEnqueues> listener) {
    return new BeanPostProcessor() {
      @Override
      public Object postProcessBeforeInitialization(Object bean, String name) {
        // Spring Boot has added the listener to the managers that it has configured itself.
        if (bean instanceof ConfigurableTransactionManager manager
            && !manager.getTransactionExecutionListeners().contains(listener.getObject())) {
          manager.addListener(listener.getObject());
        }
        return bean;
      }
    };
  }
}
