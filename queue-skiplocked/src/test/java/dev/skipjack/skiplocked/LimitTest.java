package dev.skipjack.skiplocked;

import static dev.skipjack.skiplocked.Fixture.LEASE;
import static dev.skipjack.skiplocked.Seat.SEAT;
import static dev.skipjack.skiplocked.Task.TASK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.skiplocked.Seat.SeatRecord;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jooq.Record;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that no plan claims more rows than the limit, even with wrong estimates and disabled plan
 * nodes. The common statement with IN claims more in the same sessions.
 */
@QueueTest
class LimitTest {

  private static final int LIMIT = 5;

  /** The settings that make the planner execute joins or subqueries differently if they are off. */
  private static final List<String> PENALTIES =
      List.of(
          "enable_hashjoin",
          "enable_mergejoin",
          "enable_nestloop",
          "enable_hashagg",
          "enable_sort",
          "enable_material",
          "enable_memoize",
          "enable_indexscan",
          "enable_bitmapscan",
          "enable_seqscan");

  private static final LeasingClaim<SeatRecord> SEATS =
      SkipLocked.on(SEAT)
          .where(SEAT.STATUS.eq("free"))
          .orderBy(SEAT.ROW_NAME, SEAT.NUMBER)
          .lease(SEAT.HELD_UNTIL, SEAT.HELD_BY, LEASE);

  private static final LeasingClaim<Record> TASKS =
      SkipLocked.on(TASK)
          .where(TASK.STATE.eq("open"))
          .orderBy(TASK.ID)
          .lease(TASK.LEASED_UNTIL, TASK.LEASED_BY, LEASE);

  /**
   * The statement that ADR 0001 warns about: the subquery runs again for each row of the outer
   * table.
   */
  private static final String NAIVE =
      """
      UPDATE task SET state = 'taken' WHERE state = 'open' AND id IN (
        SELECT id FROM task WHERE state = 'open' LIMIT %d FOR UPDATE SKIP LOCKED)\
      """
          .formatted(LIMIT);

  /** Returns all combinations of up to two settings to turn off. */
  private static List<List<String>> penalties() {
    List<List<String>> combinations = new ArrayList<>();
    for (int bits = 0; bits < (1 << PENALTIES.size()); bits++) {
      if (Integer.bitCount(bits) <= 2) {
        List<String> chosen = new ArrayList<>();
        for (int i = 0; i < PENALTIES.size(); i++) {
          if ((bits & (1 << i)) != 0) {
            chosen.add(PENALTIES.get(i));
          }
        }
        combinations.add(chosen);
      }
    }
    return combinations;
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void noPlanClaimsMoreThanTheLimit(String mode, QueueDatabase database) throws SQLException {
    Fixture fixture = new Fixture(database);
    fixture.seats("A", 40);
    fixture.tasks(40);
    // According to the statistics, no row is free.
    fixture.db.execute("UPDATE seat SET status = 'sold'");
    fixture.db.execute("UPDATE task SET state = 'done'");
    fixture.db.execute("ANALYZE seat, task");
    fixture.db.execute("UPDATE seat SET status = 'free'");
    fixture.db.execute("UPDATE task SET state = 'open'");
    int overclaims = 0;
    int plans = 0;
    try (Session session = fixture.session()) {
      for (List<String> penalties : penalties()) {
        session.rollback();
        session.tx.execute("SET LOCAL plan_cache_mode = " + mode);
        penalties.forEach(penalty -> session.tx.execute("SET LOCAL %s = off".formatted(penalty)));

        assertThat(SEATS.claimUpTo(session.tx, LIMIT).rows()).as("%s", penalties).hasSize(LIMIT);
        assertThat(TASKS.claimUpTo(session.tx, LIMIT).rows()).as("%s", penalties).hasSize(LIMIT);
        assertThat(
                session.tx.fetchCount(SEAT, SEAT.HELD_BY.isNotNull())
                    + session.tx.fetchCount(TASK, TASK.LEASED_BY.isNotNull()))
            .as("%s", penalties)
            .isEqualTo(2 * LIMIT);
        overclaims += session.tx.execute(NAIVE) > LIMIT ? 1 : 0;
        plans++;
      }
    }
    assertThat(plans).isEqualTo(56);
    // Otherwise, the test would not show that these settings make a difference.
    assertThat(overclaims).isPositive();
  }
}
