package dev.skipjack.torture;

import dev.skipjack.skiplocked.RowClaim;
import dev.skipjack.skiplocked.RowLease;
import dev.skipjack.skiplocked.RowLeaseLostException;
import dev.skipjack.skiplocked.SkipLocked;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;

/**
 * Takes rows under row locks and under leases, and writes a row for each that it took, in the
 * transaction that ends the claim. Used by one thread.
 */
final class RowTaker implements Runnable {

  private static final int MOST = 3;
  private static final int LONGEST_MILLIS = 20;
  private static final long IDLE_MILLIS = 100;

  /** Claims rows that stay locked until the transaction ends. */
  @FunctionalInterface
  interface Claims {
    List<Record> claim(DSLContext transaction, RowTable table);
  }

  private final DataSource dataSource;
  private final RowTable table;
  private final String name;
  private final Duration lease;
  private final Claims locks;

  /**
   * @param lease the lease of a claim that outlives its transaction
   * @param locks claims the rows that are taken under row locks
   */
  RowTaker(DataSource dataSource, String schema, String name, Duration lease, Claims locks) {
    this.dataSource = dataSource;
    this.table = new RowTable(schema);
    this.name = name;
    this.lease = lease;
    this.locks = locks;
  }

  static List<Record> skipLocked(DSLContext transaction, RowTable table) {
    return free(table, 0).claim(transaction);
  }

  /**
   * Returns a claim of free rows with an even or an odd id. A claim without a lease ignores leases,
   * so only rows with an even id are claimed under locks, and only the others under leases.
   */
  private static RowClaim<Record> free(RowTable table, int parity) {
    return SkipLocked.on(table)
        .where(table.taken.isFalse())
        .where(table.id.mod(2).eq(parity))
        .where(table.freeAt.le(DSL.currentOffsetDateTime()))
        .orderBy(table.id)
        .limit(MOST);
  }

  /** Takes rows until the thread is interrupted. */
  @Override
  public void run() {
    try {
      while (true) {
        try {
          int taken = ThreadLocalRandom.current().nextBoolean() ? takeLocked() : takeLeased();
          if (taken == 0) {
            Thread.sleep(IDLE_MILLIS);
          }
        } catch (SQLException | DataAccessException | RowLeaseLostException failure) {
          Thread.sleep(IDLE_MILLIS); // what was not committed is taken again
        }
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private int takeLocked() throws SQLException, InterruptedException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      DSLContext transaction = DSL.using(connection, SQLDialect.POSTGRES);
      List<Record> rows = locks.claim(transaction, table);
      work();
      note(transaction, rows);
      int unused =
          transaction
              .update(table)
              .set(table.taken, true)
              .where(table.id.in(rows.stream().map(row -> row.get(table.id)).toList()))
              .execute();
      connection.commit();
      return rows.size();
    }
  }

  private int takeLeased() throws SQLException, InterruptedException {
    try (Connection connection = dataSource.getConnection()) {
      DSLContext db = DSL.using(connection, SQLDialect.POSTGRES);
      RowLease<Record> held =
          free(table, 1).lease(table.leaseUntil, table.leaseHolder, lease).claim(db);
      work();
      connection.setAutoCommit(false);
      note(db, held.rows());
      held.complete(db, update -> update.set(table.taken, true));
      connection.commit();
      return held.rows().size();
    }
  }

  private static void work() throws InterruptedException {
    Thread.sleep(ThreadLocalRandom.current().nextInt(LONGEST_MILLIS));
  }

  private void note(DSLContext transaction, List<Record> rows) {
    for (Record row : rows) {
      int unused =
          transaction.execute(
              "INSERT INTO {0} VALUES ({1}, {2})",
              DSL.table(DSL.name(table.getSchema().getName(), "torture_takes")),
              DSL.val(row.get(table.id)),
              DSL.val(name));
    }
  }
}
