package dev.skipjack.store.jooq.internal.history;

import static org.jooq.impl.DSL.commentOnTable;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.query;
import static org.jooq.impl.DSL.resultQuery;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.unquotedName;

import dev.skipjack.model.Skipjack;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnConnections;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.ReadOnlyServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Query;
import org.jooq.Table;

/**
 * The steps that remove a partition: mark it, detach it, finish an interrupted detach, and drop it.
 * No step waits long, and none takes a lock that blocks claims or completions.
 *
 * <p>Every method throws {@link dev.skipjack.api.StoreException} if the database rejects the step.
 */
final class PartitionDdl {

  /**
   * Sets READ COMMITTED, so that reads after a wait for a lock see what the holder of the lock
   * committed.
   */
  private static final String PREAMBLE =
      "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '300ms'; "
          + "SET LOCAL search_path = pg_catalog, pg_temp; ";

  /**
   * The SQLSTATE with which PostgreSQL refuses to detach a partition that is already being
   * detached.
   */
  private static final String NOT_IN_PREREQUISITE_STATE = "55000";

  /**
   * How long a detach may wait for transactions that use the parent, in seconds. Then the driver
   * cancels the statement. {@code lock_timeout} is no alternative: a concurrent detach cannot run
   * in a transaction, and a pooler would keep the session's setting.
   */
  private static final int DETACH_TIMEOUT = 1;

  private final OwnConnections connections;
  private final Lazy<DSLContext> dsl;

  /**
   * @param dsl renders names for the queue's schema, without a connection
   */
  PartitionDdl(DataSource dataSource, Lazy<DSLContext> dsl) {
    this.connections = new OwnConnections(dataSource);
    this.dsl = dsl;
  }

  /**
   * Marks the table as being removed. A table without the mark is never dropped. Marking takes a
   * lock that prevents other sessions from detaching the table. Fails if another session has
   * detached the table since it was found.
   */
  void mark(Partition partition) {
    String check =
        dsl.get()
            .renderInlined(
                resultQuery(
                    "select 1 from pg_inherits where inhrelid = to_regclass({0}) and not"
                        + " inhdetachpending",
                    inline(dsl.get().render(tableOf(partition)))));
    inTransaction(
        marking(partition),
        statement -> {
          try (ResultSet attached = statement.executeQuery(check)) {
            if (!attached.next()) {
              throw new SQLException(
                  "Partition %s was detached by another session before it was marked for removal."
                      .formatted(partition.name()),
                  NOT_IN_PREREQUISITE_STATE);
            }
          }
        });
  }

  /** Restores the mark of a table that this process has detached or begun to detach. */
  void markAgain(Partition partition) {
    inTransaction(marking(partition));
  }

  private static Query marking(Partition partition) {
    return commentOnTable(tableOf(partition)).is(FindPartitionsStatement.MARK);
  }

  /** Removes the mark, so that the table is kept if another session detaches it. */
  void unmark(Partition partition) {
    inTransaction(dsl.get().commentOnTable(tableOf(partition)).is(""));
  }

  /**
   * Detaches the partition from its parent. Waits for transactions that have used the parent. After
   * one second, the detach is left pending and must be finished later.
   */
  void detach(Partition partition) {
    String sql = dsl.get().render(detach(partition, "concurrently"));
    run(
        connection -> {
          connection.setAutoCommit(true);
          try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(DETACH_TIMEOUT);
            statement.execute(sql);
          }
        });
  }

  /** Finishes an interrupted detach. */
  void finish(Partition partition) {
    inTransaction(detach(partition, "finalize"));
  }

  /** Drops the detached table. */
  void drop(Partition partition) {
    inTransaction(dsl.get().dropTable(tableOf(partition)));
  }

  /**
   * Returns the DDL that detaches a partition. It is a template, because jOOQ's DSL cannot express
   * it.
   */
  private static Query detach(Partition partition, String how) {
    return query(
        "alter table {0} detach partition {1} {2}",
        tableOf(partition.of().name()), tableOf(partition), unquotedName(how));
  }

  private static Table<?> tableOf(Partition partition) {
    return tableOf(partition.name());
  }

  private static Table<?> tableOf(String name) {
    return table(name(Skipjack.SKIPJACK.getName(), name));
  }

  private void inTransaction(Query query) {
    inTransaction(query, statement -> {});
  }

  private void inTransaction(Query query, Check check) {
    String sql = PREAMBLE + dsl.get().renderInlined(query);
    run(
        connection -> {
          connection.setAutoCommit(false);
          try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            check.on(statement);
          }
          connection.commit();
        });
  }

  private void run(Work work) {
    try (Connection connection = connections.borrow()) {
      boolean autoCommit = connection.getAutoCommit();
      try {
        work.on(connection);
        connection.setAutoCommit(autoCommit);
      } catch (Throwable failure) {
        giveUp(connection, autoCommit, failure);
        throw failure;
      }
    } catch (SQLException failure) {
      throw OwnTransactions.refused(failure);
    }
  }

  private static void giveUp(Connection connection, boolean autoCommit, Throwable failure) {
    if (ReadOnlyServer.abandon(connection, failure)) {
      return;
    }
    try {
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
      connection.setAutoCommit(autoCommit);
    } catch (SQLException broken) {
      failure.addSuppressed(broken);
    }
  }

  /** Throws if the change must not be committed. */
  @FunctionalInterface
  private interface Check {
    void on(Statement statement) throws SQLException;
  }

  @FunctionalInterface
  private interface Work {
    void on(Connection connection) throws SQLException;
  }
}
