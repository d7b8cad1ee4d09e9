package dev.skipjack.store.jooq.spi;

import dev.skipjack.store.jooq.spi.HotStatement.RowReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * As {@link OwnTransactions}, on one connection that is kept from call to call and holds no
 * transaction in between. Safe for any number of threads, one at a time.
 */
public final class KeptTransactions implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(KeptTransactions.class);

  private final DataSource dataSource;
  private @Nullable Connection kept;
  private boolean autoCommit;
  private boolean closed;

  /** On a connection of {@code dataSource}, which is borrowed by the first call. */
  public KeptTransactions(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /**
   * Runs one statement in a transaction and commits.
   *
   * @return what {@code reader} made of each row
   * @throws dev.skipjack.api.StoreException if the database refused, was not reached, or its answer
   *     was lost; the next call borrows another connection then
   * @throws IllegalStateException after {@link #close}
   */
  public synchronized <R> List<R> run(
      HotStatement statement, Arguments arguments, RowReader<R> reader) {
    if (closed) {
      throw new IllegalStateException("The connection was given back.");
    }
    boolean committing = false;
    try {
      Connection connection = connection();
      List<R> rows = Session.own(connection, Preamble.OWN).run(statement, arguments, reader);
      committing = true;
      connection.commit();
      return rows;
    } catch (SQLException failure) {
      giveUp(failure);
      throw OwnTransactions.failed(failure, committing);
    } catch (RuntimeException | Error failure) {
      giveUp(failure);
      throw failure;
    }
  }

  private Connection connection() throws SQLException {
    Connection connection = kept;
    if (connection == null) {
      connection = dataSource.getConnection();
      kept = connection;
      autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(false);
    }
    return connection;
  }

  /** Whatever is wrong with the connection, its pool finds out when it comes back. */
  private void giveUp(Throwable failure) {
    Connection connection = kept;
    kept = null;
    if (connection == null) {
      return;
    }
    try (connection) {
      connection.rollback();
      connection.setAutoCommit(autoCommit);
    } catch (SQLException broken) {
      failure.addSuppressed(broken);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    Connection connection = kept;
    kept = null;
    if (connection == null) {
      return;
    }
    try (connection) {
      connection.setAutoCommit(autoCommit);
    } catch (SQLException broken) {
      LOG.debug("Kept connection was broken when it was given back", broken);
    }
  }
}
