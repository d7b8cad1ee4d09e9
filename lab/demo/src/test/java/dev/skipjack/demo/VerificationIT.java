package dev.skipjack.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that every check of the verification can fail: each is run on a database that violates it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class VerificationIT {

  private static final String A_DELIVERY =
      "(SELECT delivery FROM skipjack_demo.effects ORDER BY delivery LIMIT 1)";
  private static final String A_JOB = "(SELECT min(id) FROM skipjack.jobs_archive)";
  private static final String A_DEAD_JOB =
      "(SELECT min(id) FROM skipjack.jobs WHERE status = 'dead')";

  private QueueDatabase database;
  private long sends;

  @BeforeAll
  void runTheDemo() throws Exception {
    database = QueueDatabase.create();
    DemoResult report = DemoResult.of(database, 250);
    report.assertVerified(250);
    sends = 250 + report.number("duplicates");
  }

  @AfterAll
  void drop() {
    database.close();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "exactly one effect | DELETE FROM skipjack_demo.effects WHERE delivery = {delivery}",
        "exactly one effect | INSERT INTO skipjack_demo.effects SELECT * FROM skipjack_demo.effects WHERE delivery = {delivery}",
        "job died has an effect | INSERT INTO skipjack_demo.effects SELECT delivery, job_id FROM skipjack_demo.deliveries WHERE job_id = {dead}",
        "attempts equal audit rows | DELETE FROM skipjack.job_executions WHERE job_id = {job}",
        "no audit row is open | UPDATE skipjack.job_executions SET status = 'running', finished_at = NULL WHERE job_id = {job}",
        "exactly one job | DELETE FROM skipjack.jobs_archive WHERE id = {job}",
        "completed or dead | UPDATE skipjack.jobs SET status = 'pending' WHERE id = {dead}",
        "exactly the poisoned ones | UPDATE skipjack_demo.deliveries SET fate = 'POISONED' WHERE delivery = {delivery}",
        "tried again | UPDATE skipjack.jobs_archive SET attempts = 1 WHERE attempts > 1",
        "either stored or refused | DELETE FROM skipjack_demo.refused_sends WHERE delivery = (SELECT min(delivery::text)::uuid FROM skipjack_demo.refused_sends)",
        "no job is without its delivery | DELETE FROM skipjack_demo.deliveries WHERE job_id = {job}",
        "no effect is without its delivery | DELETE FROM skipjack_demo.deliveries WHERE delivery = {delivery}",
        "no refused send is without its delivery | UPDATE skipjack_demo.refused_sends SET delivery = gen_random_uuid()",
      })
  void eachCheckFindsItsDamage(String check, String damage) throws SQLException {
    String sql =
        damage
            .replace("{delivery}", A_DELIVERY)
            .replace("{dead}", A_DEAD_JOB)
            .replace("{job}", A_JOB);
    List<Verification.Check> checks = checksAfter(sql);
    assertThat(checks)
        .filteredOn(result -> result.name().contains(check))
        .singleElement()
        .satisfies(
            result -> {
              assertThat(result.holds()).isFalse();
              assertThat(result.example()).isNotBlank();
            });
  }

  @Test
  void aFailedVerificationFailsTheDemo() throws Exception {
    try (QueueDatabase damaged = QueueDatabase.create()) {
      DemoResult.of(damaged, 10).assertVerified(10);
      DemoDatabase.on(damaged.dataSource())
          .execute("DELETE FROM skipjack_demo.effects WHERE delivery = " + A_DELIVERY);
      DemoResult report = DemoResult.resumed(damaged);
      assertThat(report.verified()).isFalse();
      assertThat(report.json().get("verified").booleanValue()).isFalse();
      assertThat(report.failed())
          .containsExactly("every delivery whose job did not die has exactly one effect");
    }
  }

  /** Returns the results of the checks on a damaged database, and then undoes the damage. */
  private List<Verification.Check> checksAfter(String damage) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      try {
        statement.execute(damage);
        assertThat(statement.getUpdateCount()).as("rows changed by %s", damage).isPositive();
        return Verification.on(connection, Instant.EPOCH, sends);
      } finally {
        connection.rollback();
      }
    }
  }
}
