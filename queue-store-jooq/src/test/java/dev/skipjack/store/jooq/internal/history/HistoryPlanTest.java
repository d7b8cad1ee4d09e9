package dev.skipjack.store.jooq.internal.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.sql.StatementDialect;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.store.jooq.Plan;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jooq.DSLContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the plans of the statements about partitions and keys. */
@QueueTest
class HistoryPlanTest {

  private static final String OTHER_PARTITION =
      "Scan.* on (jobs_archive|job_executions)_(?!20240304)";

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void aWalkReadsOnePartitionAlongItsKey(String mode, QueueDatabase database) throws SQLException {
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
      String pruning =
          Plan.of(
              connection,
              PruneArchiveStatement.of(dialect).text(),
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
      assertThat(pruning)
          .contains("using jobs_archive_20240304_pkey")
          .doesNotContain("Seq Scan on jobs_archive")
          .doesNotContainPattern(OTHER_PARTITION);
      String running =
          Plan.of(
              connection,
              FindRunningInPartitionStatement.of(dialect).text(),
              mode,
              List.of(from, "'2024-03-11 00:00+00'", "0", "1000"));
      assertThat(running)
          .contains("using job_executions_20240304_pkey")
          .doesNotContain("Seq Scan")
          .doesNotContain("Sort  (")
          .doesNotContainPattern(OTHER_PARTITION);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void thePruningOfChangesReadsTheOldestOnly(String mode, QueueDatabase database)
      throws SQLException {
    new Fixture(database)
        .execute(
            "INSERT INTO @job_changes (actor, action, target) SELECT 'anna', 'cancel', n::text FROM generate_series(1, 50000) n; ANALYZE @job_changes");
    DSLContext dialect = StatementDialect.forSchema(database.schema());
    try (Connection connection = database.connection()) {
      Plan.Run found =
          Plan.ran(
              connection, PruneChangesStatement.search(dialect).text(), mode, List.of("100", "1"));
      assertThat(found.plan()).contains("job_changes_pkey").doesNotContain("Seq Scan on", "Sort");
      assertThat(found.pages()).isLessThan(20);
      assertThat(
              Plan.of(
                  connection,
                  PruneChangesStatement.delete(dialect).text(),
                  mode,
                  List.of("100", "1")))
          .contains("job_changes_pkey")
          .doesNotContain("Seq Scan on");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void thePruningOfKeysUsesTheirIndexes(String mode, QueueDatabase database) throws SQLException {
    new Fixture(database)
        .execute(
            "INSERT INTO @job_keys SELECT 'key-' || n, n, now() + n * interval '1 second' FROM generate_series(1, 50000) n");
    DSLContext dialect = StatementDialect.forSchema(database.schema());
    try (Connection connection = database.connection()) {
      assertThat(Plan.of(connection, PruneKeysStatement.of(dialect).text(), mode, List.of("5000")))
          .contains("job_keys_expires_at_idx", "job_keys_pkey")
          .doesNotContain("Seq Scan on", "Sort");
    }
  }
}
