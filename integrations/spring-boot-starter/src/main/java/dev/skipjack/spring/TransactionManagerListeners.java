package dev.skipjack.spring;

import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Adds {@link EndedTransactions} to all transaction managers, before the listeners of the
 * application, whose exceptions would otherwise prevent the call. Spring Boot would add it only to
 * the managers that it has configured itself.
 */
final class TransactionManagerListeners implements BeanPostProcessor {

  @Override
  public Object postProcessBeforeInitialization(Object bean, String name) {
    if (bean instanceof ConfigurableTransactionManager manager) {
      List<TransactionExecutionListener> listeners = new ArrayList<>();
      listeners.add(new EndedTransactions());
      listeners.addAll(manager.getTransactionExecutionListeners());
      manager.setTransactionExecutionListeners(listeners);
    }
    return bean;
  }
}
