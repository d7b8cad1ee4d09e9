package dev.skipjack.skiplocked;

import static dev.skipjack.skiplocked.Fixture.FREE_SEATS;
import static dev.skipjack.skiplocked.Fixture.places;
import static dev.skipjack.skiplocked.Seat.SEAT;
import static dev.skipjack.skiplocked.Task.TASK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.skiplocked.ClaimResult.Shortage;
import dev.skipjack.skiplocked.Seat.SeatRecord;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jooq.OrderField;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@QueueTest
class RowClaimTest {

  private Fixture fixture;
  private Session one;
  private Session two;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    one = fixture.session();
    two = fixture.session();
  }

  @AfterEach
  void tearDown() throws SQLException {
    one.close();
    two.close();
  }

  @Test
  void aClaimReturnsTypedRowsInOrder() {
    fixture.seats("B", 1);
    fixture.seats("A", 2);

    List<SeatRecord> seats = FREE_SEATS.limit(2).claim(one.tx);

    assertThat(places(seats)).containsExactly("A1", "A2");
    assertThat(seats).noneMatch(SeatRecord::changed);
    assertThat(seats.get(0).get(SEAT.STATUS)).isEqualTo("free");
  }

  @Test
  void aClaimReturnsAttachedRowsThatTheTransactionCanStore() throws SQLException {
    fixture.seats("A", 1);

    SeatRecord seat = FREE_SEATS.claim(one.tx).get(0);
    seat.set(SEAT.STATUS, "sold");
    seat.store();
    one.commit();

    assertThat(fixture.value("SELECT status FROM seat")).isEqualTo("sold");
  }

  @Test
  void aClaimReturnsOneRowUnlessALimitIsSet() {
    fixture.seats("A", 3);

    assertThat(FREE_SEATS.claim(one.tx)).hasSize(1);
    assertThat(FREE_SEATS.claimUpTo(two.tx, 5)).hasSize(2);
  }

  @Test
  void rowsOfAnotherTransactionAreSkippedUntilItEnds() throws SQLException {
    fixture.seats("A", 3);

    assertThat(places(FREE_SEATS.limit(2).claim(one.tx))).containsExactly("A1", "A2");
    assertThat(places(FREE_SEATS.limit(2).claim(two.tx))).containsExactly("A3");
    two.commit();
    one.rollback();

    assertThat(places(FREE_SEATS.limit(2).claim(two.tx))).containsExactly("A1", "A2");
  }

  /** A transaction's second claim returns the rows of its first claim again. */
  @Test
  void claimDoesNotSkipRowsOfItsOwnTransaction() {
    fixture.seats("A", 2);

    FREE_SEATS.limit(2).claim(one.tx);

    assertThat(FREE_SEATS.limit(2).claim(one.tx)).hasSize(2);
  }

  @Test
  void aClaimReturnsNothingWithoutAFreeRow() {
    assertThat(FREE_SEATS.limit(2).claim(one.tx)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"0", "-1", "10001"})
  void refusesALimitOutOfRange(int limit) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FREE_SEATS.limit(limit))
        .withMessage("Limit %d must be in 1..10000.", limit);
  }

  @Test
  void aClaimReturnsAsManyRowsAsTheLargestLimit() {
    fixture.seats("A", 10_001);

    assertThat(FREE_SEATS.limit(10_000).claim(one.tx)).hasSize(10_000);
  }

  @Test
  void autoCommitModeIsRefusedBecauseNoLockWouldLast() {
    assertThatIllegalStateException()
        .isThrownBy(() -> FREE_SEATS.claim(fixture.db))
        .withMessageContaining("auto-commit");
    assertThatIllegalStateException()
        .isThrownBy(() -> FREE_SEATS.claimExactly(fixture.db, 2))
        .withMessageContaining("auto-commit");
  }

  @Test
  void aDialectOtherThanPostgresIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FREE_SEATS.claim(DSL.using(one.connection, SQLDialect.H2)))
        .withMessage("The DSLContext must have the dialect POSTGRES, not H2.");
  }

  @Test
  void rowsOfAnAliasAreClaimed() {
    fixture.seats("A", 2);
    Seat s = SEAT.as("s");

    List<SeatRecord> seats =
        SkipLocked.on(s).where(s.NUMBER.eq(2)).orderBy(s.ROW_NAME).claim(one.tx);

    assertThat(places(seats)).containsExactly("A2");
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "ascending, 1 2 -",
        "descending, - 2 1",
        "descending nulls last, 2 1 -",
        "ascending nulls first, - 1 2"
      })
  void ordersNullsAsTheDatabaseDoesUnlessSetOtherwise(String order, String expected) {
    fixture.seats("A", 3);
    fixture.db.execute("UPDATE seat SET price = number WHERE number < 3");
    OrderField<?> field =
        switch (order) {
          case "ascending" -> SEAT.PRICE;
          case "descending" -> SEAT.PRICE.desc();
          case "descending nulls last" -> SEAT.PRICE.desc().nullsLast();
          default -> SEAT.PRICE.asc().nullsFirst();
        };

    List<SeatRecord> seats = SkipLocked.on(SEAT).orderBy(field).limit(3).claim(one.tx);

    assertThat(seats)
        .extracting(seat -> seat.get(SEAT.PRICE) == null ? "-" : seat.get(SEAT.NUMBER).toString())
        .containsExactly(expected.split(" ", -1));
  }

  @Test
  void rowsWithEqualSortKeysAreClaimedOnceEach() {
    fixture.seats("A", 6);
    RowClaim<SeatRecord> tied = SkipLocked.on(SEAT).orderBy(SEAT.STATUS).limit(3);

    List<String> all = new ArrayList<>(places(tied.claim(one.tx)));
    all.addAll(places(tied.claim(two.tx)));

    assertThat(all).containsExactlyInAnyOrder("A1", "A2", "A3", "A4", "A5", "A6");
  }

  @Test
  void anExactClaimReturnsTheNumberOfRows() {
    fixture.seats("A", 3);

    ClaimResult<List<SeatRecord>> result = FREE_SEATS.claimExactly(one.tx, 2);

    assertThat(places(result.orElseThrow(shortage -> new AssertionError(shortage))))
        .containsExactly("A1", "A2");
    assertThat(places(FREE_SEATS.limit(3).claim(two.tx))).containsExactly("A3");
  }

  @Test
  void aShortageLeavesNoRowLockedWhileTheTransactionStaysOpen() throws SQLException {
    fixture.seats("A", 3);
    one.tx.execute("UPDATE seat SET price = 1 WHERE number = 3");

    ClaimResult<List<SeatRecord>> result = FREE_SEATS.claimExactly(one.tx, 4);

    assertThat(result).isEqualTo(new Shortage<>(4, 3));
    assertThat(places(FREE_SEATS.limit(3).claim(two.tx))).containsExactly("A1", "A2");
    two.rollback();
    one.commit();
    assertThat(fixture.value("SELECT price FROM seat WHERE number = 3")).isEqualTo("1.00");
  }

  @Test
  void aShortageCountsOnlyRowsThatAreFree() {
    fixture.seats("A", 3);
    FREE_SEATS.limit(2).claim(one.tx);

    assertThat(FREE_SEATS.claimExactly(two.tx, 2)).isEqualTo(new Shortage<>(2, 1));
  }

  @Test
  void aShortageBecomesTheExceptionOfTheCaller() {
    assertThatThrownBy(
            () ->
                FREE_SEATS
                    .claimExactly(one.tx, 2)
                    .orElseThrow(few -> new IllegalStateException("only " + few.found())))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("only 0");
  }

  /** The failed statement does not abort the caller's transaction. */
  @Test
  void anExactClaimThatFailsLeavesTheTransactionUsable() {
    fixture.seats("A", 2);
    RowClaim<SeatRecord> failing =
        FREE_SEATS.where(DSL.condition("1 / (number - 2) < 1")).orderBy(SEAT.NUMBER);

    assertThatThrownBy(() -> failing.claimExactly(one.tx, 2)).hasMessageContaining("division");

    assertThat(one.tx.fetchCount(SEAT)).isEqualTo(2);
    assertThat(FREE_SEATS.limit(2).claim(two.tx)).hasSize(2);
  }

  /**
   * Tests how many rows a second transaction can claim with the same lock, and with the default
   * lock.
   */
  @ParameterizedTest
  @CsvSource({
    "UPDATE,        0, 0",
    "NO_KEY_UPDATE, 0, 0",
    "SHARE,         1, 0",
    "KEY_SHARE,     1, 1"
  })
  void takesTheLockOfTheGivenStrength(LockStrength strength, int same, int updating) {
    fixture.seats("A", 1);
    RowClaim<SeatRecord> claim = FREE_SEATS.lock(strength);

    assertThat(claim.claim(one.tx)).hasSize(1);

    assertThat(claim.claim(two.tx)).hasSize(same);
    try (Session three = fixture.session()) {
      assertThat(FREE_SEATS.claim(three.tx)).hasSize(updating);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @EnumSource(LockStrength.class)
  void onlyTheStrongestLockSkipsARowThatAnUncommittedForeignKeyRefersTo(LockStrength strength) {
    fixture.seats("A", 1);
    one.tx.execute("INSERT INTO task (row_name, number) VALUES ('A', 1)");

    assertThat(FREE_SEATS.lock(strength).claim(two.tx))
        .hasSize(strength == LockStrength.UPDATE ? 0 : 1);
  }

  /** Because of {@code OF}, the joined table is read but its rows are not locked. */
  @Test
  void aJoinOrdersAndFiltersWithoutLockingTheOtherTable() {
    fixture.seats("A", 3);
    fixture.db.execute(
        "INSERT INTO task (batch, row_name, number) VALUES (3, 'A', 1), (1, 'A', 3), (0, NULL, NULL)");
    RowClaim<SeatRecord> urgent =
        FREE_SEATS
            .join(TASK, TASK.ROW_NAME.eq(SEAT.ROW_NAME).and(TASK.NUMBER.eq(SEAT.NUMBER)))
            .orderBy(TASK.BATCH)
            .limit(2);

    assertThat(places(urgent.claim(one.tx))).containsExactly("A3", "A1");
    assertThat(SkipLocked.on(TASK).limit(3).claim(two.tx)).hasSize(3);
  }

  @Test
  void aJoinThatMultipliesRowsIsRefused() {
    fixture.seats("A", 2);
    fixture.db.execute("INSERT INTO task (row_name, number) VALUES ('A', 1), ('A', 1)");
    RowClaim<SeatRecord> multiplied =
        FREE_SEATS.join(TASK, TASK.ROW_NAME.eq(SEAT.ROW_NAME)).limit(2);

    assertThatIllegalStateException()
        .isThrownBy(() -> multiplied.claim(one.tx))
        .withMessageStartingWith("A join returned a row of seat more than once");
  }

  @Test
  void refiningAClaimDoesNotChangeIt() {
    fixture.seats("A", 2);

    FREE_SEATS.where(SEAT.NUMBER.eq(2)).limit(5).lock(LockStrength.SHARE);

    assertThat(places(FREE_SEATS.claim(one.tx))).containsExactly("A1");
  }
}
