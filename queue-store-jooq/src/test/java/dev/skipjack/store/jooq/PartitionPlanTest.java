package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.store.jooq.internal.sql.StatementDialect;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jooq.DSLContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The walks read one partition, along its key, however many there are and however it is planned.
 */
@QueueTest
class PartitionPlanTest {

  private static final String OTHER_PARTITION =
      "Scan.* on (jobs_archive|job_executions)_(?!20240304)";

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void theWalksReadOnePartitionAlongItsKey(String mode, QueueDatabase database)
      throws SQLException {
    Fixture fixture = new Fixture(database);
    fixture.execute(
        "SELECT @create_partition('jobs_archive', '2024-03-04 00:00+00'), @create_partition('job_executions', '2024-03-04 00:00+00')");
    fixture.execute(
        "INSERT INTO @jobs_archive (id, finished_at, status, queue, kind, payload, payload_version, priority,"
            + " scheduled_at, created_at, attempts, uncounted_attempts, max_attempts)"
            + " SELECT n, '2024-03-04 00:00+00'::timestamptz + n * interval '1 second', 'completed', 'q', 'k', '{}', 1, 0,"
            + " now(), now(), 1, 0, 1 FROM generate_series(1, 20000) n");
    fixture.execute("ANALYZE @jobs_archive");
    DSLContext dialect = StatementDialect.forSchema(database.schema());
    String from = "'2024-03-04 00:00+00'";

    try (Connection connection = database.connection()) {
      String sweep =
          Plan.of(
              connection,
              SweepArchiveStatement.of(dialect).text(),
              mode,
              List.of(
                  from,
                  "'2024-03-05 00:00+00'",
                  "0",
                  "1000",
                  from,
                  "'2024-03-05 00:00+00'",
                  "'{}'",
                  "'{}'",
                  "now()"));
      assertThat(sweep)
          .contains("using jobs_archive_20240304_pkey")
          .doesNotContain("Seq Scan on jobs_archive")
          .doesNotContainPattern(OTHER_PARTITION);
      String running =
          Plan.of(
              connection,
              FindRunningStatement.of(dialect).text(),
              mode,
              List.of(from, "'2024-03-11 00:00+00'", "0", "1000"));
      assertThat(running)
          .contains("using job_executions_20240304_pkey")
          .doesNotContain("Seq Scan")
          .doesNotContain("Sort  (")
          .doesNotContainPattern(OTHER_PARTITION);
    }
  }
}
