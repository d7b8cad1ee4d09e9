package dev.skipjack.outbox;

import static dev.skipjack.outbox.Fixture.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.StoreException;
import dev.skipjack.migrations.Roles;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that the grants of the script allow each role its work with the outbox. */
@QueueTest
class OutboxRolesTest {

  private Fixture fixture;
  private String prefix = "";

  @BeforeEach
  void createRoles(QueueDatabase database) {
    fixture = new Fixture(database);
    // Roles belong to the server, and other test JVMs may use the same one.
    prefix = "o" + fixture.value("SELECT left(md5(current_database()), 12)");
    fixture.execute(Roles.sql(database.schema(), prefix));
  }

  @AfterEach
  void dropRoles() {
    for (String role : List.of("sql_producer", "producer", "worker", "operator", "viewer")) {
      fixture.execute("DROP OWNED BY %1$s_%2$s; DROP ROLE %1$s_%2$s".formatted(prefix, role));
    }
  }

  private HikariDataSource pool(String role) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(fixture.database.jdbcUrl());
    pool.setMaximumPoolSize(3);
    pool.setConnectionInitSql("SET ROLE " + prefix + "_" + role);
    return pool;
  }

  private JobQueue queue(HikariDataSource pool) {
    return JobQueue.builder(pool).schema(fixture.database.schema()).build();
  }

  @Test
  void producersRecordEvents() throws Exception {
    try (HikariDataSource pool = pool("producer");
        Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      Outbox.on(queue(pool))
          .in(connection)
          .recordAll(List.of(event(1, "a"), event(1, "b"), event(2, "c")));
      assertThat(Inbox.on(queue(pool), "billing").once(connection, UUID.randomUUID(), () -> {}))
          .isTrue();
      connection.commit();
    }
    try (HikariDataSource pool = pool("sql_producer");
        Connection connection = pool.getConnection();
        Statement sql = connection.createStatement()) {
      sql.execute(fixture.inSchema("SELECT @outbox_record('order', '1', 'd', '')"));
    }

    assertThat(fixture.count("outbox_events")).isEqualTo(4);
  }

  @Test
  void aWorkerPublishesEventsAndPrunesTheInbox() throws Exception {
    fixture.record(event(1, "a"), event(1, "poison"), event(1, "b"), event(2, "retried"));
    fixture.execute("INSERT INTO @inbox_events VALUES ('c', gen_random_uuid(), '2020-01-01')");
    RecordingPublisher publisher =
        new RecordingPublisher(
            event ->
                switch (event.type()) {
                  case "poison" -> PublishResult.dead("x");
                  case "retried" ->
                      event.failures() == 0 ? PublishResult.retry("y") : PublishResult.sent();
                  default -> PublishResult.sent();
                });
    try (HikariDataSource pool = pool("worker")) {
      Outbox outbox = Outbox.on(queue(pool));
      try (Relay relay =
          outbox.relay(publisher).backoff((attempt, random) -> Duration.ZERO).shards(32).build()) {
        relay.runUntilIdle();
      }
      assertThat(Inbox.on(queue(pool), "c").prune(Duration.ofDays(1))).isEqualTo(1);

      UUID dead = fixture.id("poison");
      assertThat(publisher.types()).containsExactlyInAnyOrder("a", "retried");
      try (Connection connection = pool.getConnection()) {
        connection.setAutoCommit(false);
        assertThatThrownBy(() -> outbox.in(connection).record(event(1, "x")))
            .isInstanceOfSatisfying(
                StoreException.class, refused -> assertThat(refused.sqlState()).contains("42501"));
        connection.rollback();
      }
      try (HikariDataSource operators = pool("operator")) {
        OutboxAdmin admin = Outbox.on(queue(operators)).admin();
        assertThat(admin.dead(10)).extracting(DeadEvent::id).containsExactly(dead);
        assertThat(admin.lag().dead()).isEqualTo(1);
        assertThat(admin.redrive(dead)).isTrue();
        assertThat(admin.unblock(new Aggregate("order", "1"))).isTrue();
      }
    }
  }

  @Test
  void aViewerReadsNoPayload() throws Exception {
    try (HikariDataSource pool = pool("viewer");
        Connection connection = pool.getConnection();
        Statement sql = connection.createStatement()) {
      sql.execute(fixture.inSchema("SELECT event_id, status, last_error FROM @outbox_events"));
      assertThatThrownBy(() -> sql.execute(fixture.inSchema("SELECT payload FROM @outbox_events")))
          .hasMessageContaining("permission denied");
    }
  }

  @Test
  void aViewerUsesTheQueriesOfOperatorsExceptForContents() throws Exception {
    fixture.record(event(1, "poison"), event(1, "b"), event(2, "c"));
    RecordingPublisher publisher =
        new RecordingPublisher(
            event ->
                event.type().equals("poison") ? PublishResult.dead("x") : PublishResult.sent());
    try (Relay relay = fixture.relay(publisher).build()) {
      relay.runUntilIdle();
    }
    try (HikariDataSource pool = pool("viewer")) {
      OutboxAdmin admin = Outbox.on(queue(pool)).admin();
      UUID dead = fixture.id("poison");

      assertThat(admin.lag().dead()).isEqualTo(1);
      assertThat(admin.dead(10)).extracting(DeadEvent::id).containsExactly(dead);
      assertThat(admin.blocked(10)).hasSize(1);
      assertThat(admin.relays()).isNotEmpty();
      assertThat(admin.find(dead)).isPresent();
      assertThat(admin.find(publisher.sent.get(0).id())).isPresent();
      assertThatThrownBy(() -> admin.read(dead))
          .isInstanceOfSatisfying(
              StoreException.class, refused -> assertThat(refused.sqlState()).contains("42501"));
    }
  }
}
