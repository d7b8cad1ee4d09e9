package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.Test;

/** Tests that vacuum removes dead rows and that their space is reused. */
@QueueTest
class BloatTest {

  private static final int BATCH = 500;

  /** The number of dead rows of a small table at which autovacuum begins. */
  private static final int UNTIL_VACUUMED = 5_000;

  @Test
  void everyTableThatIsUpdatedIsVacuumedEarlyAndWithoutPauses(QueueDatabase database) {
    Fixture fixture = new Fixture(database);
    assertThat(
            fixture.value(
                "SELECT string_agg(relname, ',') FROM pg_class WHERE relnamespace = '%s'::regnamespace"
                        .formatted(database.schema())
                    + " AND relkind = 'r' AND (relname = 'jobs' OR relname LIKE 'job\\_executions\\_%')"
                    + " AND NOT ('autovacuum_vacuum_cost_delay=0' = ANY (reloptions) AND EXISTS (SELECT FROM unnest(reloptions) AS option"
                    + " WHERE option LIKE 'autovacuum_vacuum_scale_factor=%' AND split_part(option, '=', 2)::numeric <= 0.05))"))
        .isNull();
    assertThat(
            fixture.value(
                "SELECT count(*) FROM pg_class WHERE relnamespace = '%s'::regnamespace AND relkind = 'r' AND relname LIKE 'job\\_executions\\_%%'"
                    .formatted(database.schema())))
        .isNotEqualTo("0");
  }

  /**
   * If the table is vacuumed as often as by autovacuum, neither the table nor the index grows with
   * the number of jobs. Without reuse, both would reach eleven thirds of their first size. The
   * limit is twice the first size, because an index may grow by half between two vacuums.
   * Autovacuum is off, because its snapshot could prevent the test's VACUUM from removing rows.
   */
  @Test
  void churnedJobsLeaveRoomForTheNextOnes(QueueDatabase database) {
    Fixture fixture = new Fixture(database);
    fixture.execute("ALTER TABLE @jobs SET (autovacuum_enabled = false)");
    churn(fixture, 3 * UNTIL_VACUUMED);
    long tableBefore = size(fixture, "jobs");
    long indexBefore = size(fixture, "jobs_pending_idx");

    churn(fixture, 8 * UNTIL_VACUUMED);

    assertThat(size(fixture, "jobs")).isLessThan(tableBefore * 2);
    assertThat(size(fixture, "jobs_pending_idx")).isLessThan(indexBefore * 2);
  }

  private static void churn(Fixture fixture, int jobs) {
    for (int done = 0; done < jobs; done += BATCH) {
      fixture.enqueue(BATCH);
      fixture.store.complete(fixture.claim(BATCH).stream().map(ClaimedJob::execution).toList());
      // Each job leaves two dead rows, one of the claim and one of its end.
      if (done * 2 % UNTIL_VACUUMED == 0) {
        fixture.execute("VACUUM @jobs");
      }
    }
  }

  private static long size(Fixture fixture, String relation) {
    return Long.parseLong(fixture.value("SELECT pg_relation_size('@" + relation + "')"));
  }
}
