package dev.skipjack.outbox;

import static dev.skipjack.outbox.Fixture.event;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.operations.Finding;
import dev.skipjack.migrations.Roles;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Writes odd values to each column of the outbox that a role may write. If the table accepts them,
 * the events of other aggregates are still published, and the queries for operators still work.
 */
@QueueTest
class OddRowsTest {

  private static final Map<String, List<String>> ODD =
      Map.of(
          "bigint", List.of("-1", "0", "9223372036854775807", "-9223372036854775808"),
          "integer", List.of("-1", "0", "2147483647", "-2147483648"),
          "smallint", List.of("-1", "0", "31", "32767"),
          "text",
              List.of(
                  "''",
                  "' '",
                  "'skipped'",
                  "'dead'",
                  "'blocked'",
                  "repeat('x', 3000000)",
                  "chr(133)"),
          "timestamp with time zone",
              List.of(
                  "'infinity'", "'-infinity'", "'0001-01-01'", "'4713-01-01 BC'", "'294276-01-01'"),
          "uuid",
              List.of(
                  "'00000000-0000-0000-0000-000000000000'",
                  "'ffffffff-ffff-ffff-ffff-ffffffffffff'"),
          "jsonb",
              List.of(
                  "'[]'",
                  "'null'",
                  "'1'",
                  "'{\"a\": null}'",
                  "'{\"a\": {}}'",
                  "'{\"\": \"\"}'",
                  "'{\"a\": \"\\u0001\"}'",
                  "jsonb_build_object('a', repeat('x', 3000000))"),
          "bytea", List.of("''", "decode(repeat('00', 3000000), 'hex')"));

  /** A valid value for each column that an INSERT needs. */
  private static final Map<String, String> VALID =
      Map.ofEntries(
          Map.entry("recorded_at", "now()"),
          Map.entry("published_at", "now()"),
          Map.entry("received_at", "now()"),
          Map.entry("blocked_at", "now()"),
          Map.entry("retry_at", "now()"),
          Map.entry("attempts", "0"),
          Map.entry("shard", "7"),
          Map.entry("event_id", "gen_random_uuid()"),
          Map.entry("aggregate_type", "'odd'"),
          Map.entry("aggregate_id", "gen_random_uuid()::text"),
          Map.entry("event_type", "'odd'"),
          Map.entry("content_type", "'text/plain'"),
          Map.entry("headers", "'{}'"),
          Map.entry("traceparent", "NULL"),
          Map.entry("consumer", "'odd'"),
          Map.entry("payload", "''"));

  private Fixture fixture;
  private String prefix = "";
  private int round;

  @BeforeEach
  void createRoles(QueueDatabase database) {
    fixture = new Fixture(database);
    prefix = "x" + fixture.value("SELECT left(md5(current_database()), 12)");
    fixture.execute(Roles.sql(database.schema(), prefix));
  }

  @AfterEach
  void dropRoles() {
    for (String role : List.of("sql_producer", "producer", "worker", "operator", "viewer")) {
      fixture.execute("DROP OWNED BY %1$s_%2$s; DROP ROLE %1$s_%2$s".formatted(prefix, role));
    }
    clear();
  }

  private void clear() {
    fixture.execute(
        """
        DELETE FROM @outbox_events;
        DELETE FROM @outbox_blocked;
        DELETE FROM @outbox_published;
        DELETE FROM @inbox_events;
        UPDATE @outbox_shards SET lease_id = 0, leased_at = '-infinity', lease_expires_at = NULL, leased_by = NULL
        """);
  }

  @ParameterizedTest
  @CsvSource({
    "producer, outbox_events", "producer, inbox_events", "worker, outbox_blocked",
    "worker, outbox_published", "worker, inbox_events", "operator, outbox_blocked"
  })
  void anOddRowStopsNoRelay(String role, String table) throws Exception {
    Map<String, String> columns = columns(role, table, "INSERT");
    assertThat(columns).isNotEmpty();
    for (Map.Entry<String, String> column : columns.entrySet()) {
      int position = 0;
      for (String odd : odd(column.getValue())) {
        position++; // unique, so that a row is refused only because of its odd value
        List<String> values = new ArrayList<>();
        for (String each : columns.keySet()) {
          values.add(
              each.equals(column.getKey())
                  ? odd
                  : each.equals("position")
                      ? String.valueOf(position)
                      : VALID.getOrDefault(each, "NULL"));
        }
        write(
            role,
            "INSERT INTO @%s (%s) VALUES (%s)"
                .formatted(table, String.join(", ", columns.keySet()), String.join(", ", values)));
      }
      check("odd values of %s in %s".formatted(column.getKey(), table));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "worker, outbox_events", "worker, outbox_shards", "worker, outbox_blocked",
    "worker, inbox_events", "operator, outbox_events", "operator, outbox_blocked",
    "operator, outbox_shards"
  })
  void anOddChangeStopsNoRelay(String role, String table) throws Exception {
    Map<String, String> columns = columns(role, table, "UPDATE");
    assertThat(columns).isNotEmpty();
    for (Map.Entry<String, String> column : columns.entrySet()) {
      for (String odd : odd(column.getValue())) {
        fixture.record(event("changed-" + round, "changed"), event("changed-" + round, "later"));
        fixture.execute(
            "INSERT INTO @outbox_blocked (aggregate_type, aggregate_id, shard, retry_at) VALUES ('order', 'changed-%d', 3, now())"
                .formatted(round));
        String update = "UPDATE @%s SET %s = %s WHERE true".formatted(table, column.getKey(), odd);
        write(role, update);
        check(update);
      }
    }
  }

  @Test
  void aProducerSetsOnlyTheContentsOfAnEvent() throws Exception {
    assertThat(columns("producer", "outbox_events", "INSERT").keySet())
        .isEqualTo(
            Set.of(
                "event_id",
                "shard",
                "aggregate_type",
                "aggregate_id",
                "event_type",
                "content_type",
                "headers",
                "traceparent",
                "payload"));
    assertThat(columns("producer", "outbox_events", "UPDATE")).isEmpty();
  }

  private static List<String> odd(String type) {
    List<String> odd = new ArrayList<>(ODD.getOrDefault(type, List.of()));
    assertThat(odd).as(type).isNotEmpty();
    odd.add("NULL");
    return odd;
  }

  /** Returns the base types of the columns that a role may write. */
  private Map<String, String> columns(String role, String table, String privilege)
      throws SQLException {
    Map<String, String> columns = new LinkedHashMap<>();
    try (Connection connection = fixture.database.connection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                fixture.inSchema(
                    """
                    SELECT attname, format_type(coalesce(nullif(typbasetype, 0), atttypid), NULL)
                      FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
                     WHERE attrelid = '@%1$s'::regclass AND attnum > 0 AND has_column_privilege('%2$s_%3$s', attrelid, attnum, '%4$s')
                     ORDER BY attnum
                    """
                        .formatted(table, prefix, role, privilege)))) {
      while (row.next()) {
        columns.put(row.getString(1), row.getString(2));
      }
    }
    return columns;
  }

  /** Tries the write as the role. */
  private void write(String role, String write) throws SQLException {
    try (Connection connection = fixture.database.connection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      try {
        statement.execute("SET LOCAL ROLE %s_%s".formatted(prefix, role));
        statement.execute(fixture.inSchema(write));
        connection.commit();
      } catch (SQLException refused) {
        connection.rollback();
        assertThat(refused.getSQLState()).as(write).startsWith("2");
      }
    }
  }

  /** Checks that what was written affects no relay and no operator, and removes it. */
  private void check(String write) throws InterruptedException {
    String healthy = "healthy-" + round++;
    fixture.record(event(healthy, "healthy"));
    RecordingPublisher publisher = new RecordingPublisher();
    try (Relay relay = fixture.relay(publisher).shards(32).name("fuzz").build()) {
      relay.runUntilIdle();
    }
    assertThat(publisher.sent)
        .as(write)
        .anySatisfy(sent -> assertThat(sent.aggregate().id()).isEqualTo(healthy));
    OutboxAdmin admin = fixture.outbox.admin();
    admin.dead(100).forEach(dead -> assertThat(admin.find(dead.id())).isPresent());
    assertThat(admin.blocked(100)).as(write).doesNotContainNull();
    assertThat(admin.relays()).as(write).doesNotContainNull();
    assertThat(admin.lag().oldest().toMillis()).as(write).isNotNegative();
    UUID published = publisher.sent.get(publisher.sent.size() - 1).id();
    assertThat(admin.find(published)).isPresent();
    assertThat(fixture.queue.doctor().run())
        .as(write)
        .filteredOn(
            finding -> Set.of("dead-events", "relays", "partitions").contains(finding.check()))
        .hasSize(3)
        .allSatisfy(finding -> assertThat(finding.level()).isNotEqualTo(Finding.Level.NOT_CHECKED));
    clear();
  }
}
