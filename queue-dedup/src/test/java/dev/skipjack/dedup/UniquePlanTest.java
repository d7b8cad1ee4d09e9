package dev.skipjack.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.dedup.ResolveConflictStatement.HolderAction;
import dev.skipjack.sql.StatementText;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.junit.jupiter.api.Test;

/** Tests that every statement finds its rows through an index, with fresh or missing statistics. */
@QueueTest
class UniquePlanTest {

  @Test
  void everyStatementFindsItsRowsThroughTheIndex(QueueDatabase database) throws Exception {
    Fixture fixture = new Fixture(database);
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, unique_key) SELECT 'k', '{}', n FROM generate_series(1,"
            + " 50000) n");
    fixture.execute(
        "INSERT INTO @job_keys SELECT 'key-' || n, n, now() + interval '1 day' FROM"
            + " generate_series(1, 50000) n");
    DSLContext dialect = fixture.queue.extension().dialect().get();
    Map<StatementText, List<String>> expected =
        Map.of(
            UniqueInsert.of(dialect).text(),
                List.of("Index Scan using jobs_unique_key_idx on jobs"),
            UniqueInsert.ofOne(dialect).text(),
                List.of("Index Scan using jobs_unique_key_idx on jobs"),
            ResolveConflictStatement.of(dialect, HolderAction.NONE).text(),
                List.of("Index Scan using jobs_pkey on jobs"),
            ResolveConflictStatement.of(dialect, HolderAction.HOLD).text(),
                List.of(
                    "Index Scan using jobs_pkey on jobs", "using jobs_unique_key_idx on jobs next"),
            ResolveConflictStatement.of(dialect, HolderAction.REPLACE).text(),
                List.of("Index Scan using jobs_pkey on jobs"),
            FindHolderStatement.byJob(dialect).text(),
                List.of("Index Scan using jobs_unique_key_idx on jobs"),
            FindHolderStatement.byPeriod(dialect).text(),
                List.of(
                    "Index Scan using job_keys_pkey on job_keys",
                    "Index Scan using jobs_pkey on jobs"));
    try (Connection connection = database.connection()) {
      List<Runnable> checks = new ArrayList<>();
      for (int round = 0; round < 2; round++) {
        for (Map.Entry<StatementText, List<String>> entry : expected.entrySet()) {
          for (String mode : Stream.of("force_generic_plan", "force_custom_plan").toList()) {
            String plan = Plan.of(connection, entry.getKey(), mode);
            checks.add(
                () ->
                    assertThat(plan)
                        .contains(entry.getValue())
                        .doesNotContain(
                            "Seq Scan", "jobs_pending_idx", "jobs_running_idx", "jobs_dead_idx"));
          }
        }
        fixture.execute("ANALYZE @jobs");
        fixture.execute("ANALYZE @job_keys");
      }
      checks.forEach(Runnable::run);
    }
  }
}
