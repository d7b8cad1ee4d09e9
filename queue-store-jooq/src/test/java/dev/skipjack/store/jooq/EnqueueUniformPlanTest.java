package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.sql.StatementDialect;
import dev.skipjack.sql.StatementText;
import dev.skipjack.store.jooq.internal.JobInsert.Accepted;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the plan of the enqueue of jobs that differ only in their payloads. */
@QueueTest
class EnqueueUniformPlanTest {

  private static final int JOBS = 1_000;

  /** The literals of a batch; all other parameters are null. */
  private static final Map<String, String> LITERALS =
      Map.of(
          "payloads",
          "array_fill('{}'::text, ARRAY[" + JOBS + "])",
          "queue",
          "'q7'",
          "kind",
          "'work'",
          "payload_version",
          "1",
          "delay",
          "0");

  private final QueueDatabase database;

  EnqueueUniformPlanTest(QueueDatabase database) {
    this.database = database;
  }

  /** One row of {@code job_queues} is read for a whole batch, by its key. */
  @ParameterizedTest
  @CsvSource({
    "force_generic_plan, false",
    "force_custom_plan, false",
    "force_generic_plan, true",
    "force_custom_plan, true"
  })
  void aBatchReadsTheRowOfItsQueueOnce(String mode, boolean analyzed) throws SQLException {
    Fixture fixture = new Fixture(database);
    fixture.execute(
        "INSERT INTO @job_queues (queue) SELECT 'q' || n FROM generate_series(1, 20000) n");
    if (analyzed) {
      fixture.execute("ANALYZE @job_queues");
    }
    StatementText text =
        EnqueueStatement.of(StatementDialect.forSchema(database.schema()), Accepted.UNIFORM).text();
    List<String> literals =
        text.parameters().stream().map(name -> LITERALS.getOrDefault(name, "NULL")).toList();
    try (Connection connection = database.connection()) {
      Plan.Run run = Plan.ran(connection, text, mode, literals);

      assertThat(run.plan())
          .containsPattern("Index Scan using job_queues_pkey[^\\n]*loops=1\\)")
          .doesNotContain("Seq Scan on job_queues")
          .containsPattern("Insert on jobs[^\\n]*rows=" + JOBS);
      assertThat(run.pages() / JOBS).as("pages for each job").isLessThan(40);
    }
  }
}
