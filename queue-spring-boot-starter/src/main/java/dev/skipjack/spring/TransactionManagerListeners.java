package dev.skipjack.spring;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;

/**
 * Adds {@link EndedTransactions} to all transaction managers. Spring Boot would add it only to
 * those that it has configured itself.
 */
final class TransactionManagerListeners implements BeanPostProcessor {

  @Override
  public Object postProcessBeforeInitialization(Object bean, String name) {
    if (bean instanceof ConfigurableTransactionManager manager) {
      manager.addListener(new EndedTransactions());
    }
    return bean;
  }
}
