package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QueueTest
class OutcomeStatementsTest {

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @Nested
  class Complete {

    /** A producer can insert such a job in SQL. */
    @Test
    void aJobThatDoesNotHoldItsOrderingKeyEndsWithoutAPromotion() {
      fixture.execute(
          """
        INSERT INTO @jobs (kind, payload, status, ordering_key, ordering_head)
        VALUES ('work', '{}', 'pending', 'k', true), ('work', '{}', 'pending', 'k', NULL), ('work', '{}', 'waiting', 'k', NULL)
        """);
      List<Execution> claimed = fixture.claim(2).stream().map(ClaimedJob::execution).toList();

      assertThat(fixture.store.complete(claimed.subList(1, 2))).containsExactly(Verdict.DONE);
      assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE status = 'waiting'"))
          .isEqualTo("1");
      assertThat(fixture.store.complete(claimed.subList(0, 1))).containsExactly(Verdict.DONE);
      assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE ordering_head")).isEqualTo("1");
    }

    @Test
    void completionArchivesNothingForAQueueWithoutRetention() {
      fixture.execute(
          "INSERT INTO @job_queues (queue, archive_retention) VALUES ('default', interval '0')");
      fixture.enqueue(1);

      assertThat(fixture.store.complete(List.of(fixture.claimOne(LEASE))))
          .containsExactly(Verdict.DONE);

      assertThat(
              fixture.value(
                  "SELECT (SELECT count(*) FROM @jobs_archive) + (SELECT count(*) FROM @jobs)"))
          .isEqualTo("0");
      assertThat(fixture.value("SELECT status FROM @job_executions")).isEqualTo("succeeded");
    }

    @Test
    void completionCreatesAMissingPartitionOfTheArchive() {
      fixture.enqueue(1);
      Execution execution = fixture.claimOne(LEASE);
      fixture.execute(
          "DO $$ DECLARE p text; BEGIN FOR p IN SELECT inhrelid::regclass FROM pg_inherits"
              + " WHERE inhparent = '@jobs_archive'::regclass LOOP EXECUTE 'DROP TABLE ' || p; END LOOP; END $$");

      assertThat(fixture.store.complete(List.of(execution))).containsExactly(Verdict.DONE);
      assertThat(fixture.value("SELECT count(*) FROM @jobs_archive")).isEqualTo("1");
    }
  }

  @Nested
  class CompleteIn {

    @Test
    void completeInRestoresTheCallersPlannerSettings() throws Exception {
      for (Map.Entry<String, String> callers :
          Map.of("on", "auto", "off", "force_custom_plan").entrySet()) {
        fixture.enqueue(1);
        Execution execution = fixture.claimOne(LEASE);
        try (Connection connection = fixture.database.connection();
            Statement statement = connection.createStatement()) {
          connection.setAutoCommit(false);
          statement.execute("SET LOCAL enable_seqscan = " + callers.getKey());
          statement.execute("SET LOCAL plan_cache_mode = " + callers.getValue());

          fixture.store.completeIn(connection, execution);

          assertThat(shown(statement, "enable_seqscan")).isEqualTo(callers.getKey());
          assertThat(shown(statement, "plan_cache_mode")).isEqualTo(callers.getValue());
          connection.commit();
        }
      }
      assertThat(fixture.value("SHOW enable_seqscan")).isEqualTo("on");
      assertThat(fixture.value("SHOW plan_cache_mode")).isEqualTo("auto");
    }

    private static String shown(Statement statement, String setting) throws SQLException {
      try (ResultSet row = statement.executeQuery("SHOW " + setting)) {
        row.next();
        return row.getString(1);
      }
    }
  }
}
