package dev.skipjack.skiplocked;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.UpdateSetMoreStep;

/**
 * A lease on rows of a table. Until it expires, or the rows are completed or released, no other
 * leasing claim takes them.
 *
 * <p>Every write is fenced: it changes a row only if the row still has the token of this claim. A
 * row loses the token when it is completed or released, or when another claim takes it after the
 * lease has expired. An expired lease whose row no other claim has taken can still be extended and
 * completed.
 *
 * <p>Immutable and safe for any number of threads. Each method that takes a {@code DSLContext} may
 * run in the caller's transaction or in auto-commit mode. Such a method fails with
 * IllegalStateException if a connection pool has auto-commit off and no transaction is open,
 * because the pool has rolled back what the method did. The method waits if another transaction has
 * locked one of the rows. In REPEATABLE READ and SERIALIZABLE, it fails with SQLSTATE 40001 if a
 * row was changed after the transaction's snapshot.
 *
 * @param <R> type of the rows
 */
public final class RowLease<R extends Record> {

  private final ClaimedTable<R> source;
  private final LeaseColumns<?> columns;
  private final UUID token;
  private final LeasedRows<R> leased;

  RowLease(ClaimedTable<R> source, LeaseColumns<?> columns, UUID token, LeasedRows<R> leased) {
    this.source = source;
    this.columns = columns;
    this.token = token;
    this.leased = leased;
  }

  /** {@return the fencing token, which no other claim has} It is stored in the rows. */
  public UUID token() {
    return token;
  }

  /**
   * {@return the rows in the claim's order, with the values that they had after the claim or the
   * extension} The column for the end of the lease shows when it expires by the database's clock.
   */
  public List<R> rows() {
    return leased.values();
  }

  /**
   * {@return a lease on only some of the rows, for example to complete one of them}
   *
   * @param some rows of this lease: objects from {@link #rows}, or rows with the same primary key
   * @throws IllegalArgumentException if {@code some} contains a row that is not part of this lease
   */
  public RowLease<R> narrowTo(Collection<R> some) {
    LeasedRows<R> chosen = leased.only(source, some);
    if (chosen == null) {
      throw new IllegalArgumentException(
          "This lease does not include a row of %s that was passed to narrowTo."
              .formatted(source.name()));
    }
    return new RowLease<>(source, columns, token, chosen);
  }

  /**
   * Sets the end of the lease to {@code duration} from now, even if that is earlier than before.
   *
   * @param db the caller's context, in a transaction or in auto-commit mode
   * @param duration by the database's clock; positive, at most 365 days, microsecond precision
   * @return the lease on the rows that are still held, with their current values; the other rows
   *     are lost
   */
  public RowLease<R> extend(DSLContext db, Duration duration) {
    CallersTransaction.checkDialect(db);
    LeaseClock.check(duration);
    if (leased.rows().isEmpty()) {
      return this;
    }
    LeasedRows<R> extended = ExtendStatement.run(db, source, columns, leased, token, duration);
    if (!extended.rows().isEmpty()) {
      CallersTransaction.requireKept(db);
    }
    return new RowLease<>(source, columns, token, extended);
  }

  /**
   * Releases the rows for other claims, and changes nothing else.
   *
   * @param db the caller's context, in a transaction or in auto-commit mode
   * @return the number of rows that were still held
   */
  public int release(DSLContext db) {
    CallersTransaction.checkDialect(db);
    if (leased.rows().isEmpty()) {
      return 0;
    }
    int released = ReleaseStatement.run(db, source, columns, leased, token);
    if (released > 0) {
      CallersTransaction.requireKept(db);
    }
    return released;
  }

  /**
   * Changes all rows and ends the lease, or changes none of them. The changes should exclude the
   * rows from later claims, because the rows no longer have a lease afterwards:
   *
   * <pre>{@code
   * lease.complete(tx, update -> update.set(SEAT.STATUS, SOLD).set(SEAT.CUSTOMER, customer))
   * }</pre>
   *
   * @param db the caller's context, in a transaction or in auto-commit mode
   * @param changes adds the columns to set
   * @throws RowLeaseLostException if a row is no longer held; nothing was changed. Roll back what
   *     the transaction has written because of this lease.
   */
  public void complete(DSLContext db, UnaryOperator<UpdateSetMoreStep<R>> changes) {
    CallersTransaction.checkDialect(db);
    List<R> rows = leased.values();
    if (rows.isEmpty()) {
      return;
    }
    Set<Long> held = CompleteStatement.run(db, source, columns, leased, token, changes);
    if (held.size() < rows.size()) {
      throw new RowLeaseLostException(
          source.name(),
          token,
          IntStream.range(0, rows.size())
              .filter(i -> !held.contains(i + 1L))
              .<Record>mapToObj(rows::get)
              .toList());
    }
    CallersTransaction.requireKept(db);
  }
}
