package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plans on 200,000 rows, fresh statistics or none, generic or custom plans. */
@QueueTest
class ClaimPlanTest {

  private static final int ROWS = 200_000;
  private static final List<String> CLAIM =
      List.of(
          "'w'",
          "30000000",
          "'{q1,q2}'",
          "'{0,5}'",
          "'{-infinity,-infinity}'",
          "'{10,10}'",
          "'{work}'",
          "10");

  private Fixture fixture;

  @BeforeEach
  void fill(QueueDatabase database) {
    fixture = new Fixture(database);
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, priority) SELECT 'q' || (n % 4), 'work', '{}', n % 10"
            + " FROM generate_series(1, "
            + ROWS
            + ") n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void claimWalksThePendingIndexWithAndWithoutStatistics(String mode) throws SQLException {
    Statements statements = new Statements(fixture.database.schema());
    try (Connection connection = fixture.database.connection()) {
      String stale = Plan.of(connection, statements.claim, mode, CLAIM);
      fixture.execute("ANALYZE @jobs");
      String fresh = Plan.of(connection, statements.claim, mode, CLAIM);

      assertThat(List.of(stale, fresh))
          .allSatisfy(
              plan ->
                  assertThat(plan)
                      .contains(
                          "Index Scan using jobs_pending_idx on jobs",
                          "Index Scan using jobs_pkey on jobs")
                      .doesNotContain("Seq Scan", "Sort"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void lanesAreListedThroughThePendingIndex(String mode) throws SQLException {
    fixture.execute("ANALYZE @jobs");
    try (Connection connection = fixture.database.connection()) {
      assertThat(
              Plan.of(
                  connection,
                  new Statements(fixture.database.schema()).dueLanes,
                  mode,
                  List.of("'{q1,q2}'", "'{q1,q2}'")))
          .contains("jobs_pending_idx")
          .doesNotContain("Seq Scan", "Sort");
    }
  }

  /** IN (... LIMIT) claims 498 of 500 here: the planner runs the subquery once for each row. */
  @Test
  void neverTakesMoreThanAskedUnderAnyPlan() throws SQLException {
    fixture.execute("ANALYZE @jobs");
    List<String> planners =
        List.of(
            "enable_hashjoin",
            "enable_mergejoin",
            "enable_nestloop",
            "enable_hashagg",
            "enable_material",
            "enable_bitmapscan");
    for (String off : planners) {
      try (Connection connection = fixture.database.connection();
          Statement sql = connection.createStatement()) {
        connection.setAutoCommit(false);
        sql.execute("SET LOCAL " + off + " = off");
        sql.execute("SET LOCAL enable_seqscan = on");
        var claimed =
            new Statements(fixture.database.schema())
                .claim.run(
                    connection,
                    ClaimStatement.arguments(
                        Fixture.request(7, Fixture.LEASE, new dev.skipjack.api.spi.Lane("q1", 1)),
                        7),
                    ClaimStatement::read);
        connection.rollback();
        assertThat(claimed).as(off).hasSize(7);
      }
    }
  }
}
