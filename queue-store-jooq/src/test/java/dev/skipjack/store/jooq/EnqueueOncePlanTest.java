package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.sql.StatementDialect;
import dev.skipjack.sql.StatementText;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QueueTest
class EnqueueOncePlanTest {

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void knownKeysAreFoundThroughThePrimaryKey(String mode, QueueDatabase database)
      throws SQLException {
    Fixture fixture = new Fixture(database);
    fixture.execute(
        "INSERT INTO @job_keys SELECT 'key-' || n, n, now() + interval '1 day' FROM generate_series(1, 100000) n");
    StatementText enqueueOnce =
        EnqueueOnceStatement.of(StatementDialect.forSchema(database.schema())).text();
    List<String> oneNull = Collections.nCopies(enqueueOnce.parameters().size(), "'{NULL}'");
    try (Connection connection = database.connection()) {
      String stale = Plan.of(connection, enqueueOnce, mode, oneNull);
      fixture.execute("ANALYZE @job_keys");
      String fresh = Plan.of(connection, enqueueOnce, mode, oneNull);

      assertThat(Stream.of(stale, fresh))
          .allSatisfy(
              plan ->
                  assertThat(plan)
                      .containsPattern("Index Scan (using|on) job_keys_pkey")
                      .doesNotContain("Seq Scan"));
      assertThat(fresh).contains("Index Scan using job_keys_pkey on job_keys");
    }
  }
}
