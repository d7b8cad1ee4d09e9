package dev.skipjack.dedup;

import static dev.skipjack.dedup.Fixture.BY_ACCOUNT;
import static dev.skipjack.dedup.Fixture.SYNC;
import static dev.skipjack.dedup.Fixture.sync;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.EnqueueResult.Replaced;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.faults.ShadowSchema;
import dev.skipjack.sql.StatementText;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the statements of unique jobs as {@code ShadowedStatementsTest} tests those of the store.
 */
@QueueTest
class UniqueShadowsTest {

  private Fixture fixture;
  private QueueDatabase database;

  @BeforeEach
  void createShadows(QueueDatabase database) throws SQLException {
    this.database = database;
    fixture = new Fixture(database);
    try (Connection connection = database.connection()) {
      ShadowSchema.create(
          connection,
          "shadows",
          UniqueGoldenSqlTest.statements().values().stream().map(StatementText::sql).toList());
    }
  }

  @AfterEach
  void dropShadows() throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP SCHEMA shadows CASCADE");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"shadows, public", "shadows, pg_catalog"})
  void noStatementCallsFunctionsOfOtherSchemas(String searchPath) throws SQLException {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(database.jdbcUrl());
      pool.setMaximumPoolSize(2);
      pool.setConnectionInitSql("SET search_path = " + searchPath);
      UniqueJobs jobs = UniqueJobs.on(JobQueue.builder(pool).schema(database.schema()).build());

      useEach(jobs, "own");
      try (Connection connection = pool.getConnection()) {
        connection.setAutoCommit(false);
        useEach(jobs.in(connection), "callers");
        connection.commit();
      }
      assertThat(jobs.find(SYNC, sync("own"), BY_ACCOUNT)).isPresent();
      assertThat(jobs.find(SYNC, sync("own"), BY_ACCOUNT.perPeriod(Duration.ofDays(1))))
          .isPresent();
      assertThat(jobs.cancel(SYNC, sync("own"), BY_ACCOUNT)).isEqualTo(CancelResult.CANCELLED);
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isNotEqualTo("0");
  }

  private static void useEach(UniqueEnqueuer enqueuer, String name) {
    assertThat(enqueuer.enqueue(SYNC, sync(name), BY_ACCOUNT)).isInstanceOf(Enqueued.class);
    assertThat(enqueuer.enqueue(SYNC, sync(name), BY_ACCOUNT)).isInstanceOf(AlreadyQueued.class);
    assertThat(enqueuer.enqueue(SYNC, sync(name), BY_ACCOUNT.untilStarted()))
        .isInstanceOf(AlreadyQueued.class);
    assertThat(enqueuer.enqueue(SYNC, sync(name), BY_ACCOUNT.replace()))
        .isInstanceOf(Replaced.class);
    assertThat(
            enqueuer.enqueue(
                SYNC,
                sync(name),
                BY_ACCOUNT.debounce(Duration.ofSeconds(1), Duration.ofMinutes(1))))
        .isInstanceOf(Replaced.class);
    assertThat(enqueuer.enqueueAll(SYNC, List.of(sync(name), sync(name + " too")), BY_ACCOUNT))
        .hasSize(2);
    for (int i = 0; i < 2; i++) {
      enqueuer.enqueue(SYNC, sync(name), BY_ACCOUNT.perPeriod(Duration.ofDays(1)));
    }
  }
}
