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
 * Discards the idle connections of a pool, because all of them may lead to a server that has become
 * read-only. HikariCP discards them on request. In other pools, each connection is discarded when
 * its borrower finds that its server is read-only. Safe for any number of threads.
 */
final class IdleConnections {

  private static final Logger LOG = LoggerFactory.getLogger(IdleConnections.class);

  /**
   * The minimum interval between calls that empty the pool. Otherwise every failed try would empty
   * the pool while no server accepts writes.
   */
  private static final long AT_MOST_EVERY = Duration.ofSeconds(2).toNanos();

  private final DataSource dataSource;
  private final AtomicLong discardedAt = new AtomicLong(System.nanoTime() - AT_MOST_EVERY);

  IdleConnections(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** Discards the connections that are idle now, and those in use as soon as they are returned. */
  void discard() {
    long last = discardedAt.get();
    long now = System.nanoTime();
    if (now - last < AT_MOST_EVERY || !discardedAt.compareAndSet(last, now)) {
      return;
    }
    try {
      Hikari.discard(dataSource);
    } catch (NoClassDefFoundError absent) {
      LOG.trace("Pool is not HikariCP; its connections are discarded one by one");
    } catch (Throwable refused) {
      LOG.debug("Pool could not discard its connections", refused);
    }
  }

  /** Loaded only when it is called, because HikariCP may be missing. */
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
