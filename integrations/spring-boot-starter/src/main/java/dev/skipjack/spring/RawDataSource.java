package dev.skipjack.spring;

import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/**
 * The data source on which the queue and its worker run their own transactions. It is a distinct
 * type, so that the application does not get another bean of type {@link DataSource}.
 *
 * @param dataSource the data source, without proxies that are bound to transactions
 */
record RawDataSource(DataSource dataSource) {

  /**
   * Returns the data source behind the proxies that return the connection of the current
   * transaction. The queue's own transactions cannot use such a connection, and Spring registers
   * the transaction under the data source behind the proxy.
   */
  static DataSource of(DataSource dataSource) {
    DataSource raw = dataSource;
    while (raw instanceof TransactionAwareDataSourceProxy proxy) {
      raw = Objects.requireNonNull(proxy.getTargetDataSource(), "target of the data source proxy");
    }
    return raw;
  }
}
