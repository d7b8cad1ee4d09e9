package dev.skipjack.outbox;

import static dev.skipjack.outbox.Fixture.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.Backoff;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the limits of the table, and events that exceed them because a limit is missing. */
@QueueTest
class LargeEventTest {

  private static final String LARGE = "decode(repeat('00', 3000000), 'hex')";

  private Fixture fixture;
  private final AtomicBoolean isDown = new AtomicBoolean();
  private final RecordingPublisher publisher =
      new RecordingPublisher(
          event -> isDown.get() ? PublishResult.retry("down") : PublishResult.sent());
  private String definition = "";

  @BeforeEach
  void connect(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  /** Other tests use the schema after this one. */
  @AfterEach
  void restoreLimits() throws SQLException {
    if (!definition.isEmpty()) {
      fixture.execute("DELETE FROM @outbox_events");
      try (Connection connection = fixture.database.connection();
          Statement statement = connection.createStatement()) {
        statement.execute(definition);
      }
    }
  }

  private void removeLimit(String domain) {
    definition =
        fixture.value(
            "SELECT 'ALTER DOMAIN @%1$s ADD CONSTRAINT %1$s_check ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE contypid = '@%1$s'::regtype"
                .formatted(domain));
    fixture.execute("ALTER DOMAIN @%1$s DROP CONSTRAINT %1$s_check".formatted(domain));
  }

  private void publish(boolean skipDead) throws InterruptedException {
    Relay.Builder builder = fixture.relay(publisher).shards(32);
    try (Relay relay = (skipDead ? builder.skipDeadEvents() : builder).build()) {
      relay.runUntilIdle();
    }
  }

  private void enlarge(String type, String column, String value) {
    fixture.execute(
        "UPDATE @outbox_events SET %s = %s WHERE event_type = '%s'".formatted(column, value, type));
  }

  @Test
  void anEventThatIsTooLargeDiesWithoutStoppingOthers() throws Exception {
    removeLimit("outbox_payload");
    fixture.record(event(1, "a"), event(1, "large"), event(1, "b"), event(2, "large"));
    fixture.record(event(2, "c"), event(3, "d"), event(3, "e"));
    enlarge("large", "payload", LARGE);

    publish(false);

    assertThat(publisher.types()).containsExactlyInAnyOrder("a", "d", "e");
    assertThat(fixture.outbox.admin().dead(10))
        .hasSize(2)
        .allSatisfy(
            dead -> {
              assertThat(dead.type()).isEqualTo("large");
              assertThat(dead.failures()).isEqualTo(1);
              assertThat(dead.reason())
                  .isEqualTo("The payload has 3,000,000 bytes; relays read at most 1,048,576.");
            });
    assertThat(fixture.outbox.admin().unblock(new Aggregate("order", "1"))).isTrue();
    assertThat(fixture.outbox.admin().unblock(new Aggregate("order", "2"))).isTrue();
    publish(false);
    assertThat(publisher.types()).contains("b", "c").hasSize(5);
  }

  @Test
  void anAggregateThatIsRetriedStopsAtALargeEvent() throws Exception {
    removeLimit("outbox_payload");
    fixture.record(event(1, "a"), event(1, "large"), event(1, "b"));
    isDown.set(true);
    publish(true, 1);
    assertThat(fixture.value("SELECT count(*) FROM @outbox_events WHERE status = 'blocked'"))
        .isEqualTo("3");
    enlarge("large", "payload", LARGE);
    isDown.set(false);

    publish(true);

    assertThat(publisher.types()).containsExactly("a", "b");
    assertThat(fixture.value("SELECT status FROM @outbox_events")).isEqualTo("skipped");
  }

  /** Publishes until the given number of attempts has failed. */
  private void publish(boolean skipDead, int attempts) throws InterruptedException {
    Relay.Builder builder = fixture.relay(publisher).backoff(Backoff.fixed(Duration.ofHours(1)));
    try (Relay relay = (skipDead ? builder.skipDeadEvents() : builder).build()) {
      relay.runUntilIdle();
      assertThat(relay.stats().retried()).isEqualTo(attempts);
    }
    fixture.execute("UPDATE @outbox_blocked SET retry_at = now()");
  }

  @Test
  void headersThatAreTooLargeAreNotRead() throws Exception {
    removeLimit("outbox_headers");
    fixture.record(event(1, "large"), event(2, "a"));
    enlarge("large", "headers", "jsonb_build_object('a', repeat('x', 100000))");

    publish(false);

    assertThat(publisher.types()).containsExactly("a");
    assertThat(fixture.outbox.admin().dead(10))
        .singleElement()
        .satisfies(
            dead ->
                assertThat(dead.reason())
                    .startsWith("Content type, headers and traceparent have 100,0"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "payload = decode(repeat('00', 1048577), 'hex')",
        "content_type = ''",
        "content_type = '   '",
        "content_type = repeat('x', 201)",
        "content_type = E'text\\n'",
        "content_type = 'tëxt'",
        "traceparent = ''",
        "traceparent = '00-00000000000000000000000000000000-b7ad6b7169203331-01'",
        "traceparent = '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01'",
        "traceparent = 'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'",
        "traceparent = '00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'",
        "traceparent = '00-0af7651916cd43dd8448eb211c8031-c-b7ad6b7169203331-01'",
        "traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-012'",
        "headers = '[]'",
        "headers = 'null'",
        "headers = '{\"a\": 1}'",
        "headers = '{\"a\": null}'",
        "headers = '{\"\": \"x\"}'",
        "headers = '{\"a b\": \"x\"}'",
        "headers = '{\"a\": \"x\\u0001\"}'",
        "headers = '{\"a\": \"x\\n\"}'",
        "headers = jsonb_build_object('a', chr(133))",
        "headers = jsonb_build_object(repeat('a', 201), 'x')",
        "headers = jsonb_build_object('a', repeat('x', 40000))",
        "headers = (SELECT jsonb_object_agg('h' || n, 'x') FROM generate_series(1, 51) AS n)",
        "status = 'published'",
        "recorded_at = 'infinity'",
        "died_at = '-infinity'"
      })
  void theTableRefusesWhatRecordingRefuses(String odd) {
    fixture.record(event(1, "a"));

    assertThatThrownBy(() -> fixture.execute("UPDATE @outbox_events SET " + odd))
        .hasStackTraceContaining("violates check constraint");
  }

  @Test
  void theTableAcceptsTheLargestEvent() throws Exception {
    Event largest = event(1, "a").payload(new byte[Event.LARGEST_PAYLOAD], "x".repeat(200));
    for (int i = 0; i < 50; i++) {
      String name = "n%03d".formatted(i) + "-".repeat(196);
      largest = largest.header(name, (i % 2 == 0 ? "\"" : "\\").repeat(127));
    }
    fixture.record(
        largest.traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        event(1, "b").header("a", "ü😀\u00a0"));

    publish(false);

    assertThat(publisher.sent)
        .satisfiesExactly(
            event -> assertThat(event.headers()).hasSize(50),
            event -> assertThat(event.headers()).containsEntry("a", "ü😀\u00a0"));
  }
}
