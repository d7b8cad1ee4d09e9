package dev.skipjack.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Determines whether a pool's connections are in auto-commit mode whenever they are borrowed. */
final class PoolAutoCommit {

  private static final Logger LOG = LoggerFactory.getLogger(PoolAutoCommit.class);

  private PoolAutoCommit() {}

  /**
   * Returns the mode if the data source is or wraps a HikariCP pool, which resets it when a
   * connection is returned; otherwise returns empty.
   */
  static Optional<Boolean> of(DataSource dataSource) {
    try {
      return Hikari.of(dataSource);
    } catch (NoClassDefFoundError absent) {
      return Optional.empty();
    } catch (Throwable refused) {
      LOG.debug("Data source does not report what it wraps", refused);
      return Optional.empty();
    }
  }

  /**
   * A separate class, because HikariCP may be missing: the class is loaded only when it is called.
   */
  private static final class Hikari {

    static Optional<Boolean> of(DataSource dataSource) throws SQLException {
      if (dataSource instanceof HikariConfig pool) {
        return Optional.of(pool.isAutoCommit());
      }
      return dataSource.isWrapperFor(HikariDataSource.class)
          ? Optional.of(dataSource.unwrap(HikariDataSource.class).isAutoCommit())
          : Optional.empty();
    }
  }
}
