package dev.skipjack.skiplocked;

import static dev.skipjack.skiplocked.Fixture.LEASE;
import static dev.skipjack.skiplocked.Seat.SEAT;
import static dev.skipjack.skiplocked.Task.TASK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.skiplocked.Seat.SeatRecord;
import dev.skipjack.testkit.QueueDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jooq.Query;
import org.jooq.conf.ParamType;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that claims in large tables use indexes. Each test rolls back its claims. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PlanTest {

  private static final int LIMIT = 5;

  private final QueueDatabase database = QueueDatabase.create();
  private final Fixture fixture = new Fixture(database);
  private Session session;

  @BeforeAll
  void fill() {
    fixture.db.execute("ALTER TABLE seat SET (autovacuum_enabled = off)");
    fixture.db.execute("ALTER TABLE task SET (autovacuum_enabled = off)");
    fixture.db.execute("CREATE INDEX free_seats ON seat (row_name, number) WHERE status = 'free'");
    for (String row : List.of("A", "B", "C", "D")) {
      fixture.seats(row, 10_000);
    }
    fixture.tasks(40_000);
    fixture.db.execute("ANALYZE seat, task");
  }

  @AfterAll
  void drop() {
    database.close();
  }

  @BeforeEach
  void open() {
    session = fixture.session();
  }

  @AfterEach
  void rollBack() throws SQLException {
    session.close();
  }

  @Test
  void aClaimReadsThePartialIndexAndNoMoreRowsThanItTakes() {
    RowClaim<SeatRecord> free =
        SkipLocked.on(SEAT)
            .where(SEAT.STATUS.eq(DSL.inline("free")))
            .orderBy(SEAT.ROW_NAME, SEAT.NUMBER);

    String plan = explain(ClaimStatement.render(session.tx, free.rows(), LIMIT));

    assertThat(plan).contains("Index Scan using free_seats on seat").doesNotContain("Seq Scan");
    assertThat(plan).containsPattern("LockRows .*rows=5(\\.00)? ");
  }

  /** Generic plans use the index too, because the limit is part of the text. */
  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void leaseUsesIndexesAndDoesNotScanTheTable(String mode) {
    session.tx.execute("SET LOCAL plan_cache_mode = " + mode);
    RowClaim<SeatRecord> free =
        SkipLocked.on(SEAT)
            .where(SEAT.STATUS.eq(DSL.inline("free")))
            .orderBy(SEAT.ROW_NAME, SEAT.NUMBER);
    LeaseColumns<?> seats = LeaseColumns.of(ClaimedTable.of(SEAT), SEAT.HELD_UNTIL, SEAT.HELD_BY);
    LeaseColumns<?> tasks =
        LeaseColumns.of(ClaimedTable.of(TASK), TASK.LEASED_UNTIL, TASK.LEASED_BY);

    String ofSeats =
        explain(
            LeaseStatement.render(
                session.tx,
                free.rows().where(seats.isFree()),
                seats,
                UUID.randomUUID(),
                LEASE,
                LIMIT));
    String ofTasks =
        explain(
            LeaseStatement.render(
                session.tx,
                SkipLocked.on(TASK).orderBy(TASK.ID).rows().where(tasks.isFree()),
                tasks,
                UUID.randomUUID(),
                LEASE,
                LIMIT));

    assertThat(ofSeats)
        .contains("Index Scan using free_seats on seat", "Index Scan using seat_pkey on seat")
        .doesNotContain("Seq Scan");
    assertThat(ofTasks).contains("Index Scan using task_pkey on task").doesNotContain("Seq Scan");
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void extensionAndReleaseUseIndexesAndDoNotScanTheTable(String mode) {
    session.tx.execute("SET LOCAL plan_cache_mode = " + mode);
    ClaimedTable<SeatRecord> seats = ClaimedTable.of(SEAT);
    LeaseColumns<?> columns = LeaseColumns.of(seats, SEAT.HELD_UNTIL, SEAT.HELD_BY);
    UUID token = UUID.randomUUID();
    LeasedRows<SeatRecord> leased =
        LeaseStatement.run(session.tx, FreeRows.of(seats), columns, token, LEASE, LIMIT);

    String extension =
        explain(ExtendStatement.render(session.tx, seats, columns, leased, token, LEASE));
    String release = explain(ReleaseStatement.render(session.tx, seats, columns, leased, token));

    assertThat(extension)
        .contains("Index Scan using seat_pkey on seat")
        .doesNotContain("Seq Scan on seat");
    assertThat(release)
        .contains("Index Scan using seat_pkey on seat")
        .doesNotContain("Seq Scan on seat");
    LeasedRows<SeatRecord> again =
        LeaseStatement.run(session.tx, FreeRows.of(seats), columns, token, LEASE, LIMIT);
    String completion =
        explain(
            CompleteStatement.render(
                session.tx,
                seats,
                columns,
                again,
                token,
                update -> update.set(SEAT.STATUS, DSL.inline("sold"))));
    assertThat(completion)
        .contains("Index Scan using seat_pkey on seat")
        .doesNotContain("Seq Scan on seat");
  }

  private String explain(Query query) {
    session.tx.execute("PREPARE planned AS " + query.getSQL(ParamType.INLINED));
    try {
      return session
          .tx
          .fetch("EXPLAIN (ANALYZE, TIMING off, SUMMARY off) EXECUTE planned")
          .format();
    } finally {
      session.tx.execute("DEALLOCATE planned");
    }
  }
}
