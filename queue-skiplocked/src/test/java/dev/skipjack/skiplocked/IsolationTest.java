package dev.skipjack.skiplocked;

import static dev.skipjack.skiplocked.Fixture.FREE_SEATS;
import static dev.skipjack.skiplocked.Fixture.HELD_SEATS;
import static dev.skipjack.skiplocked.Fixture.LEASE;
import static dev.skipjack.skiplocked.Fixture.places;
import static dev.skipjack.skiplocked.Seat.SEAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.skipjack.skiplocked.Seat.SeatRecord;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jooq.exception.DataAccessException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests claims and leases in transactions that keep their first snapshot. */
@QueueTest
class IsolationTest {

  private Fixture fixture;
  private Session session;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    session = fixture.session();
    fixture.seats("A", 3);
  }

  @AfterEach
  void tearDown() throws SQLException {
    session.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
  void lockedRowsAreSkipped(int level) throws SQLException {
    session.isolation(level);
    try (Session other = fixture.session()) {
      FREE_SEATS.claim(other.tx);

      assertThat(places(FREE_SEATS.limit(2).claim(session.tx))).containsExactly("A2", "A3");
      assertThat(places(HELD_SEATS.claimUpTo(session.tx, 2).rows())).containsExactly("A2", "A3");
    }
    session.commit();
  }

  @ParameterizedTest
  @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
  void aRowThatWasChangedSinceTheSnapshotFailsTheClaim(int level) throws SQLException {
    session.isolation(level);
    session.tx.fetchCount(SEAT);
    HELD_SEATS.claim(fixture.db);

    assertNotSerializable(() -> HELD_SEATS.claim(session.tx));
    session.rollback();
    assertThat(places(HELD_SEATS.claim(session.tx).rows())).containsExactly("A2");
  }

  /** The claim's savepoint keeps the transaction usable, and the transaction keeps its snapshot. */
  @ParameterizedTest
  @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
  void anExactClaimThatFailsLeavesTheTransactionUsable(int level) throws SQLException {
    session.isolation(level);
    session.tx.fetchCount(SEAT);
    fixture.db.execute("UPDATE seat SET price = 1 WHERE number = 1");

    assertNotSerializable(() -> FREE_SEATS.claimExactly(session.tx, 2));

    assertThat(session.tx.fetchValue("SELECT price FROM seat WHERE number = 1")).isNull();
  }

  /** In the snapshot, the holder still has the row, but the fence rejects the write. */
  @ParameterizedTest
  @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
  void aLeaseThatWasLostSinceTheSnapshotCannotWrite(int level) throws SQLException {
    RowLease<SeatRecord> lease = HELD_SEATS.claim(fixture.db);
    fixture.expireLeases();
    session.isolation(level);
    session.tx.fetchCount(SEAT);
    RowLease<SeatRecord> next = HELD_SEATS.claim(fixture.db);

    assertNotSerializable(
        () -> lease.complete(session.tx, update -> update.set(SEAT.STATUS, "sold")));
    session.rollback();
    session.tx.fetchCount(SEAT);
    assertThat(next.extend(fixture.db, LEASE).rows()).hasSize(1);
  }

  private static void assertNotSerializable(ThrowingCallable claim) {
    assertThatExceptionOfType(DataAccessException.class)
        .isThrownBy(claim)
        .satisfies(error -> assertThat(error.sqlState()).isEqualTo("40001"));
  }
}
