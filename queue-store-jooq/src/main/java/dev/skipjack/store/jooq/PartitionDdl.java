package dev.skipjack.store.jooq;

import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.query;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.unquotedName;

import dev.skipjack.model.Skipjack;
import dev.skipjack.store.jooq.spi.OwnConnections;
import dev.skipjack.store.jooq.spi.OwnTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Query;
import org.jooq.Table;

/**
 * The steps by which a partition goes: marked, detached, finished if that was interrupted, dropped.
 * None of them waits long, and none takes a lock on the parent that a claim or a completion waits
 * for.
 *
 * <p>Every method throws {@link dev.skipjack.api.StoreException} when it could not be done.
 */
final class PartitionDdl {

  private static final String LOCK_TIMEOUT = "SET LOCAL lock_timeout = '300ms'; ";

  /**
   * Most seconds to wait for readers. Cancelled by the driver and not by a {@code lock_timeout}:
   * concurrent detaching allows no transaction, and what is set for a session outlives it behind a
   * pooler.
   */
  private static final int DETACH_TIMEOUT = 1;

  private final DataSource dataSource;
  private final DSLContext dsl;

  /**
   * @param dsl renders names for the queue's schema
   */
  PartitionDdl(DataSource dataSource, DSLContext dsl) {
    this.dataSource = dataSource;
    this.dsl = dsl;
  }

  /** Notes on the table that we are removing it: without that it is never dropped. */
  void mark(Partition partition) {
    inTransaction(dsl.commentOnTable(tableOf(partition)).is(FindPartitionsStatement.MARK));
  }

  /** Takes the note back: whoever detaches the partition now, keeps it. */
  void unmark(Partition partition) {
    inTransaction(dsl.commentOnTable(tableOf(partition)).is(""));
  }

  /**
   * Takes the partition from its parent. Waits at most a second for those who have touched the
   * parent; given up, it is pending, to be finished later.
   */
  void detach(Partition partition) {
    String sql = dsl.render(detach(partition, "concurrently"));
    run(
        connection -> {
          connection.setAutoCommit(true);
          try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(DETACH_TIMEOUT);
            statement.execute(sql);
          }
        });
  }

  /** Finishes a detaching that was interrupted. */
  void finish(Partition partition) {
    inTransaction(detach(partition, "finalize"));
  }

  /** Drops the detached table. */
  void drop(Partition partition) {
    inTransaction(dsl.dropTable(tableOf(partition)));
  }

  /** jOOQ has no word for detaching. */
  private static Query detach(Partition partition, String how) {
    return query(
        "alter table {0} detach partition {1} {2}",
        partition.of().table(), tableOf(partition), unquotedName(how));
  }

  private static Table<?> tableOf(Partition partition) {
    return table(name(Skipjack.SKIPJACK.getName(), partition.name()));
  }

  private void inTransaction(Query query) {
    String sql = LOCK_TIMEOUT + dsl.renderInlined(query);
    run(
        connection -> {
          connection.setAutoCommit(false);
          try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
          }
          connection.commit();
        });
  }

  private void run(Work work) {
    try (Connection connection = OwnConnections.borrow(dataSource)) {
      boolean autoCommit = connection.getAutoCommit();
      try {
        work.on(connection);
        connection.setAutoCommit(autoCommit);
      } catch (SQLException | RuntimeException | Error failure) {
        giveUp(connection, autoCommit, failure);
        throw failure;
      }
    } catch (SQLException failure) {
      throw OwnTransactions.refused(failure);
    }
  }

  private static void giveUp(Connection connection, boolean autoCommit, Throwable failure) {
    try {
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
      connection.setAutoCommit(autoCommit);
    } catch (SQLException broken) {
      failure.addSuppressed(broken);
    }
  }

  @FunctionalInterface
  private interface Work {
    void on(Connection connection) throws SQLException;
  }
}
