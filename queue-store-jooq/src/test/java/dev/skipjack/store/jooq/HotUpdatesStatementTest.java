package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jooq.DSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that the most frequent updates are HOT, so that they leave nothing in the indexes for
 * vacuum.
 */
@QueueTest
class HotUpdatesStatementTest {

  /** The number of jobs. In a full page, no update would be HOT. */
  private static final int JOBS = 5;

  private Fixture fixture;
  private DSLContext dialect;
  private List<Execution> claimed;

  @BeforeEach
  void claim(QueueDatabase database) {
    fixture = new Fixture(database);
    dialect = StatementDialect.forSchema(database.schema());
    fixture.enqueue(JOBS);
    claimed = fixture.claim(JOBS).stream().map(ClaimedJob::execution).toList();
  }

  @Test
  void aHeartbeatTouchesNoIndex() throws SQLException {
    assertThat(
            updates(
                "jobs",
                HeartbeatStatement.of(dialect),
                new HeartbeatStatement.Request(claimed, Fixture.LEASE)))
        .isEqualTo("5 updated, 5 hot");
  }

  @Test
  void aReportOfProgressTouchesNoIndex() throws SQLException {
    List<Progress> reports =
        claimed.stream().map(execution -> new Progress(execution, 42, "half way")).toList();

    assertThat(updates("jobs", ProgressStatement.of(dialect), reports))
        .isEqualTo("5 updated, 5 hot");
  }

  @Test
  void closingTheAuditTouchesNoIndex() throws SQLException {
    assertThat(
            updates(
                "job_executions%",
                CompleteStatement.of(dialect, EndParts.NONE).ending(claimed), claimed))
        .isEqualTo("5 updated, 5 hot");
  }

  /** A claim fills pages with open rows, and a batch closes all rows of a page. */
  @Test
  void closingFullPagesOfTheAuditTouchesNoIndex() throws SQLException {
    fixture.enqueue(500);
    List<Execution> many = fixture.claim(500).stream().map(ClaimedJob::execution).toList();

    assertThat(
            updates(
                "job_executions%", CompleteStatement.of(dialect, EndParts.NONE).ending(many), many))
        .isEqualTo("500 updated, 500 hot");
  }

  private <Q> String updates(String tables, Statement<Q, ?> statement, Q request)
      throws SQLException {
    // Uses a separate session, because the counters of another may still include its earlier work.
    try (Connection connection = DriverManager.getConnection(fixture.database.jdbcUrl());
        java.sql.Statement counters = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.run(connection, request);
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
