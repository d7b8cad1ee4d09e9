package dev.skipjack.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.sql.StatementText;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that every statement finds its rows through an index, with missing or fresh statistics. */
@QueueTest
class OutboxPlanTest {

  private static final Map<String, List<String>> EXPECTED =
      Map.ofEntries(
          Map.entry(
              "lease-shards",
              List.of(
                  "outbox_shards_pkey",
                  "using outbox_events_pending_idx on outbox_events",
                  "using outbox_blocked_retry_idx on outbox_blocked")),
          Map.entry("fetch-pending", List.of("outbox_events_pending_idx", "outbox_blocked_pkey")),
          Map.entry(
              "fetch-retried", List.of("outbox_blocked_retry_idx", "outbox_events_blocked_idx")),
          Map.entry("sweep-first", List.of("using outbox_events_pending_idx on outbox_events")),
          Map.entry("lock-shards", List.of("outbox_shards_pkey")),
          Map.entry("publish", List.of("outbox_events_pkey")),
          Map.entry("discard", List.of("outbox_events_pkey")),
          Map.entry("change", List.of("outbox_events_pkey")),
          Map.entry("unblock", List.of("outbox_blocked_pkey", "outbox_events_blocked_idx")),
          Map.entry("inbox-prune", List.of("inbox_events_received_idx", "inbox_events_pkey")),
          Map.entry(
              "doctor",
              List.of(
                  "outbox_events_dead_idx",
                  "outbox_events_pending_idx",
                  "outbox_blocked_retry_idx")));

  @Test
  void everyStatementFindsItsRowsThroughTheIndex(QueueDatabase database) throws Exception {
    Fixture fixture = new Fixture(database);
    fixture.execute(
        """
        INSERT INTO @outbox_events (event_id, shard, aggregate_type, aggregate_id, event_type, payload, status)
        SELECT gen_random_uuid(), n % 32, 'order', n / 2, 'a', '', CASE WHEN n % 10 = 0 THEN 'blocked' ELSE 'pending' END
          FROM generate_series(1, 20000) AS n
        """);
    fixture.execute(
        """
        INSERT INTO @outbox_blocked (aggregate_type, aggregate_id, shard, retry_at)
        SELECT 'order', n, n % 32, clock_timestamp() + n * interval '1 s' FROM generate_series(1, 5000) AS n
        """);
    fixture.execute(
        "INSERT INTO @inbox_events (consumer, event_id) SELECT 'c', gen_random_uuid() FROM"
            + " generate_series(1, 20000)");
    Map<String, StatementText> statements =
        Statements.all(fixture.queue.extension().dialect().get());
    for (int round = 0; round < 2; round++) {
      for (Map.Entry<String, List<String>> entry : EXPECTED.entrySet()) {
        for (String mode : List.of("force_generic_plan", "force_custom_plan")) {
          String name = entry.getKey();
          assertThat(plan(fixture, name, Objects.requireNonNull(statements.get(name)), mode))
              .as("%s %s", name, mode)
              .contains(entry.getValue())
              .doesNotContain(
                  "Seq Scan on outbox_events",
                  "Seq Scan on outbox_blocked",
                  "Seq Scan on inbox_events",
                  "hashed SubPlan");
        }
      }
      for (String table :
          List.of("outbox_events", "outbox_blocked", "outbox_shards", "inbox_events")) {
        fixture.execute("ANALYZE @" + table);
      }
    }
  }

  /** The doctor reads the first thousand dead events, and the first pending event of each shard. */
  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void theDoctorReadsFewPagesOfABacklog(String mode, QueueDatabase database) throws Exception {
    Fixture fixture = new Fixture(database);
    fixture.execute(
        """
        INSERT INTO @outbox_events (event_id, shard, aggregate_type, aggregate_id, event_type, payload, status, died_at)
        SELECT gen_random_uuid(), n % 32, 'order', n, 'order-placed', '', CASE WHEN n % 10 = 0 THEN 'dead' ELSE 'pending' END,
               CASE WHEN n % 10 = 0 THEN now() END
          FROM generate_series(1, 60000) AS n
        """);
    fixture.execute("ANALYZE @outbox_events");
    StatementText doctor =
        Objects.requireNonNull(
            Statements.all(fixture.queue.extension().dialect().get()).get("doctor"));

    String plan = plan("EXPLAIN (ANALYZE, BUFFERS)", fixture, "doctor", doctor, mode);

    assertThat(plan).doesNotContain("Seq Scan on outbox_events");
    Matcher total =
        Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?").matcher(plan);
    assertThat(total.find()).as(plan).isTrue();
    assertThat(
            Stream.of(total.group(1), total.group(2))
                .filter(Objects::nonNull)
                .mapToLong(Long::parseLong)
                .sum())
        .isBetween(1L, 1_400L);
  }

  private static String plan(Fixture fixture, String name, StatementText statement, String mode)
      throws SQLException {
    return plan("EXPLAIN", fixture, name, statement, mode);
  }

  private static String plan(
      String explain, Fixture fixture, String name, StatementText statement, String mode)
      throws SQLException {
    String arguments =
        statement.parameters().stream()
            .map(parameter -> argument(name, parameter))
            .collect(Collectors.joining(", ", "(", ")"))
            .replace("()", "");
    try (Connection connection = fixture.database.connection();
        Statement sql = connection.createStatement()) {
      connection.setAutoCommit(false);
      sql.execute("SET LOCAL enable_seqscan = off");
      sql.execute("SET LOCAL plan_cache_mode = " + mode);
      sql.execute("PREPARE planned AS " + numbered(statement.sql()));
      StringBuilder plan = new StringBuilder();
      try (ResultSet lines = sql.executeQuery(explain + " EXECUTE planned" + arguments)) {
        while (lines.next()) {
          plan.append(lines.getString(1)).append('\n');
        }
      }
      sql.execute("DEALLOCATE planned");
      connection.rollback();
      return plan.toString();
    }
  }

  /** Arrays have plural names, but so do the limits of bytes, events and shards. */
  private static String argument(String statement, String parameter) {
    if (parameter.equals("event_ids")) {
      return "'{00000000-0000-7000-8000-000000000000}'";
    }
    boolean isArray =
        parameter.endsWith("s")
            && !List.of("bytes", "events").contains(parameter)
            && !(statement.equals("lease-shards") && parameter.equals("shards"));
    return isArray ? "'{1}'" : "'1'";
  }

  private static String numbered(String sql) {
    int[] parameter = {0};
    return Pattern.compile("\\?")
        .matcher(sql)
        .replaceAll(found -> Matcher.quoteReplacement("$" + ++parameter[0]));
  }

  @Test
  void thePredicatesAreThoseOfTheIndexes(QueueDatabase database) {
    Fixture fixture = new Fixture(database);
    assertThat(
            fixture.value(
                """
                SELECT string_agg(relname || ': ' || pg_get_expr(indpred, indrelid), '; ' ORDER BY relname)
                  FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
                 WHERE indpred IS NOT NULL AND indrelid IN ('@outbox_events'::regclass, '@outbox_blocked'::regclass)
                """))
        .isEqualTo(
            "outbox_blocked_retry_idx: (retry_at IS NOT NULL); "
                + "outbox_events_blocked_idx: ((status)::text <> 'pending'::text); "
                + "outbox_events_dead_idx: ((status)::text = ANY (ARRAY['dead'::text, 'skipped'::text])); "
                + "outbox_events_pending_idx: ((status)::text = 'pending'::text)");
    assertThat(OutboxPredicates.PENDING.toString()).endsWith("\"status\" = 'pending'");
    assertThat(OutboxPredicates.BLOCKED.toString()).endsWith("\"status\" = 'blocked'");
    assertThat(OutboxPredicates.DEAD.toString()).contains("\"status\" in (", "'dead', 'skipped'");
    assertThat(OutboxPredicates.RETRIED.toString()).endsWith("\"retry_at\" is not null");
  }
}
