package dev.skipjack.skiplocked;

import static dev.skipjack.skiplocked.Fixture.LEASE;
import static dev.skipjack.skiplocked.Seat.SEAT;
import static dev.skipjack.skiplocked.Task.TASK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.rowNumber;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectDistinct;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.values;

import dev.skipjack.skiplocked.Seat.SeatRecord;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.UUID;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.TableField;
import org.jooq.TableOptions;
import org.jooq.UniqueKey;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.jooq.impl.Internal;
import org.jooq.impl.SQLDataType;
import org.jooq.impl.TableImpl;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests which tables and columns are rejected for claims and leases, and the messages that name
 * them.
 */
@QueueTest
class RefusedTablesTest {

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

  private static final class Described extends TableImpl<Record> {

    private static final long serialVersionUID = 1L;

    final TableField<Record, Integer> NUMBER =
        createField(name("number"), SQLDataType.INTEGER, this);
    final TableField<Record, UUID> HOLDER = createField(name("holder"), SQLDataType.UUID, this);
    final TableField<Record, LocalDateTime> LOCAL =
        createField(name("local"), SQLDataType.LOCALDATETIME, this);
    final TableField<Record, OffsetDateTime> UNTIL =
        createField(name("until"), SQLDataType.TIMESTAMPWITHTIMEZONE, this);
    final TableField<Record, OffsetDateTime> COARSE =
        createField(DSL.name("coarse"), SQLDataType.TIMESTAMPWITHTIMEZONE(0), this);
    final TableField<Record, UUID> REQUIRED =
        createField(name("required"), SQLDataType.UUID.nullable(false), this);
    private final boolean keyed;

    Described(String name, TableOptions options, boolean keyed) {
      super(name(name), null, null, null, DSL.comment(""), options, (Condition) null);
      this.keyed = keyed;
    }

    @Override
    public @Nullable UniqueKey<Record> getPrimaryKey() {
      return keyed ? Internal.createUniqueKey(this, name("key"), NUMBER) : null;
    }
  }

  static Stream<Arguments> unlockable() {
    return Stream.of(
        Arguments.of(
            new Described("free_seats", TableOptions.view(), false), "free_seats: it is a view"),
        Arguments.of(
            new Described("free_seats", TableOptions.view(), false).as("f"), "f: it is a view"),
        Arguments.of(
            new Described("seat_counts", TableOptions.materializedView(), false),
            "seat_counts: it is a view"),
        Arguments.of(
            new Described("seats_of", TableOptions.function(), false),
            "seats_of: it is a function"),
        Arguments.of(
            selectDistinct(SEAT.STATUS).from(SEAT).asTable("states"), "states: it is the result"),
        Arguments.of(
            select(SEAT.STATUS, count()).from(SEAT).groupBy(SEAT.STATUS).asTable("counts"),
            "counts: it is the result"),
        Arguments.of(
            select(SEAT.NUMBER).from(SEAT).union(select(TASK.NUMBER).from(TASK)).asTable("both"),
            "both: it is the result"),
        Arguments.of(values(DSL.row(1)).as("v", "n"), "v: it is the result"),
        Arguments.of(SEAT.join(TASK).on(SEAT.NUMBER.eq(TASK.NUMBER)), "it is a join"),
        Arguments.of(table(name("seat")), "seat: jOOQ does not know its columns"));
  }

  @ParameterizedTest
  @MethodSource("unlockable")
  void anythingButATableIsRefusedByName(Table<?> table, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SkipLocked.on(table))
        .withMessageStartingWith("Cannot claim rows of ")
        .withMessageContaining(message);
  }

  /** The class of each view is hand-written and declares it as a table. */
  @ParameterizedTest
  @CsvSource({
    "VIEW, SELECT number FROM seat",
    "VIEW, SELECT count(*) AS number FROM seat",
    "VIEW, SELECT DISTINCT number FROM seat",
    "MATERIALIZED VIEW, SELECT number FROM seat"
  })
  void aViewThatJooqTreatsAsATableIsRefused(String kind, String query) {
    fixture.db.execute("CREATE %s lying AS %s".formatted(kind, query));
    RowClaim<Record> claim = SkipLocked.on(new OneColumn("lying"));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> claim.claim(session.tx))
        .withMessageStartingWith("Cannot claim rows of lying: it is not a table");
  }

  private static final class OneColumn extends TableImpl<Record> {

    private static final long serialVersionUID = 1L;

    OneColumn(String name) {
      super(name(name));
      createField(name("number"), SQLDataType.INTEGER, this);
    }
  }

  @Test
  void anAggregateInTheOrderIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SkipLocked.on(SEAT).orderBy(count()))
        .withMessageStartingWith(
            "Cannot claim rows of seat in the order of the aggregate count(*)");
  }

  static Stream<Arguments> notPerRow() {
    RowClaim<SeatRecord> seats = SkipLocked.on(SEAT);
    return Stream.of(
        Arguments.of(seats.orderBy(count().plus(1))),
        Arguments.of(seats.orderBy(rowNumber().over().desc())),
        Arguments.of(seats.where(count().gt(1))),
        Arguments.of(seats.orderBy(DSL.field("generate_series(1, 3)"))));
  }

  @ParameterizedTest
  @MethodSource("notPerRow")
  void aggregatesAndWindowFunctionsAreRefusedWithTheNameOfTheTable(RowClaim<SeatRecord> claim) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> claim.claim(session.tx))
        .withMessageStartingWith("Cannot claim rows of seat: its conditions or its order contain");
  }

  @Test
  void otherErrorsOfTheServerReachTheCallerUnchanged() {
    assertThatExceptionOfType(DataAccessException.class)
        .isThrownBy(
            () -> SkipLocked.on(SEAT).where(DSL.condition("no_such_column")).claim(session.tx))
        .satisfies(error -> assertThat(error.sqlState()).isEqualTo("42703"));
  }

  @Test
  void aTableWithoutAPrimaryKeyCanBeClaimedButNotLeased() {
    fixture.db.execute("CREATE TABLE IF NOT EXISTS keyless (number integer)");
    fixture.db.execute("INSERT INTO keyless VALUES (1)");
    Described keyless = new Described("keyless", TableOptions.table(), false);

    assertThat(SkipLocked.on(new OneColumn("keyless")).claim(session.tx)).hasSize(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SkipLocked.on(keyless).lease(keyless.UNTIL, keyless.HOLDER, LEASE))
        .withMessageStartingWith("A lease on a row of keyless needs a primary key");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SkipLocked.on(keyless).join(SEAT, DSL.trueCondition()))
        .withMessageStartingWith("A claim with a join of keyless needs a primary key");
  }

  @Test
  @SuppressWarnings("NullAway") // callers may not check nulls
  void nullConditionsAndNullSortFieldsAreRefused() {
    assertThatNullPointerException()
        .isThrownBy(() -> SkipLocked.on(SEAT).where(null))
        .withMessage("The condition is null; a claim without conditions takes any row.");
    assertThatNullPointerException()
        .isThrownBy(() -> SkipLocked.on(SEAT).orderBy(SEAT.NUMBER, null))
        .withMessage("A field of the order is null.");
  }

  @Test
  void columnsThatCannotStoreALeaseAreRefused() {
    Described table = new Described("item", TableOptions.table(), true);
    RowClaim<Record> claim = SkipLocked.on(table);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> claim.lease(table.LOCAL, table.HOLDER, LEASE))
        .withMessageStartingWith(
            "Column local of item must have the type timestamptz to store the end of a lease, not"
                + " timestamp");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> claim.lease(table.COARSE, table.HOLDER, LEASE))
        .withMessage(
            "Column coarse of item must store microseconds, and its type is timestamptz(0): a lease"
                + " would end at another time than agreed.");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> claim.lease(table.UNTIL, table.REQUIRED, LEASE))
        .withMessageStartingWith("Column required of item must be nullable");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> claim.lease(table.UNTIL, SEAT.HELD_BY, LEASE))
        .withMessageStartingWith("Column held_by is not a column of item");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SkipLocked.on(SEAT.as("s")).lease(SEAT.HELD_UNTIL, SEAT.HELD_BY, LEASE))
        .withMessageStartingWith("Column held_until is not a column of s");
  }

  @ParameterizedTest
  @CsvSource({"PT0S", "PT-1S", "P366D"})
  void leasesWithADurationOutOfRangeAreRefused(Duration lease) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SkipLocked.on(SEAT).lease(SEAT.HELD_UNTIL, SEAT.HELD_BY, lease))
        .withMessage("Lease %s must be positive and at most 365 days.", lease);
  }

  @Test
  void aLeaseUnderASharedLockIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                SkipLocked.on(SEAT)
                    .lock(LockStrength.SHARE)
                    .lease(SEAT.HELD_UNTIL, SEAT.HELD_BY, LEASE))
        .withMessageStartingWith("A lease needs the lock UPDATE or NO_KEY_UPDATE, not SHARE");
  }
}
