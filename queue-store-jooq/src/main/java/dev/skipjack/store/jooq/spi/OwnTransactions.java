package dev.skipjack.store.jooq.spi;

import dev.skipjack.api.StoreException;
import dev.skipjack.store.jooq.spi.HotStatement.RowReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * Transactions of the queue's own: short, READ COMMITTED, on a connection that goes back as it
 * came. Safe for any number of threads.
 */
public final class OwnTransactions {

  private final DataSource dataSource;

  /** On connections of {@code dataSource}. */
  public OwnTransactions(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /**
   * Runs one statement in a transaction and commits.
   *
   * @return what {@code reader} made of each row
   * @throws StoreException if the database refused, was not reached, or its answer was lost
   */
  public <R> List<R> run(HotStatement statement, Arguments arguments, RowReader<R> reader) {
    return runAll(statement, List.of(arguments), reader);
  }

  /**
   * Runs one statement several times in one transaction and commits.
   *
   * @return what {@code reader} made of each row of each run
   * @throws StoreException as {@link #run}
   */
  public <R> List<R> runAll(HotStatement statement, List<Arguments> runs, RowReader<R> reader) {
    try (Connection connection = dataSource.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(false);
      try {
        List<R> rows = new ArrayList<>();
        boolean first = true;
        for (Arguments arguments : runs) {
          rows.addAll(
              first
                  ? statement.runFirst(connection, arguments, reader)
                  : statement.runAsItIs(connection, arguments, reader));
          first = false;
        }
        connection.commit();
        connection.setAutoCommit(autoCommit);
        return rows;
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
}
