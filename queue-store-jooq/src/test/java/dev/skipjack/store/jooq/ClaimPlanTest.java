package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.sql.StatementDialect;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the plan of the statement that lists lanes, with 200,000 rows. */
@QueueTest
class ClaimPlanTest {

  private static final int ROWS = 200_000;
  private Fixture fixture;

  @BeforeEach
  void fill(QueueDatabase database) {
    fixture = new Fixture(database);
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, priority) SELECT 'q' || (n % 4), 'work', '{}', n"
            + " % 10 FROM generate_series(1, "
            + ROWS
            + ") n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void lanesAreListedThroughThePendingIndex(String mode) throws SQLException {
    fixture.execute("ANALYZE @jobs");
    try (Connection connection = fixture.database.connection()) {
      assertThat(
              Plan.of(
                  connection,
                  DueLanesStatement.of(StatementDialect.forSchema(fixture.database.schema()))
                      .text(),
                  mode,
                  List.of("'{q1,q2}'", "'{q1,q2}'")))
          .contains("jobs_pending_idx")
          .doesNotContain("Seq Scan", "Sort");
    }
  }
}
