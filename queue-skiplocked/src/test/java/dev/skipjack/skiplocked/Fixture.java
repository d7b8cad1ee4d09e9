package dev.skipjack.skiplocked;

import static dev.skipjack.skiplocked.Seat.SEAT;

import dev.skipjack.skiplocked.Seat.SeatRecord;
import dev.skipjack.testkit.QueueDatabase;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** The empty tables of the tests, and constants for claims of free seats. */
final class Fixture {

  static final Duration LEASE = Duration.ofMinutes(10);

  static final RowClaim<SeatRecord> FREE_SEATS =
      SkipLocked.on(SEAT)
          .where(SEAT.STATUS.eq(DSL.inline("free")))
          .orderBy(SEAT.ROW_NAME, SEAT.NUMBER);

  static final LeasingClaim<SeatRecord> HELD_SEATS =
      FREE_SEATS.lease(SEAT.HELD_UNTIL, SEAT.HELD_BY, LEASE);

  final QueueDatabase database;

  /** Runs statements in auto-commit mode. */
  final DSLContext db;

  Fixture(QueueDatabase database) {
    this.database = database;
    this.db = DSL.using(database.dataSource(), SQLDialect.POSTGRES);
    db.execute("DROP TABLE IF EXISTS task, seat CASCADE");
    db.execute(Seat.DDL);
    db.execute(Task.DDL);
  }

  Session session() {
    return new Session(database);
  }

  /** Adds the seats 1 to {@code number} of a row. */
  void seats(String row, int number) {
    db.execute(
        "INSERT INTO seat (row_name, number) SELECT ?, n FROM generate_series(1, ?) n",
        row,
        number);
  }

  void tasks(int number) {
    db.execute("INSERT INTO task (batch) SELECT n / 10 FROM generate_series(1, ?) n", number);
  }

  /** Makes the leases of all seats expire. */
  void expireLeases() {
    db.execute(
        "UPDATE seat SET held_until = now() - interval '1 second' WHERE held_until IS NOT NULL");
  }

  String value(String sql) {
    return String.valueOf(db.fetchValue(sql));
  }

  static List<String> places(Collection<SeatRecord> seats) {
    return seats.stream().map(SeatRecord::place).toList();
  }
}
