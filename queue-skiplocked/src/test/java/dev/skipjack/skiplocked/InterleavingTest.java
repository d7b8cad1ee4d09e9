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
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests claims while other transactions change rows after the claim's snapshot and before its first
 * lock. PostgreSQL then evaluates the conditions again for the newest version of the row (READ
 * COMMITTED). Also tests the writes of a lease and claims of its rows, in either order.
 */
@QueueTest
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InterleavingTest {

  private Fixture fixture;
  private Session claimer;
  private Session holder;
  private Session keeper;
  private Gate gate;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    claimer = fixture.session();
    holder = fixture.session();
    keeper = fixture.session();
    gate = new Gate(fixture, keeper);
    fixture.seats("A", 4);
  }

  @AfterEach
  void tearDown() throws SQLException {
    claimer.close();
    holder.close();
    keeper.close();
  }

  /** The same claim of two seats, with row locks and with leases. */
  enum Style {
    LOCK {
      @Override
      List<SeatRecord> claim(RowClaim<SeatRecord> claim, DSLContext tx) {
        return claim.claimUpTo(tx, 2);
      }
    },
    LEASE {
      @Override
      List<SeatRecord> claim(RowClaim<SeatRecord> claim, DSLContext tx) {
        return leasing(claim).claimUpTo(tx, 2).rows();
      }
    },
    EXACT_LEASE {
      @Override
      List<SeatRecord> claim(RowClaim<SeatRecord> claim, DSLContext tx) {
        return leasing(claim)
            .claimExactly(tx, 2)
            .orElseThrow(few -> new AssertionError(few))
            .rows();
      }
    };

    abstract List<SeatRecord> claim(RowClaim<SeatRecord> claim, DSLContext tx);

    static LeasingClaim<SeatRecord> leasing(RowClaim<SeatRecord> claim) {
      return claim.lease(SEAT.HELD_UNTIL, SEAT.HELD_BY, Fixture.LEASE);
    }
  }

  private Future<List<SeatRecord>> stop(Style style) {
    return gate.stop(claimer, tx -> style.claim(FREE_SEATS.where(Gate.PASSED), tx));
  }

  private List<SeatRecord> release(Future<List<SeatRecord>> claim) throws Exception {
    gate.open();
    List<SeatRecord> seats = claim.get(20, TimeUnit.SECONDS);
    claimer.commit();
    return seats;
  }

  /** Otherwise the tests below would test a claim that begins after the change. */
  @ParameterizedTest
  @EnumSource
  void theGateStopsAClaimAfterItsSnapshotAndBeforeItsLocks(Style style) throws Exception {
    Future<List<SeatRecord>> claim = stop(style);
    fixture.db.execute("INSERT INTO seat (row_name, number) VALUES ('A', 0)");
    assertThat(fixture.db.fetch("SELECT 1 FROM seat FOR UPDATE NOWAIT")).hasSize(5);

    assertThat(places(release(claim))).containsExactly("A1", "A2");
  }

  @ParameterizedTest
  @EnumSource
  void aRowThatIsSoldMeanwhileIsReplacedByTheNext(Style style) throws Exception {
    Future<List<SeatRecord>> claim = stop(style);
    fixture.db.execute("UPDATE seat SET status = 'sold' WHERE number = 1");

    assertThat(places(release(claim))).containsExactly("A2", "A3");
    assertThat(fixture.value("SELECT held_by IS NULL FROM seat WHERE number = 1"))
        .isEqualTo("true");
  }

  @ParameterizedTest
  @EnumSource
  void aRowThatIsDeletedMeanwhileIsReplacedByTheNext(Style style) throws Exception {
    Future<List<SeatRecord>> claim = stop(style);
    fixture.db.execute("DELETE FROM seat WHERE number = 1");

    assertThat(places(release(claim))).containsExactly("A2", "A3");
  }

  @ParameterizedTest
  @EnumSource
  void aRowThatIsLockedMeanwhileIsReplacedByTheNext(Style style) throws Exception {
    Future<List<SeatRecord>> claim = stop(style);
    FREE_SEATS.claim(holder.tx);

    assertThat(places(release(claim))).containsExactly("A2", "A3");
  }

  @ParameterizedTest
  @EnumSource(names = {"LEASE", "EXACT_LEASE"})
  void aRowThatIsLeasedMeanwhileIsReplacedByTheNext(Style style) throws Exception {
    Future<List<SeatRecord>> claim = stop(style);
    RowLease<SeatRecord> lease = HELD_SEATS.claim(fixture.db);

    assertThat(places(release(claim))).containsExactly("A2", "A3");
    assertThat(lease.extend(fixture.db, LEASE).rows()).hasSize(1);
  }

  /** The statement locks and updates a version of the row that is newer than its snapshot. */
  @ParameterizedTest
  @EnumSource
  void aRowThatIsLeasedAndReleasedMeanwhileIsClaimed(Style style) throws Exception {
    Future<List<SeatRecord>> claim = stop(style);
    HELD_SEATS.claim(fixture.db).release(fixture.db);

    assertThat(places(release(claim))).containsExactly("A1", "A2");
  }

  /** The change is neither lost nor undone. */
  @ParameterizedTest
  @EnumSource
  void aRowThatIsChangedMeanwhileIsClaimedWithItsNewValues(Style style) throws Exception {
    Future<List<SeatRecord>> claim = stop(style);
    fixture.db.execute("UPDATE seat SET price = 12 WHERE number = 1");

    List<SeatRecord> seats = release(claim);

    assertThat(places(seats)).containsExactly("A1", "A2");
    assertThat(seats.get(0).get(SEAT.PRICE)).isEqualByComparingTo("12");
    assertThat(fixture.value("SELECT price FROM seat WHERE number = 1")).isEqualTo("12.00");
  }

  @ParameterizedTest
  @EnumSource
  void rowsAreReturnedInTheOrderOfTheirNewValues(Style style) throws Exception {
    fixture.db.execute("UPDATE seat SET price = number");
    RowClaim<SeatRecord> cheapest = FREE_SEATS.where(Gate.PASSED).orderBy(SEAT.PRICE);
    Future<List<SeatRecord>> claim = gate.stop(claimer, tx -> style.claim(cheapest, tx));
    fixture.db.execute("UPDATE seat SET price = 9 WHERE number = 1");

    assertThat(places(release(claim))).containsExactly("A2", "A1");
  }

  @Test
  void anExpiredLeaseThatItsHolderExtendsMeanwhileIsNotTaken() throws Exception {
    RowLease<SeatRecord> lease = HELD_SEATS.claim(fixture.db);
    fixture.expireLeases();
    Future<List<SeatRecord>> claim = stop(Style.LEASE);

    assertThat(lease.extend(fixture.db, LEASE).rows()).hasSize(1);

    assertThat(places(release(claim))).containsExactly("A2", "A3");
    assertThat(lease.extend(fixture.db, LEASE).rows()).hasSize(1);
  }

  @Test
  void anExpiredLeaseThatItsHolderIsCompletingIsNotTaken() throws Exception {
    RowLease<SeatRecord> lease = HELD_SEATS.claim(fixture.db);
    fixture.expireLeases();

    lease.complete(holder.tx, update -> update.set(SEAT.STATUS, "sold"));

    assertThat(places(HELD_SEATS.claimUpTo(fixture.db, 2).rows())).containsExactly("A2", "A3");
    holder.commit();
    assertThat(fixture.value("SELECT status FROM seat WHERE number = 1")).isEqualTo("sold");
  }

  @Test
  void completingWaitsForTheClaimThatTakesTheRowAndIsRefusedIfItCommits() throws Exception {
    RowLease<SeatRecord> lease = HELD_SEATS.claim(fixture.db);
    fixture.expireLeases();
    RowLease<SeatRecord> next = HELD_SEATS.claim(claimer.tx);

    Future<Object> completing = startCompleting(lease);
    holder.awaitWaiting(fixture.db);
    claimer.commit();

    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> completing.get(20, TimeUnit.SECONDS))
        .withCauseInstanceOf(RowLeaseLostException.class);
    // The refused write keeps the lock on the row for which it has waited.
    holder.rollback();
    assertThat(next.extend(fixture.db, LEASE).rows()).hasSize(1);
  }

  @Test
  void completingSucceedsIfTheClaimThatTakesTheRowRollsBack() throws Exception {
    RowLease<SeatRecord> lease = HELD_SEATS.claim(fixture.db);
    fixture.expireLeases();
    HELD_SEATS.claim(claimer.tx);

    Future<Object> completing = startCompleting(lease);
    holder.awaitWaiting(fixture.db);
    claimer.rollback();
    completing.get(20, TimeUnit.SECONDS);
    holder.commit();

    assertThat(fixture.value("SELECT status FROM seat WHERE number = 1")).isEqualTo("sold");
  }

  @ParameterizedTest
  @EnumSource
  void theOtherWritesOfALeaseAreFencedInTheSameWay(LateWrite write) throws Exception {
    RowLease<SeatRecord> lease = HELD_SEATS.claim(fixture.db);
    fixture.expireLeases();
    RowLease<SeatRecord> next = HELD_SEATS.claim(claimer.tx);

    Future<Integer> late = holder.start(tx -> write.rowsOf(lease, tx));
    holder.awaitWaiting(fixture.db);
    claimer.commit();

    assertThat(late.get(20, TimeUnit.SECONDS)).isZero();
    holder.commit();
    assertThat(fixture.value("SELECT held_by FROM seat WHERE number = 1"))
        .isEqualTo(next.token().toString());
  }

  enum LateWrite {
    EXTEND {
      @Override
      int rowsOf(RowLease<SeatRecord> lease, DSLContext tx) {
        return lease.extend(tx, Fixture.LEASE).rows().size();
      }
    },
    RELEASE {
      @Override
      int rowsOf(RowLease<SeatRecord> lease, DSLContext tx) {
        return lease.release(tx);
      }
    };

    abstract int rowsOf(RowLease<SeatRecord> lease, DSLContext tx);
  }

  /** Both statements lock the rows in key order, not in the order of the lease. */
  @Test
  void twoCompletionsOfTheSameRowsDoNotDeadlock() throws Exception {
    RowLease<SeatRecord> lease = HELD_SEATS.claimUpTo(fixture.db, 2);
    RowLease<SeatRecord> reversed =
        lease.narrowTo(List.of(lease.rows().get(1), lease.rows().get(0)));
    claimer.tx.execute("SELECT 1 FROM seat WHERE number = 1 FOR UPDATE");

    Future<Object> first = startCompleting(reversed);
    holder.awaitWaiting(fixture.db);
    // The first waits for A1 and has not locked A2.
    assertThat(claimer.tx.fetch("SELECT 1 FROM seat WHERE number = 2 FOR UPDATE NOWAIT"))
        .hasSize(1);
    lease.complete(claimer.tx, update -> update.set(SEAT.STATUS, "sold"));
    claimer.commit();

    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> first.get(20, TimeUnit.SECONDS))
        .withCauseInstanceOf(RowLeaseLostException.class);
  }

  private Future<Object> startCompleting(RowLease<SeatRecord> lease) {
    return holder.start(
        tx -> {
          lease.complete(tx, update -> update.set(SEAT.STATUS, "sold"));
          return true;
        });
  }
}
