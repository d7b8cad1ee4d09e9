package dev.skipjack.skiplocked;

import java.time.Duration;
import java.util.UUID;
import org.jooq.DSLContext;
import org.jooq.Record;

/**
 * A claim of rows under a lease, made by {@link RowClaim#lease}.
 *
 * <p>Each call generates a random token and writes it into the rows. It may run in the caller's
 * transaction or in auto-commit mode. If the call runs in a transaction, other transactions skip
 * the locked rows until the commit and see the lease from then on. Commit soon, because the lease
 * begins at the call.
 *
 * <p>Immutable and safe for any number of threads. {@link RowClaim} describes the differences in
 * REPEATABLE READ and SERIALIZABLE.
 *
 * @param <R> type of the rows
 */
public final class LeasingClaim<R extends Record> {

  private final FreeRows<R> free;
  private final int limit;
  private final LeaseColumns<?> columns;
  private final Duration duration;

  LeasingClaim(FreeRows<R> rows, int limit, LeaseColumns<?> columns, Duration duration) {
    this.free = rows.where(columns.isFree());
    this.limit = limit;
    this.columns = columns;
    this.duration = duration;
  }

  /**
   * Claims up to {@link RowClaim#limit} rows.
   *
   * @param db the caller's context, in a transaction or in auto-commit mode
   * @return the lease, which has no rows if none was free
   * @throws IllegalArgumentException if the dialect is not POSTGRES, or the server cannot lock rows
   *     of the table
   * @throws IllegalStateException if a connection pool has auto-commit off and no transaction is
   *     open, because the pool has rolled the claim back
   */
  public RowLease<R> claim(DSLContext db) {
    return claimUpTo(db, limit);
  }

  /**
   * Claims up to {@code limit} rows.
   *
   * @param db the caller's context, in a transaction or in auto-commit mode
   * @param limit from 1 to 10,000
   * @return the claimed rows with their lease
   * @see #claim
   */
  public RowLease<R> claimUpTo(DSLContext db, int limit) {
    RowClaim.checkLimit(limit);
    CallersTransaction.checkDialect(db);
    UUID token = UUID.randomUUID();
    // A join that multiplies rows is found after the update, which must then be undone.
    LeasedRows<R> rows =
        free.hasJoins()
            ? CallersTransaction.atomically(db, open -> run(open, token, limit), found -> true)
            : run(db, token, limit);
    return lease(db, token, rows);
  }

  /**
   * Claims exactly {@code number} rows, or none. The claim sets a savepoint if a transaction is
   * open, and runs in its own transaction otherwise. If too few rows are free, no row is changed
   * and none stays locked.
   *
   * @param db the caller's context, in a transaction or in auto-commit mode
   * @param number from 1 to 10,000
   * @return the claimed rows with their lease, or how many rows were free if they were too few
   * @see #claim
   */
  public ClaimResult<RowLease<R>> claimExactly(DSLContext db, int number) {
    RowClaim.checkLimit(number);
    CallersTransaction.checkDialect(db);
    UUID token = UUID.randomUUID();
    LeasedRows<R> leased =
        CallersTransaction.atomically(
            db, open -> run(open, token, number), found -> found.rows().size() == number);
    int found = leased.rows().size();
    return found == number
        ? new ClaimResult.Claimed<>(lease(db, token, leased))
        : new ClaimResult.Shortage<>(number, found);
  }

  private LeasedRows<R> run(DSLContext db, UUID token, int number) {
    LeasedRows<R> leased = LeaseStatement.run(db, free, columns, token, duration, number);
    if (!leased.rows().isEmpty()) {
      CallersTransaction.requireKept(db);
    }
    return leased;
  }

  /**
   * Attaches the rows to the caller's configuration, because the transaction in which they were
   * read may have ended.
   */
  private RowLease<R> lease(DSLContext db, UUID token, LeasedRows<R> leased) {
    if (db.settings().isAttachRecords()) {
      leased.values().forEach(row -> row.attach(db.configuration()));
    }
    return new RowLease<>(free.source(), columns, token, leased);
  }
}
