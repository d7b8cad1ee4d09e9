package dev.skipjack.store.jooq.spi;

import dev.skipjack.api.StoreException;
import dev.skipjack.store.jooq.spi.HotStatement.RowReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/**
 * Transactions of the queue's own: short, READ COMMITTED, on a connection that goes back as it
 * came. Safe for any number of threads.
 */
public final class OwnTransactions {

  private final DataSource dataSource;
  private final boolean readOnly;

  /** On connections of {@code dataSource}. */
  public OwnTransactions(DataSource dataSource) {
    this(dataSource, false);
  }

  private OwnTransactions(DataSource dataSource, boolean readOnly) {
    this.dataSource = dataSource;
    this.readOnly = readOnly;
  }

  /** These, but they can write nothing and read no more of an index than a limit asks for. */
  public OwnTransactions readOnly() {
    return new OwnTransactions(dataSource, true);
  }

  /**
   * Runs one statement in a transaction and commits.
   *
   * @return what {@code reader} made of each row
   * @throws StoreException if the database refused, was not reached, or its answer was lost
   */
  public <R> List<R> run(HotStatement statement, Arguments arguments, RowReader<R> reader) {
    return inOne(session -> session.run(statement, arguments, reader));
  }

  /**
   * Runs several statements in one transaction and commits.
   *
   * @return what {@code work} answered
   * @throws StoreException as {@link #run}
   */
  public <R> R inOne(Work<R> work) {
    try (Connection connection = dataSource.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(false);
      try {
        R result = work.run(Session.own(connection, readOnly));
        connection.commit();
        connection.setAutoCommit(autoCommit);
        return result;
      } catch (SQLException | RuntimeException | Error failure) {
        giveUp(connection, autoCommit, failure);
        throw failure;
      }
    } catch (SQLException failure) {
      throw refused(failure);
    }
  }

  /** The exception for callers, with the database's own as cause. */
  public static StoreException refused(SQLException failure) {
    return new StoreException(
        "The database did not do it (SQLSTATE %s): %s"
            .formatted(failure.getSQLState(), PostgresDriver.primaryMessage(failure)),
        failure);
  }

  private static void giveUp(Connection connection, boolean autoCommit, Throwable failure) {
    try {
      connection.rollback();
      connection.setAutoCommit(autoCommit);
    } catch (SQLException broken) {
      failure.addSuppressed(broken);
    }
  }

  /** What is done in one transaction. */
  @FunctionalInterface
  public interface Work<R> {
    /** The result, if all of it worked. */
    R run(Session session) throws SQLException;
  }
}
