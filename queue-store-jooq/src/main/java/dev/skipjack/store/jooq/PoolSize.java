package dev.skipjack.store.jooq;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How many connections a pool has at most, as far as one can know. */
final class PoolSize {

  private static final Logger LOG = LoggerFactory.getLogger(PoolSize.class);

  private PoolSize() {}

  /** Empty unless it is, or wraps, a pool of HikariCP. */
  static OptionalInt of(DataSource dataSource) {
    try {
      return Hikari.of(dataSource);
    } catch (NoClassDefFoundError absent) {
      return OptionalInt.empty();
    } catch (SQLException | RuntimeException refused) {
      LOG.debug("Data source does not reveal what it wraps", refused);
      return OptionalInt.empty();
    }
  }

  /** A class of its own: it is loaded, and fails to be, where it is called. */
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
