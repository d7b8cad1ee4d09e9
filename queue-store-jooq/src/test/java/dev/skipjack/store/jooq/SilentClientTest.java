package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests a client that disappears between a statement and its COMMIT without notice to the server,
 * for example behind a firewall. The server ends the session, which frees the rows.
 */
@QueueTest
class SilentClientTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Set<String> LAST_WORDS = Set.of("commit", "rollback", "close", "abort");

  private Fixture fixture;
  private Connection connection;
  private JobQueue silent;

  @BeforeEach
  void setUp(QueueDatabase database) throws SQLException {
    fixture = new Fixture(database);
    connection = DriverManager.getConnection(database.jdbcUrl());
    Connection withoutEnd =
        JdbcProxy.of(
            Connection.class,
            (method, arguments) -> {
              if (LAST_WORDS.contains(method.getName())) {
                throw new SQLException("Nothing arrives.", "08006");
              }
              return method.invoke(connection, arguments);
            });
    DataSource dataSource =
        JdbcProxy.of(
            DataSource.class,
            (method, arguments) ->
                method.getName().equals("getConnection")
                    ? withoutEnd
                    : method.invoke(database.dataSource(), arguments));
    silent = JobQueue.builder(dataSource).schema(database.schema()).wakeUps(false).build();
  }

  @AfterEach
  void end() throws SQLException {
    connection.close();
  }

  @Test
  void claimOfASilentClientIsUndone() {
    fixture.enqueue(1);

    assertThatThrownBy(
            () -> silent.store().claim(Fixture.request(1, Fixture.LEASE, new Lane("default", 0))))
        .isInstanceOf(StoreException.class);

    assertThat(fixture.claim(1)).as("claimed while the row is locked").isEmpty();
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(fixture.claim(1)).hasSize(1));
  }

  /** Other enqueues wait for the key only until the server ends the silent session. */
  @Test
  void keyOfASilentClientBecomesFree() {
    assertThatThrownBy(() -> enqueueOnce(silent)).isInstanceOf(StoreException.class);

    assertThat(enqueueOnce(fixture.queue)).isInstanceOf(EnqueueResult.Enqueued.class);
  }

  @Test
  void theRolesOwnLimitTakesPrecedence() throws SQLException {
    fixture.enqueue(1);
    try (var statement = connection.createStatement()) {
      statement.execute("SET idle_in_transaction_session_timeout = '1h'");
    }

    assertThatThrownBy(
            () -> silent.store().claim(Fixture.request(1, Fixture.LEASE, new Lane("default", 0))))
        .isInstanceOf(StoreException.class);

    try (var statement = connection.createStatement();
        var limit = statement.executeQuery("SHOW idle_in_transaction_session_timeout")) {
      assertThat(limit.next()).isTrue();
      assertThat(limit.getString(1)).isEqualTo("1h");
    }
  }

  private static EnqueueResult enqueueOnce(JobQueue queue) {
    return queue.enqueueOnce(
        Fixture.WORK, new Fixture.Work(1), job -> job.idempotencyKey("order-1"));
  }
}
