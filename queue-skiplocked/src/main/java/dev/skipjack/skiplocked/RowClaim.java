package dev.skipjack.skiplocked;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jooq.AggregateFunction;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.OrderField;
import org.jooq.Record;
import org.jooq.Table;

/**
 * A claim of rows that stay locked until the caller's transaction ends.
 *
 * <pre>{@code
 * SkipLocked.on(VOUCHER).where(VOUCHER.REDEEMED_AT.isNull()).orderBy(VOUCHER.ID).limit(2).claim(tx)
 * }</pre>
 *
 * <p>Rows that other transactions have locked are skipped, so a claim never waits for a row. It may
 * return fewer rows than its limit, although more may be free a moment later. It never returns more
 * than its limit.
 *
 * <p>Immutable and safe for any number of threads.
 *
 * <p>In REPEATABLE READ and SERIALIZABLE, a claim fails with SQLSTATE 40001 if it finds a row that
 * was changed after the transaction's snapshot; repeat the transaction. READ COMMITTED claims the
 * row as it is now, if it still fulfils the conditions. If it does not, the row is not returned,
 * but stays locked until the transaction ends. If another transaction has moved the row to another
 * partition meanwhile, READ COMMITTED fails with 40001 too.
 *
 * @param <R> type of the rows
 */
public final class RowClaim<R extends Record> {

  /** The maximum number of rows per claim, all of which are held in memory. */
  private static final int MOST = 10_000;

  private final FreeRows<R> rows;
  private final int limit;

  private RowClaim(FreeRows<R> rows, int limit) {
    this.rows = rows;
    this.limit = limit;
  }

  static <R extends Record> RowClaim<R> of(ClaimedTable<R> source) {
    return new RowClaim<>(FreeRows.of(source), 1);
  }

  /**
   * Adds a condition that claimed rows must fulfil. Write constants that appear in the predicate of
   * a partial index with {@code DSL.inline}: with a bind value, a generic plan does not use the
   * index.
   *
   * @param condition a condition on columns of the claimed table and of joined tables
   * @return a copy with this change
   */
  public RowClaim<R> where(Condition condition) {
    Objects.requireNonNull(
        condition, "The condition is null; a claim without conditions takes any row.");
    return with(rows.where(condition));
  }

  /**
   * Joins {@code other}, for conditions and the order. Its rows are not locked. The join must
   * return each row of the claimed table at most once, as a join along a foreign key does;
   * otherwise the claim fails with IllegalStateException.
   *
   * @param other the other table
   * @param on the condition of the join
   * @return a copy with this change
   * @throws IllegalArgumentException if the claimed table has no primary key
   */
  public RowClaim<R> join(Table<?> other, Condition on) {
    rows.source().requireKey("A claim with a join");
    return with(rows.join(new FreeRows.Join(other, on)));
  }

  /**
   * Sets the order in which rows are claimed and returned. Rows that are equal in all fields are
   * claimed in any order; add the primary key at the end to make the order unique. Replaces an
   * earlier order.
   *
   * <p>If another transaction changes a row while the claim runs, the row's old values determine
   * whether it is claimed before others, and its new values determine its position in the result.
   *
   * @param fields the fields to order by
   * @return a copy with this change
   */
  public RowClaim<R> orderBy(OrderField<?>... fields) {
    for (OrderField<?> field : fields) {
      Objects.requireNonNull(field, "A field of the order is null.");
      if (field instanceof AggregateFunction) {
        throw new IllegalArgumentException(
            "Cannot claim rows of %s in the order of the aggregate %s. Put it into a subquery."
                .formatted(rows.source().name(), field));
      }
    }
    return with(rows.orderBy(List.of(fields)));
  }

  /**
   * Sets the row lock that the claim takes. Default {@link LockStrength#NO_KEY_UPDATE}.
   *
   * @param strength the lock
   * @return a copy with this change
   */
  public RowClaim<R> lock(LockStrength strength) {
    return with(rows.lock(strength));
  }

  /**
   * Sets the maximum number of rows to claim. Default 1.
   *
   * @param limit from 1 to 10,000
   * @return a copy with this change
   */
  public RowClaim<R> limit(int limit) {
    checkLimit(limit);
    return new RowClaim<>(rows, limit);
  }

  static void checkLimit(int limit) {
    if (limit < 1 || limit > MOST) {
      throw new IllegalArgumentException("Limit %d must be in 1..%d.".formatted(limit, MOST));
    }
  }

  /**
   * Writes a lease into the claimed rows, so that they stay claimed after the transaction has
   * ended. Rows whose lease has not expired are not claimed. Rows whose lease has expired can be
   * claimed again, so no cleanup is needed after a crash of the holder. A claim without a lease
   * ignores existing leases.
   *
   * @param until nullable column of type timestamptz for the end of the lease; it is null in a row
   *     without a lease
   * @param holder nullable column for the token of the claim that holds the lease; it is null in a
   *     row without a lease
   * @param duration duration of the lease by the database's clock, measured from the claim and not
   *     from its commit; positive, at most 365 days, microsecond precision
   * @return a claim that writes a lease
   * @throws IllegalArgumentException if the table has no primary key, if a column does not fit, if
   *     the duration is out of range, or if several transactions could hold this claim's lock
   */
  public LeasingClaim<R> lease(Field<?> until, Field<UUID> holder, Duration duration) {
    if (!rows.strength().isExclusive()) {
      throw new IllegalArgumentException(
          "A lease needs the lock UPDATE or NO_KEY_UPDATE, not %s, which several transactions can hold."
              .formatted(rows.strength()));
    }
    LeaseClock.check(duration);
    return new LeasingClaim<>(rows, limit, LeaseColumns.of(rows.source(), until, holder), duration);
  }

  /**
   * Claims up to {@link #limit} rows.
   *
   * @param tx an open transaction
   * @return the rows, in the claim's order; empty if no row is free
   * @throws IllegalStateException if the connection is in auto-commit mode, or comes from a pool
   *     with auto-commit off and no transaction is open
   * @throws IllegalArgumentException if the dialect is not POSTGRES, or the server cannot lock rows
   *     of the table
   */
  public List<R> claim(DSLContext tx) {
    CallersTransaction.checkDialect(tx);
    CallersTransaction.requireOpen(tx);
    List<R> claimed = ClaimStatement.run(tx, rows, limit);
    if (!claimed.isEmpty()) {
      CallersTransaction.requireKept(tx);
    }
    return claimed;
  }

  /**
   * Claims up to {@code limit} rows; shorthand for {@code limit(limit).claim(tx)}.
   *
   * @param tx the context, in the caller's transaction
   * @param limit the maximum number of rows, from 1 to 10,000
   * @return the claimed rows
   */
  public List<R> claimUpTo(DSLContext tx, int limit) {
    return limit(limit).claim(tx);
  }

  /**
   * Claims exactly {@code number} rows, or none. The claim sets a savepoint. If too few rows are
   * free, it rolls back to the savepoint, so no row stays locked.
   *
   * @param tx the context, in the caller's transaction
   * @param number the number of rows, from 1 to 10,000
   * @return the claimed rows, or how many rows were free if they were too few
   * @see #claim
   */
  public ClaimResult<List<R>> claimExactly(DSLContext tx, int number) {
    RowClaim<R> exact = limit(number);
    CallersTransaction.checkDialect(tx);
    CallersTransaction.requireOpen(tx);
    List<R> claimed =
        CallersTransaction.atomically(tx, exact::claim, found -> found.size() == number);
    return claimed.size() == number
        ? new ClaimResult.Claimed<>(claimed)
        : new ClaimResult.Shortage<>(number, claimed.size());
  }

  FreeRows<R> rows() {
    return rows;
  }

  private RowClaim<R> with(FreeRows<R> changed) {
    return new RowClaim<>(changed, limit);
  }
}
