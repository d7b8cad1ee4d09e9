package dev.skipjack.skiplocked;

import static dev.skipjack.skiplocked.Fixture.FREE_SEATS;
import static dev.skipjack.skiplocked.Fixture.HELD_SEATS;
import static dev.skipjack.skiplocked.Fixture.LEASE;
import static dev.skipjack.skiplocked.Fixture.places;
import static dev.skipjack.skiplocked.Seat.SEAT;
import static dev.skipjack.skiplocked.Task.TASK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.skipjack.skiplocked.ClaimResult.Shortage;
import dev.skipjack.skiplocked.Seat.SeatRecord;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jooq.Record;
import org.jooq.TableField;
import org.jooq.UniqueKey;
import org.jooq.impl.DSL;
import org.jooq.impl.Internal;
import org.jooq.impl.SQLDataType;
import org.jooq.impl.TableImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests claims under a lease, and the methods of a lease. */
@QueueTest
class LeasingClaimTest {

  private static final String HELD =
      "SELECT coalesce(string_agg(row_name || number, ' ' ORDER BY row_name, number), '') FROM seat"
          + " WHERE held_by IS NOT NULL";

  private Fixture fixture;
  private Session session;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    session = fixture.session();
  }

  @AfterEach
  void tearDown() throws SQLException {
    session.close();
  }

  @Test
  void aClaimWritesOneTokenAndOneEndIntoAllRowsAndReturnsThemInOrder() {
    fixture.seats("B", 1);
    fixture.seats("A", 2);

    RowLease<SeatRecord> lease = HELD_SEATS.claimUpTo(fixture.db, 3);

    assertThat(places(lease.rows())).containsExactly("A1", "A2", "B1");
    assertThat(lease.rows()).noneMatch(SeatRecord::changed);
    assertThat(lease.rows()).allMatch(seat -> seat.get(SEAT.HELD_BY).equals(lease.token()));
    assertThat(lease.rows())
        .extracting(seat -> seat.get(SEAT.HELD_UNTIL))
        .containsOnly(lease.rows().get(0).get(SEAT.HELD_UNTIL));
    assertThat(fixture.value("SELECT count(DISTINCT held_until) || ' ' || count(*) FROM seat"))
        .isEqualTo("1 3");
  }

  @Test
  void theLeaseEndsByTheClockOfTheDatabase() {
    fixture.seats("A", 1);
    String before = fixture.value("SELECT clock_timestamp()::text");

    FREE_SEATS
        .lease(SEAT.HELD_UNTIL, SEAT.HELD_BY, Duration.ofDays(1).plusNanos(1_000))
        .claim(fixture.db);

    assertThat(
            fixture.value(
                "SELECT held_until - interval '24:00:00.000001' BETWEEN '%s' AND clock_timestamp() FROM seat"
                    .formatted(before)))
        .isEqualTo("true");
  }

  @Test
  void rowsUnderALeaseAreNotFreeUntilItExpires() {
    fixture.seats("A", 2);
    RowLease<SeatRecord> first = HELD_SEATS.claim(fixture.db);

    assertThat(places(HELD_SEATS.claimUpTo(fixture.db, 2).rows())).containsExactly("A2");
    assertThat(HELD_SEATS.claimUpTo(fixture.db, 2).rows()).isEmpty();

    fixture.expireLeases();
    RowLease<SeatRecord> second = HELD_SEATS.claimUpTo(fixture.db, 2);
    assertThat(places(second.rows())).containsExactly("A1", "A2");
    assertThat(second.token()).isNotEqualTo(first.token());
  }

  /** The lease ends after the transaction began, but before the statement begins. */
  @Test
  void aRowIsFreeIfItsLeaseExpiresWhileTheTransactionIsOpen() {
    fixture.seats("A", 1);
    session.tx.execute("SELECT now()");
    FREE_SEATS.lease(SEAT.HELD_UNTIL, SEAT.HELD_BY, Duration.ofNanos(1_000)).claim(fixture.db);

    assertThat(HELD_SEATS.claim(session.tx).rows()).hasSize(1);
  }

  @Test
  void aRowWithAnEndAndNoTokenIsNotFreeUntilTheEnd() {
    fixture.seats("A", 2);
    fixture.db.execute("UPDATE seat SET held_until = 'infinity' WHERE number = 1");

    assertThat(places(HELD_SEATS.claimUpTo(fixture.db, 2).rows())).containsExactly("A2");
  }

  @Test
  void anOpenTransactionKeepsItsRowsFromOthersAndARollbackFreesThem() throws SQLException {
    fixture.seats("A", 2);

    HELD_SEATS.claim(session.tx);
    assertThat(places(HELD_SEATS.claimUpTo(fixture.db, 2).rows())).containsExactly("A2");
    session.rollback();

    assertThat(places(HELD_SEATS.claimUpTo(fixture.db, 2).rows())).containsExactly("A1");
  }

  @Test
  void aTableWithASingleColumnKeyAndInstantsIsLeased() {
    fixture.tasks(25);
    LeasingClaim<Record> claim =
        SkipLocked.on(TASK)
            .orderBy(TASK.BATCH.desc(), TASK.ID)
            .lease(TASK.LEASED_UNTIL, TASK.LEASED_BY, LEASE);

    RowLease<Record> lease = claim.claimUpTo(fixture.db, 4);

    assertThat(lease.rows())
        .extracting(row -> row.get(TASK.ID))
        .containsExactly(20L, 21L, 22L, 23L);
    assertThat(lease.extend(fixture.db, LEASE).rows()).hasSize(4);
    lease.complete(fixture.db, update -> update.set(TASK.STATE, "done"));
    assertThat(fixture.value("SELECT count(*) FROM task WHERE state = 'done' AND id >= 20"))
        .isEqualTo("4");
  }

  @Test
  void rowsOfAnAliasAreLeased() {
    fixture.seats("A", 2);
    Seat s = SEAT.as("s");

    RowLease<SeatRecord> lease =
        SkipLocked.on(s)
            .where(s.NUMBER.eq(2))
            .lease(s.HELD_UNTIL, s.HELD_BY, LEASE)
            .claim(fixture.db);

    assertThat(places(lease.rows())).containsExactly("A2");
    assertThat(lease.extend(fixture.db, LEASE).release(fixture.db)).isEqualTo(1);
  }

  private static final class Chunk extends TableImpl<Record> {

    private static final long serialVersionUID = 1L;

    final TableField<Record, byte[]> HASH =
        createField(DSL.name("hash"), SQLDataType.BLOB.nullable(false), this);
    final TableField<Record, Instant> UNTIL =
        createField(DSL.name("until"), SQLDataType.INSTANT, this);
    final TableField<Record, UUID> HOLDER = createField(DSL.name("holder"), SQLDataType.UUID, this);

    Chunk() {
      super(DSL.name("chunk"));
    }

    @Override
    public UniqueKey<Record> getPrimaryKey() {
      return Internal.createUniqueKey(this, DSL.name("chunk_pkey"), HASH);
    }
  }

  /** Byte arrays must be compared by content. */
  @Test
  void aKeyOfBytesIsRecognized() {
    fixture.db.execute("DROP TABLE IF EXISTS chunk");
    fixture.db.execute(
        "CREATE TABLE chunk (hash bytea PRIMARY KEY, until timestamptz, holder uuid)");
    fixture.db.execute("INSERT INTO chunk (hash) VALUES ('\\x01'), ('\\x02')");
    Chunk chunk = new Chunk();

    RowLease<Record> lease =
        SkipLocked.on(chunk)
            .orderBy(chunk.HASH)
            .lease(chunk.UNTIL, chunk.HOLDER, LEASE)
            .claimUpTo(fixture.db, 2);

    RowLease<Record> extended = lease.extend(fixture.db, LEASE);
    assertThat(extended.rows()).hasSize(2);
    assertThat(lease.narrowTo(extended.rows().subList(0, 1)).release(fixture.db)).isEqualTo(1);
    extended
        .narrowTo(extended.rows().subList(1, 2))
        .complete(fixture.db, update -> update.set(chunk.HASH, new byte[] {3}));
    assertThat(fixture.value("SELECT string_agg(hash::text, ' ' ORDER BY hash) FROM chunk"))
        .isEqualTo("\\x01 \\x03");
  }

  @Test
  void rowsOfAPartitionedTableAreLeased() {
    fixture.db.execute("DROP TABLE seat CASCADE");
    fixture.db.execute(Seat.DDL + " PARTITION BY LIST (row_name)");
    fixture.db.execute("CREATE TABLE seat_a PARTITION OF seat FOR VALUES IN ('A')");
    fixture.db.execute("CREATE TABLE seat_b PARTITION OF seat FOR VALUES IN ('B')");
    fixture.seats("B", 2);
    fixture.seats("A", 2);

    RowLease<SeatRecord> lease = HELD_SEATS.claimUpTo(fixture.db, 3);

    assertThat(places(lease.rows())).containsExactly("A1", "A2", "B1");
    lease.complete(fixture.db, update -> update.set(SEAT.STATUS, "sold"));
    assertThat(places(HELD_SEATS.claimUpTo(fixture.db, 3).rows())).containsExactly("B2");
  }

  @Test
  void aClaimWithoutALeaseIgnoresLeases() {
    fixture.seats("A", 1);
    HELD_SEATS.claim(fixture.db);

    assertThat(FREE_SEATS.claim(session.tx)).hasSize(1);
  }

  @Test
  void anExactClaimReturnsTheRequestedRowsInAutoCommitMode() {
    fixture.seats("A", 3);

    RowLease<SeatRecord> lease =
        HELD_SEATS.claimExactly(fixture.db, 2).orElseThrow(few -> new AssertionError(few));

    assertThat(places(lease.rows())).containsExactly("A1", "A2");
    assertThat(fixture.value(HELD)).isEqualTo("A1 A2");
    // The row is attached to the caller's configuration, not to the transaction that has ended.
    lease.rows().get(0).refresh();
  }

  @Test
  void aShortageChangesNothingInAutoCommitMode() {
    fixture.seats("A", 3);

    assertThat(HELD_SEATS.claimExactly(fixture.db, 4)).isEqualTo(new Shortage<>(4, 3));
    assertThat(fixture.value(HELD)).isEmpty();
  }

  @Test
  void aShortageChangesAndLocksNothingInAnOpenTransaction() throws SQLException {
    fixture.seats("A", 3);

    assertThat(HELD_SEATS.claimExactly(session.tx, 4)).isEqualTo(new Shortage<>(4, 3));

    assertThat(places(HELD_SEATS.claimUpTo(fixture.db, 3).rows()))
        .containsExactly("A1", "A2", "A3");
    session.commit();
    assertThat(fixture.value(HELD)).isEqualTo("A1 A2 A3");
  }

  @Test
  void aJoinThatMultipliesRowsLeasesNoneInAutoCommitMode() {
    fixture.seats("A", 2);
    fixture.db.execute("INSERT INTO task (row_name, number) VALUES ('A', 1), ('A', 1)");
    LeasingClaim<SeatRecord> multiplied =
        FREE_SEATS
            .join(TASK, TASK.ROW_NAME.eq(SEAT.ROW_NAME))
            .lease(SEAT.HELD_UNTIL, SEAT.HELD_BY, LEASE);

    assertThatIllegalStateException().isThrownBy(() -> multiplied.claimUpTo(fixture.db, 2));
    assertThat(fixture.value(HELD)).isEmpty();
  }

  @Test
  void aJoinToOneRowIsLeased() {
    fixture.seats("A", 2);
    fixture.db.execute("INSERT INTO task (row_name, number, batch) VALUES ('A', 2, 1)");

    RowLease<SeatRecord> lease =
        FREE_SEATS
            .join(TASK, TASK.ROW_NAME.eq(SEAT.ROW_NAME).and(TASK.NUMBER.eq(SEAT.NUMBER)))
            .orderBy(TASK.BATCH)
            .lease(SEAT.HELD_UNTIL, SEAT.HELD_BY, LEASE)
            .claimUpTo(fixture.db, 2);

    assertThat(places(lease.rows())).containsExactly("A2");
    lease.rows().get(0).refresh();
  }

  @Test
  void completeChangesTheRowsAndEndsTheLease() {
    fixture.seats("A", 2);
    RowLease<SeatRecord> lease = HELD_SEATS.claimUpTo(fixture.db, 2);

    lease.complete(
        fixture.db,
        update ->
            update.set(SEAT.STATUS, "sold").set(SEAT.PRICE, DSL.inline(7.5).coerce(SEAT.PRICE)));

    assertThat(fixture.value("SELECT count(*) FROM seat WHERE status = 'sold' AND price = 7.5"))
        .isEqualTo("2");
    assertThat(fixture.value(HELD)).isEmpty();
    assertLost(lease, "A1", "A2");
  }

  @Test
  void completeChangesNoRowIfOneIsLost() {
    fixture.seats("A", 3);
    RowLease<SeatRecord> lease = HELD_SEATS.claimUpTo(fixture.db, 3);
    fixture.db.execute("UPDATE seat SET held_until = '-infinity' WHERE number = 2");
    HELD_SEATS.claim(fixture.db);

    assertLost(lease, "A2");
    assertThat(fixture.value("SELECT count(*) FROM seat WHERE status <> 'free'")).isEqualTo("0");
    assertThat(
            fixture.value(
                "SELECT count(*) FROM seat WHERE held_by = '%s'".formatted(lease.token())))
        .isEqualTo("2");
  }

  @Test
  void theMessageOfALostLeaseNamesTheTableAndNoValues() {
    fixture.seats("Secret", 1);
    RowLease<SeatRecord> lease = HELD_SEATS.claim(fixture.db);
    lease.release(fixture.db);

    assertThatExceptionOfType(RowLeaseLostException.class)
        .isThrownBy(() -> lease.complete(fixture.db, update -> update.set(SEAT.STATUS, "sold")))
        .withMessage(
            "Lease %s no longer holds 1 of its rows of seat: it expired, or they were completed, released or deleted. Roll back.",
            lease.token())
        .satisfies(lost -> assertThat(lost.token()).isEqualTo(lease.token()));
  }

  @Test
  void anExpiredLeaseIsStillHeldUntilAnotherClaimTakesItsRow() {
    fixture.seats("A", 2);
    RowLease<SeatRecord> lease = HELD_SEATS.claimUpTo(fixture.db, 2);
    fixture.expireLeases();

    assertThat(lease.extend(fixture.db, LEASE).rows()).hasSize(2);
    assertThat(HELD_SEATS.claim(fixture.db).rows()).isEmpty();
  }

  @Test
  void extendReturnsTheRowsThatAreStillHeldInTheOrderOfTheClaim() {
    fixture.seats("A", 3);
    RowLease<SeatRecord> lease =
        FREE_SEATS
            .orderBy(SEAT.NUMBER.desc())
            .lease(SEAT.HELD_UNTIL, SEAT.HELD_BY, LEASE)
            .claimUpTo(fixture.db, 3);
    lease.narrowTo(List.of(lease.rows().get(1))).release(fixture.db);
    RowLease<SeatRecord> other = HELD_SEATS.claim(fixture.db);
    String end = fixture.value("SELECT held_until::text FROM seat WHERE number = 2");

    RowLease<SeatRecord> extended = lease.extend(fixture.db, Duration.ofDays(1));

    assertThat(places(other.rows())).containsExactly("A2");
    assertThat(places(extended.rows())).containsExactly("A3", "A1");
    assertThat(extended.rows().get(0).get(SEAT.HELD_UNTIL))
        .isAfter(lease.rows().get(0).get(SEAT.HELD_UNTIL).plusHours(23));
    assertThat(fixture.value("SELECT held_until::text FROM seat WHERE number = 2")).isEqualTo(end);
  }

  @Test
  void releaseFreesTheRowsThatAreStillHeldAndNoOthers() {
    fixture.seats("A", 2);
    RowLease<SeatRecord> stale = HELD_SEATS.claimUpTo(fixture.db, 2);
    stale.narrowTo(stale.rows().subList(0, 1)).release(fixture.db);
    RowLease<SeatRecord> other = HELD_SEATS.claim(fixture.db);

    assertThat(stale.release(fixture.db)).isEqualTo(1);
    assertThat(fixture.value(HELD)).isEqualTo("A1");
    assertThat(other.release(fixture.db)).isEqualTo(1);
    assertThat(fixture.value("SELECT count(*) FROM seat WHERE held_until IS NULL")).isEqualTo("2");
  }

  /**
   * A row that is deleted and inserted again no longer has the token, so the lease no longer holds
   * it.
   */
  @Test
  void aDeletedRowIsLost() {
    fixture.seats("A", 1);
    RowLease<SeatRecord> lease = HELD_SEATS.claim(fixture.db);
    fixture.db.execute("DELETE FROM seat");
    fixture.seats("A", 1);

    assertThat(lease.extend(fixture.db, LEASE).rows()).isEmpty();
    assertLost(lease, "A1");
  }

  @Test
  void aLeaseWithoutRowsChangesNothing() {
    RowLease<SeatRecord> none = HELD_SEATS.claim(fixture.db);

    assertThat(none.rows()).isEmpty();
    assertThat(none.extend(fixture.db, LEASE).rows()).isEmpty();
    assertThat(none.release(fixture.db)).isZero();
    none.complete(fixture.db, update -> update.set(SEAT.STATUS, "sold"));
  }

  @Test
  void aLeaseCanOnlyBeNarrowedToItsOwnRows() {
    fixture.seats("A", 2);
    RowLease<SeatRecord> first = HELD_SEATS.claim(fixture.db);
    RowLease<SeatRecord> second = HELD_SEATS.claim(fixture.db);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> first.narrowTo(second.rows()))
        .withMessage("This lease does not include a row of seat that was passed to narrowTo.");
  }

  private void assertLost(RowLease<SeatRecord> lease, String... places) {
    assertThatExceptionOfType(RowLeaseLostException.class)
        .isThrownBy(() -> lease.complete(fixture.db, update -> update.set(SEAT.STATUS, "sold")))
        .satisfies(
            lost ->
                assertThat(lost.lost())
                    .extracting(row -> ((SeatRecord) row).place())
                    .containsExactly(places));
  }

  @Test
  void aRowOfAnInheritingTableWithTheSameKeyIsNotLeased() {
    fixture.db.execute("CREATE TABLE box (PRIMARY KEY (row_name, number)) INHERITS (seat)");
    fixture.seats("A", 1);
    fixture.db.execute("INSERT INTO box (row_name, number) VALUES ('A', 1)");

    RowLease<SeatRecord> lease = HELD_SEATS.claim(fixture.db);

    assertThat(lease.rows()).hasSize(1);
    assertThat(fixture.value("SELECT count(*) FROM seat WHERE held_by IS NOT NULL")).isEqualTo("1");
    RowLease<SeatRecord> both = HELD_SEATS.claim(fixture.db);
    assertThat(both.rows()).hasSize(1);
    lease.complete(fixture.db, update -> update.set(SEAT.STATUS, "sold"));
    assertThat(fixture.value("SELECT count(*) FROM seat WHERE status = 'sold'")).isEqualTo("1");
  }
}
