package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.StatementText;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Updates that touch no index leave nothing for vacuum to clean there: what a queue writes most
 * often must be of that kind.
 */
@QueueTest
class HotUpdatesStatementTest {

  /** Few, so that their page has room; in a full one no update is hot. */
  private static final int JOBS = 5;

  private Fixture fixture;
  private Statements statements;
  private List<Execution> claimed;

  @BeforeEach
  void claim(QueueDatabase database) {
    fixture = new Fixture(database);
    statements = new Statements(database.schema());
    fixture.enqueue(JOBS);
    claimed = fixture.claim(JOBS).stream().map(ClaimedJob::execution).toList();
  }

  @Test
  void aHeartbeatTouchesNoIndex() throws SQLException {
    assertThat(
            updates(
                "jobs", statements.heartbeat, HeartbeatStatement.arguments(claimed, Fixture.LEASE)))
        .isEqualTo("5 updated, 5 hot");
  }

  @Test
  void aReportOfProgressTouchesNoIndex() throws SQLException {
    List<Progress> reports =
        claimed.stream().map(execution -> new Progress(execution, 42, "half way")).toList();

    assertThat(updates("jobs", statements.progress, ProgressStatement.arguments(reports)))
        .isEqualTo("5 updated, 5 hot");
  }

  @Test
  void closingTheAuditTouchesNoIndex() throws SQLException {
    assertThat(
            updates(
                "job_executions%",
                statements.complete.ending(claimed),
                AttemptCtes.arguments(claimed, execution -> execution)))
        .isEqualTo("5 updated, 5 hot");
  }

  private String updates(String tables, StatementText statement, Arguments arguments)
      throws SQLException {
    // A session of its own: the counters of another may still hold what it did before.
    try (Connection connection = DriverManager.getConnection(fixture.database.jdbcUrl());
        Statement counters = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.run(connection, arguments, row -> row.getString(1));
      try (ResultSet row =
          counters.executeQuery(
              "SELECT sum(n_tup_upd) || ' updated, ' || sum(n_tup_hot_upd) || ' hot' FROM pg_stat_xact_user_tables"
                  + " WHERE relname LIKE '%s' AND schemaname = '%s'"
                      .formatted(tables, fixture.database.schema()))) {
        assertThat(row.next()).isTrue();
        return row.getString(1);
      } finally {
        connection.rollback();
      }
    }
  }
}
