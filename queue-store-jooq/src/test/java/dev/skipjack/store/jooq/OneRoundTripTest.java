package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.store.jooq.Fixture.Work;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests statements that run in one round trip in auto-commit mode: alone, or between BEGIN and
 * COMMIT.
 */
@QueueTest
class OneRoundTripTest {

  private final QueueDatabase database;
  private final Fixture fixture;

  OneRoundTripTest(QueueDatabase database) {
    this.database = database;
    this.fixture = new Fixture(database);
  }

  @BeforeEach
  void refuseThirteen() {
    fixture.execute("ALTER TABLE @jobs DROP CONSTRAINT IF EXISTS lucky");
    fixture.execute("ALTER TABLE @jobs ADD CONSTRAINT lucky CHECK (payload ->> 'number' <> '13')");
    fixture.execute("ALTER TABLE @jobs_archive DROP CONSTRAINT IF EXISTS lucky");
  }

  /** The server rejects the statement in a transaction that has begun. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRefusedOutcomeLeavesItsConnectionUnchanged(boolean autoCommit) throws SQLException {
    fixture.enqueue(1);
    List<Execution> claimed = fixture.claim(1).stream().map(ClaimedJob::execution).toList();
    fixture.execute("ALTER TABLE @jobs_archive ADD CONSTRAINT lucky CHECK (kind <> 'work')");
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(database.jdbcUrl());
      pool.setMaximumPoolSize(1);
      pool.setAutoCommit(autoCommit);
      JobQueue queue = JobQueue.builder(pool).schema(database.schema()).wakeUps(false).build();

      assertThatThrownBy(() -> queue.store().complete(claimed))
          .isInstanceOfSatisfying(
              StoreException.class,
              refused -> {
                assertThat(refused.sqlState()).contains("23514");
                assertThat(refused.isOutcomeUnknown()).isFalse();
              });

      try (Connection connection = pool.getConnection()) {
        assertThat(connection.getAutoCommit()).isEqualTo(autoCommit);
        connection.setAutoCommit(true);
        assertThat(text(connection, "SHOW plan_cache_mode")).isEqualTo("auto");
        assertThat(text(connection, "SHOW enable_seqscan")).isEqualTo("on");
      }
    } finally {
      fixture.execute("ALTER TABLE @jobs_archive DROP CONSTRAINT lucky");
    }
    assertThat(fixture.store.complete(claimed)).containsExactly(Verdict.DONE);
  }

  @Test
  void aSingleJobIsEnqueuedInReadCommittedAfterASerializationFailure() {
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    faulty.failNext(FaultyDataSource.Step.STATEMENT, 1, "40001");
    JobQueue queue = JobQueue.builder(faulty).schema(database.schema()).wakeUps(false).build();

    queue.enqueue(Fixture.WORK, new Work(1));

    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("1");
    fixture.execute("DELETE FROM @jobs");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRefusedEnqueueLeavesItsConnectionUnchanged(boolean autoCommit) throws SQLException {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(database.jdbcUrl());
      pool.setMaximumPoolSize(1);
      pool.setAutoCommit(autoCommit);
      JobQueue queue = JobQueue.builder(pool).schema(database.schema()).wakeUps(false).build();

      assertThatThrownBy(() -> queue.enqueue(Fixture.WORK, new Work(13)))
          .isInstanceOfSatisfying(
              StoreException.class,
              refused -> {
                assertThat(refused.sqlState()).contains("23514");
                assertThat(refused.isOutcomeUnknown()).isFalse();
              });
      queue.enqueue(Fixture.WORK, new Work(14));
      queue.store().dueLanes(List.of("default"));

      try (Connection connection = pool.getConnection()) {
        assertThat(connection.getAutoCommit()).isEqualTo(autoCommit);
        connection.setAutoCommit(true);
        assertThat(text(connection, "SHOW plan_cache_mode")).isEqualTo("auto");
        assertThat(text(connection, "SHOW enable_seqscan")).isEqualTo("on");
      }
    }
    assertThat(
            fixture.value(
                "SELECT string_agg(payload ->> 'number', ',') FROM @jobs WHERE payload ->> 'number' IN ('13', '14')"))
        .isEqualTo("14");
    fixture.execute("DELETE FROM @jobs");
  }

  @Test
  void outcomeIsUnknownIfTheConnectionBreaksDuringAnEnqueue() {
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    JobQueue queue = JobQueue.builder(faulty).schema(database.schema()).wakeUps(false).build();

    faulty.cutBeforeCommit(1);
    assertUnknown(queue, 1);
    faulty.cutAfterCommit(1);
    assertUnknown(queue, 2);
    faulty.makeUnavailable();
    assertThatThrownBy(() -> queue.enqueue(Fixture.WORK, new Work(3)))
        .isInstanceOfSatisfying(
            StoreException.class, away -> assertThat(away.isOutcomeUnknown()).isFalse());

    assertThat(fixture.value("SELECT string_agg(payload ->> 'number', ',') FROM @jobs"))
        .isEqualTo("2");
  }

  private static void assertUnknown(JobQueue queue, int number) {
    assertThatThrownBy(() -> queue.enqueue(Fixture.WORK, new Work(number)))
        .isInstanceOfSatisfying(
            StoreException.class, lost -> assertThat(lost.isOutcomeUnknown()).isTrue());
  }

  private static String text(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }
}
