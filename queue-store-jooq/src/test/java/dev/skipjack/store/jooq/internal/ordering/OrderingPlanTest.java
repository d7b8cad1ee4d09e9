package dev.skipjack.store.jooq.internal.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.store.jooq.Plan;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests how many pages the statements read. Many keys each have a head and a waiting job, one key
 * has many waiting jobs, and the dead head of another key blocks as many.
 */
@QueueTest
class OrderingPlanTest {

  private final Fixture fixture;

  OrderingPlanTest(QueueDatabase database) {
    this.fixture = new Fixture(database);
  }

  @Test
  void pagesReadDoNotDependOnTheNumberOfJobsOrKeys() throws SQLException {
    fewPagesAreReadOf(10_000);
  }

  @Test
  @Tag("soak")
  void fewPagesAreReadOfHundredThousandKeysAndAKeyWithHundredThousandJobs() throws SQLException {
    fewPagesAreReadOf(100_000);
  }

  private void fewPagesAreReadOf(int many) throws SQLException {
    fixture.execute("ALTER TABLE @jobs SET (autovacuum_enabled = off)");
    // the statistics are those of an empty table, as after a burst
    fixture.execute("ANALYZE @jobs");
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, ordering_key, ordering_head)"
            + " SELECT 'work', '{}', CASE WHEN n % 2 = 0 THEN 'pending' ELSE 'waiting' END, 'k' || n / 2,"
            + " CASE WHEN n % 2 = 0 THEN true END FROM generate_series(0, 2 * "
            + many
            + " - 1) AS n");
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, ordering_key)"
            + " SELECT 'work', '{}', 'waiting', 'hot' FROM generate_series(1, "
            + many
            + ")");
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, ordering_key, ordering_head, attempts, died_at)"
            + " VALUES ('work', '{}', 'dead', 'blocked', true, 3, now())");
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, ordering_key, created_at)"
            + " SELECT 'work', '{}', 'waiting', 'blocked', now() - interval '1 hour' FROM generate_series(1, "
            + many
            + ")");
    readFewPages();
    fixture.execute("ANALYZE @jobs");
    readFewPages();
  }

  private void readFewPages() throws SQLException {
    String head = fixture.value("SELECT id FROM @jobs WHERE ordering_head AND status = 'dead'");
    for (String mode : List.of("force_generic_plan", "force_custom_plan")) {
      assertThat(pages("promote", mode, "'{hot,k1,k2}'")).isLessThan(150);
      assertThat(pages("find-headless-keys", mode, "'k5'", "100", "100")).isLessThan(1_500);
      assertThat(pages("find-dead-heads", mode, "''", "1000")).isLessThan(20);
      assertThat(pages("find-given-dead-heads", mode, "'{hot,k1,k2}'", "3")).isLessThan(50);
      assertThat(pages("park", mode, head, "100", head)).isLessThan(6_000);
      assertThat(pages("release", mode, "'blocked'", head)).isLessThan(50);
      assertThat(pages("release-heads", mode, "'{1,2}'", "'{now,now}'", "'{skip,skip}'", "'{1,2}'"))
          .isLessThan(50);
      assertThat(pages("skip-head", mode, "'k1'", "NULL", "'k1'", "NULL", "'k1'")).isLessThan(50);
    }
  }

  /** Returns the smaller of two results, because a session sometimes reloads its catalog caches. */
  private long pages(String name, String mode, String... literals) throws SQLException {
    return Math.min(pagesOfOneRun(name, mode, literals), pagesOfOneRun(name, mode, literals));
  }

  private long pagesOfOneRun(String name, String mode, String... literals) throws SQLException {
    try (Connection connection = fixture.database.connection()) {
      Plan.Run run =
          Plan.ran(
              connection,
              Objects.requireNonNull(OrderingStatements.texts(fixture.database.schema()).get(name)),
              mode,
              List.of(literals));
      assertThat(run.plan()).as(name).doesNotContain("Seq Scan");
      return run.pages();
    }
  }
}
