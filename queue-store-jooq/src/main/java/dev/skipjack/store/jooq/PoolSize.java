package dev.skipjack.store.jooq;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Determines the maximum number of connections of a pool. */
final class PoolSize {

  private static final Logger LOG = LoggerFactory.getLogger(PoolSize.class);

  private PoolSize() {}

  /** Returns the maximum size if the data source is or wraps a HikariCP pool, or empty if not. */
  static OptionalInt of(DataSource dataSource) {
    try {
      return Hikari.of(dataSource);
    } catch (NoClassDefFoundError absent) {
      return OptionalInt.empty();
    } catch (Throwable refused) {
      LOG.debug("Data source does not report what it wraps", refused);
      return OptionalInt.empty();
    }
  }

  /** Loaded only when it is called, because HikariCP may be missing. */
  private static final class Hikari {

    static OptionalInt of(DataSource dataSource) throws SQLException {
      if (dataSource instanceof HikariConfig pool) {
        return OptionalInt.of(pool.getMaximumPoolSize());
      }
      return dataSource.isWrapperFor(HikariDataSource.class)
          ? OptionalInt.of(dataSource.unwrap(HikariDataSource.class).getMaximumPoolSize())
          : OptionalInt.empty();
    }
  }
}
