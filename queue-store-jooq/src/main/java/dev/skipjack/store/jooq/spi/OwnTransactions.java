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

  /**
   * Travels in one flight with BEGIN and the statement. A plan that was cached while a table was
   * empty is a sequential scan and stays cached when 200,000 rows arrive; the isolation level may
   * be anything in the pool. Both end with the transaction, so a pooler in transaction mode is
   * content.
   */
  private static final String PREAMBLE =
      "SET LOCAL enable_seqscan = off; SET TRANSACTION ISOLATION LEVEL READ COMMITTED; ";

  /**
   * As {@link #PREAMBLE}, for statements that look at a stretch of an index: of a table without
   * statistics the planner believes that a bitmap is cheaper, and a bitmap is made of all there is
   * before the limit counts.
   */
  private static final String READ_ONLY =
      "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off;"
          + " SET TRANSACTION ISOLATION LEVEL READ COMMITTED READ ONLY; ";

  private final DataSource dataSource;
  private final String firstPreamble;

  /** On connections of {@code dataSource}. */
  public OwnTransactions(DataSource dataSource) {
    this(dataSource, PREAMBLE);
  }

  private OwnTransactions(DataSource dataSource, String firstPreamble) {
    this.dataSource = dataSource;
    this.firstPreamble = firstPreamble;
  }

  /** These, but they can write nothing and read no more of an index than a limit asks for. */
  public OwnTransactions readOnly() {
    return new OwnTransactions(dataSource, READ_ONLY);
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
        String preamble = firstPreamble;
        for (Arguments arguments : runs) {
          rows.addAll(statement.run(connection, preamble, arguments, reader));
          preamble = "";
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
            .formatted(failure.getSQLState(), failure.getMessage()),
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
