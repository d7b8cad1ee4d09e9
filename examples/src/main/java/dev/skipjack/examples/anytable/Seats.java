package dev.skipjack.examples.anytable;

import static dev.skipjack.examples.anytable.Tables.SEAT;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.skiplocked.ClaimResult;
import dev.skipjack.skiplocked.ClaimResult.Claimed;
import dev.skipjack.skiplocked.RowLease;
import dev.skipjack.skiplocked.RowLeaseLostException;
import dev.skipjack.skiplocked.SkipLocked;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.Record2;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * Customers reserve two adjacent seats, and then pay. A reservation is a lease, so it needs no
 * connection while the customer enters the card details, and it expires without a cleanup.
 *
 * <p>What goes wrong: a customer pays after the reservation has expired and another customer has
 * reserved the seats. The payment is rolled back.
 */
public final class Seats {

  private final DSLContext db;

  Seats(DataSource dataSource) {
    this.db = DSL.using(dataSource, SQLDialect.POSTGRES);
  }

  // snippet: seats
  /** Reserves two adjacent seats. Returns empty if none are left or other customers are faster. */
  Optional<RowLease<Record>> reserve(Duration time) {
    for (Record2<String, Integer> pair : freePairs()) {
      ClaimResult<RowLease<Record>> result =
          SkipLocked.on(SEAT)
              .where(SEAT.CUSTOMER.isNull())
              .where(SEAT.ROW_NAME.eq(pair.value1()))
              .where(SEAT.NUMBER.in(pair.value2(), pair.value2() + 1))
              .orderBy(SEAT.NUMBER)
              .lease(SEAT.HELD_UNTIL, SEAT.HELD_BY, time)
              .claimExactly(db, 2);
      if (result instanceof Claimed<RowLease<Record>> both) {
        return Optional.of(both.rows());
      }
    }
    return Optional.empty();
  }

  /** Throws {@link RowLeaseLostException} if the seats are no longer reserved. */
  void pay(RowLease<Record> seats, String customer) {
    db.transaction(
        tx -> {
          tx.dsl().execute("INSERT INTO payment (customer) VALUES (?)", customer);
          seats.complete(tx.dsl(), update -> update.set(SEAT.CUSTOMER, customer));
        });
  }

  // end of snippet

  /** Returns the first seat of each pair that is free now. Locks nothing. */
  List<Record2<String, Integer>> freePairs() {
    Tables.Seat next = SEAT.as("next");
    return db.select(SEAT.ROW_NAME, SEAT.NUMBER)
        .from(SEAT)
        .join(next)
        .on(next.ROW_NAME.eq(SEAT.ROW_NAME), next.NUMBER.eq(SEAT.NUMBER.plus(1)))
        .where(isFree(SEAT), isFree(next))
        .orderBy(SEAT.ROW_NAME, SEAT.NUMBER)
        .fetch();
  }

  private static Condition isFree(Tables.Seat seat) {
    return seat.CUSTOMER
        .isNull()
        .and(seat.HELD_UNTIL.isNull().or(seat.HELD_UNTIL.le(DSL.currentOffsetDateTime())));
  }

  /**
   * Runs the example.
   *
   * @param args a JDBC URL; without one an embedded PostgreSQL is started
   */
  public static void main(String[] args) {
    try (ExampleDatabase database = ExampleDatabase.open(args)) {
      run(database.dataSource(), System.out);
    }
  }

  static void run(DataSource dataSource, PrintStream out) {
    Seats seats = new Seats(dataSource);
    seats.create(1, 3);

    RowLease<Record> slow = seats.reserve(Duration.ofNanos(1_000)).orElseThrow();
    out.println("Ann reserves " + names(slow));
    RowLease<Record> quick = seats.reserve(Duration.ofMinutes(10)).orElseThrow();
    out.println("the reservation expires, Bob reserves " + names(quick));
    try {
      seats.pay(slow, "Ann");
    } catch (RowLeaseLostException lost) {
      out.println("Ann pays too late for " + lost.lost().size() + " seats");
    }
    seats.pay(quick, "Bob");
    out.println(
        "payments: " + seats.db.fetchValue("SELECT string_agg(customer, ' ') FROM payment"));
    out.println("two more: " + (seats.reserve(Duration.ofMinutes(10)).isPresent() ? "yes" : "no"));
  }

  void create(int rows, int perRow) {
    db.execute("DROP TABLE IF EXISTS payment, seat");
    db.execute("CREATE TABLE payment (customer text NOT NULL)");
    db.execute(Tables.Seat.DDL);
    db.execute(
        "INSERT INTO seat (row_name, number) SELECT chr(64 + r), n FROM generate_series(1, ?) r,"
            + " generate_series(1, ?) n",
        rows,
        perRow);
  }

  static List<String> names(RowLease<Record> seats) {
    return seats.rows().stream().map(s -> s.get(SEAT.ROW_NAME) + s.get(SEAT.NUMBER)).toList();
  }
}
