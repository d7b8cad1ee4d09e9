package dev.skipjack.store.jooq;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a pool, which all may lead to a server that is of no use any more. HikariCP
 * can be told to discard them; in other pools each is discarded when somebody borrows it and finds
 * out. Safe for any number of threads.
 */
final class IdleConnections {

  private static final Logger LOG = LoggerFactory.getLogger(IdleConnections.class);

  /** Where no server can be written to, a pool must not be emptied at every try. */
  private static final long AT_MOST_EVERY = Duration.ofSeconds(2).toNanos();

  private final DataSource dataSource;
  private final AtomicLong discardedAt = new AtomicLong(System.nanoTime() - AT_MOST_EVERY);

  IdleConnections(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** Discards those that are idle now, and those in use when they are given back. */
  void discard() {
    long last = discardedAt.get();
    long now = System.nanoTime();
    if (now - last < AT_MOST_EVERY || !discardedAt.compareAndSet(last, now)) {
      return;
    }
    try {
      Hikari.discard(dataSource);
    } catch (NoClassDefFoundError absent) {
      LOG.trace("No HikariCP, connections are discarded one by one");
    } catch (SQLException | RuntimeException refused) {
      LOG.debug("Pool does not discard its connections", refused);
    }
  }

  /** A class of its own: it is loaded, and fails to be, where it is called. */
  private static final class Hikari {

    static void discard(DataSource dataSource) throws SQLException {
      if (dataSource instanceof HikariDataSource
          || dataSource.isWrapperFor(HikariDataSource.class)) {
        HikariDataSource hikari =
            dataSource instanceof HikariDataSource itself
                ? itself
                : dataSource.unwrap(HikariDataSource.class);
        HikariPoolMXBean pool = hikari.getHikariPoolMXBean();
        if (pool != null) {
          pool.softEvictConnections();
        }
      }
    }
  }
}
