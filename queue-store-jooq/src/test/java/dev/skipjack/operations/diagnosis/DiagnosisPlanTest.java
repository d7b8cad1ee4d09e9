package dev.skipjack.operations.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.sql.StatementText;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.store.jooq.Plan;
import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests how many pages the doctor's statements read of 72,200 jobs. {@code ReadPlanTest} limits
 * what {@code why} reads.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DiagnosisPlanTest {

  private final QueueDatabase database = QueueDatabase.create();
  private final Fixture fixture = new Fixture(database);

  @BeforeAll
  void fill() {
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, priority, unique_key) SELECT 'q' || n % 5, 'k' || n % 7, '{}', n % 3,"
            + " CASE WHEN n % 10 = 0 THEN 'u' || n END FROM generate_series(1, 40000) n");
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, died_at, ordering_key, ordering_head) SELECT 'k', '{}', 'dead', now(),"
            + " CASE WHEN n <= 100 THEN 'key' || n END, n <= 100 FROM generate_series(1, 20000) n");
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, current_execution_id, lease_expires_at, started_at)"
            + " SELECT 'k', '{}', 'running', n, now(), now() FROM generate_series(1, 200) n");
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, ordering_key) SELECT 'k', '{}', 'waiting', 'w' || n % 100 FROM generate_series(1, 12000) n");
    fixture.execute(
        "INSERT INTO @job_waits (job_id, address, name, ends_at)"
            + " SELECT n, 'job/' || n, 'review', now() FROM generate_series(1, 20000) n");
    fixture.execute(
        "INSERT INTO @job_batches (id, owner_id, name) SELECT 1000000 + n, n, 'join' FROM generate_series(1, 20000) n");
    fixture.execute("UPDATE @jobs SET owner_id = 1000042 WHERE id % 20 = 0");
    fixture.execute("ANALYZE @jobs, @job_waits, @job_batches");
  }

  @AfterAll
  void drop() {
    database.close();
  }

  /** The statement reads the first hundred due jobs of each of fifteen lanes. */
  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void theKindsOfDueJobsComeFromTheFrontOfEachLane(String mode) throws SQLException {
    assertThat(pages("due-kinds", mode)).isLessThan(15 * 150);
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void theLeasesComeFromTheRunningJobs(String mode) throws SQLException {
    assertThat(pages("leases", mode)).isLessThan(300);
  }

  /**
   * Each statement reads its first ten thousand jobs. The waiting jobs of a key are not next to
   * each other.
   */
  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void deadAndWaitingJobsComeFromTheirPartialIndexes(String mode) throws SQLException {
    assertThat(pages("dead-job-facts", mode)).isLessThan(10_001 + 300);
    assertThat(pages("waiting-kinds", mode)).isLessThan(10_001 + 300);
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void theBlockedKeysComeFromTheDeadHeads(String mode) throws SQLException {
    assertThat(pages("blocked-key-names", mode)).isLessThan(250);
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void theHolderOfAUniqueKeyComesFromTheIndexOfKeys(String mode) throws SQLException {
    assertThat(pages("key-holder", mode, "'u400'")).isLessThan(10);
  }

  /** The statement counts up to 1,001 jobs of each status of the batch. */
  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void whatASuspendedJobWaitsForComesFromItsIndexes(String mode) throws SQLException {
    assertThat(pages("wait-facts", mode, waitOf("'review'"))).isLessThan(50);
    assertThat(pages("wait-facts", mode, waitOf("'join'"))).isLessThan(4 * 1_001);
  }

  private static String[] waitOf(String name) {
    return new String[] {"42", name, "42", name, "42", name};
  }

  private long pages(String name, String mode, String... literals) throws SQLException {
    StatementText text =
        Objects.requireNonNull(DiagnosisStatements.texts(database.schema()).get(name));
    try (Connection connection = database.connection()) {
      Plan.Run run = Plan.ran(connection, text, mode, List.of(literals));
      assertThat(run.plan()).as(name).doesNotContain("Seq Scan on jobs");
      return run.pages();
    }
  }
}
