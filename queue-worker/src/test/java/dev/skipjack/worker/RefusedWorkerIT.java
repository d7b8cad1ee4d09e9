package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that a worker is not ready if the server rejects it, and that its health reports why. */
@QueueTest
@Timeout(60)
class RefusedWorkerIT {

  private static final JobType<Integer> NOTE = JobType.of("note", Integer.class);

  private final QueueDatabase database;
  private final String role = "refused_" + UUID.randomUUID().toString().substring(0, 8);

  RefusedWorkerIT(QueueDatabase database) {
    this.database = database;
  }

  @Test
  void aWrongPasswordIsReported() throws SQLException {
    assertNotReady(urlOf("wrong", ""), "28P01", "password authentication failed");
  }

  @Test
  void aMissingDatabaseIsReported() throws SQLException {
    assertNotReady(urlOf("right", "_missing"), "3D000", "does not exist");
  }

  @Test
  void missingRightsAreReported() throws SQLException {
    assertNotReady(urlOf("right", ""), "42501", "permission denied");
  }

  private String urlOf(String password, String databaseSuffix) {
    String url = database.jdbcUrl();
    return "%s%s?user=%s&password=%s"
        .formatted(url.substring(0, url.indexOf('?')), databaseSuffix, role, password);
  }

  private void assertNotReady(String url, String sqlState, String words) throws SQLException {
    execute("CREATE ROLE " + role + " LOGIN PASSWORD 'right'");
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(url);
      pool.setConnectionTimeout(250);
      pool.setInitializationFailTimeout(-1);
      try (Worker worker =
          Worker.on(JobQueue.builder(pool).schema(database.schema()).build())
              .handle(NOTE, (note, context) -> Outcome.completed())
              .queue("default", 1)
              .start()) {
        await()
            .untilAsserted(
                () ->
                    assertThat(worker.health().reasons())
                        .anyMatch(reason -> reason.contains(sqlState) && reason.contains(words)));
        assertThat(worker.health().ready()).isFalse();
        assertThat(worker.health().alive()).isTrue();
        assertThat(worker.health().databaseReachable()).isEqualTo(sqlState.equals("42501"));
      }
    } finally {
      execute("DROP ROLE " + role);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
