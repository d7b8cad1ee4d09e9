package dev.skipjack.spring;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.PlatformTransactionManager;

/** Finds the transaction manager of the queue's data source. */
final class TransactionManagers {

  private final ConfigurableListableBeanFactory beans;

  TransactionManagers(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
  }

  /**
   * Returns a transaction manager of the application whose transactions use the data source. If the
   * only or primary manager is one of these, returns it.
   *
   * @throws IllegalStateException if there is none; the message names the managers and the data
   *     source
   */
  PlatformTransactionManager of(DataSource dataSource) {
    PlatformTransactionManager first =
        beans.getBeanProvider(PlatformTransactionManager.class).getIfUnique();
    if (first != null && SpringTransactions.areOn(first, dataSource)) {
      return first;
    }
    Map<String, PlatformTransactionManager> all =
        new LinkedHashMap<>(beans.getBeansOfType(PlatformTransactionManager.class));
    for (PlatformTransactionManager manager : all.values()) {
      if (manager != first && SpringTransactions.areOn(manager, dataSource)) {
        return manager;
      }
    }
    throw new IllegalStateException(
        "%s Define a transaction manager for this data source."
            .formatted(
                all.isEmpty()
                    ? "The application has no transaction manager for the queue's data source '%s'."
                        .formatted(nameOf(dataSource))
                    : "The application's transaction managers do not use the queue's data source '%s': %s."
                        .formatted(nameOf(dataSource), String.join(", ", all.keySet()))));
  }

  private String nameOf(DataSource dataSource) {
    return beans.getBeansOfType(DataSource.class, false, false).entrySet().stream()
        .filter(bean -> RawDataSource.of(bean.getValue()) == dataSource)
        .map(Map.Entry::getKey)
        .collect(Collectors.joining(", "));
  }
}
