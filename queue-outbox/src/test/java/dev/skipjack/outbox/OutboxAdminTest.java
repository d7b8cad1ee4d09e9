package dev.skipjack.outbox;

import static dev.skipjack.outbox.Fixture.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.Backoff;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the queries of operators. {@link RelayTest} tests the effect of their operations on relays.
 */
@QueueTest
class OutboxAdminTest {

  private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  private Fixture fixture;
  private OutboxAdmin admin;

  @BeforeEach
  void connect(QueueDatabase database) {
    fixture = new Fixture(database);
    admin = fixture.outbox.admin();
  }

  /** Publishes events with the result that their type determines. */
  private void relay(String name) throws InterruptedException {
    Publisher publisher =
        Publisher.each(
            event ->
                switch (event.type()) {
                  case "poison" -> PublishResult.dead("too large");
                  case "retried" -> PublishResult.retry("busy");
                  default -> PublishResult.sent();
                });
    try (Relay relay =
        fixture.relay(publisher).name(name).backoff(Backoff.fixed(Duration.ofHours(1))).build()) {
      relay.runUntilIdle();
    }
  }

  @Test
  void anEventIsFoundInEachStatus() throws Exception {
    fixture.record(
        event(1, "poison").traceparent(TRACE),
        event(1, "behind"),
        event(2, "retried"),
        event(3, "good").payload("a").header("tenant", "acme"));
    UUID dead = fixture.id("poison");
    UUID behind = fixture.id("behind");
    UUID retried = fixture.id("retried");
    UUID good = fixture.id("good");

    EventDetails pending = admin.find(good).orElseThrow();
    assertThat(pending.status()).isEqualTo(EventStatus.PENDING);
    assertThat(pending.publishedAt()).isNull();
    relay("orders-1");

    EventDetails published = admin.find(good).orElseThrow();
    assertThat(published.status()).isEqualTo(EventStatus.PUBLISHED);
    assertThat(published.publishedAt()).isAfterOrEqualTo(published.recordedAt());
    assertThat(published.recordedAt()).isEqualTo(pending.recordedAt());
    assertThat(published.aggregate()).isEqualTo(new Aggregate("order", "3"));
    assertThat(published.contentType()).isEqualTo("application/json");
    EventDetails died = admin.find(dead).orElseThrow();
    assertThat(died.status()).isEqualTo(EventStatus.DEAD);
    assertThat(died.diedAt()).isAfterOrEqualTo(died.recordedAt());
    assertThat(died.lastError()).isEqualTo("too large");
    assertThat(died.failures()).isEqualTo(1);
    assertThat(died.traceparent()).isEqualTo(TRACE);
    assertThat(admin.find(behind).orElseThrow().status()).isEqualTo(EventStatus.BLOCKED);
    EventDetails waiting = admin.find(retried).orElseThrow();
    assertThat(waiting.status()).isEqualTo(EventStatus.BLOCKED);
    assertThat(waiting.lastError()).isEqualTo("busy");
    assertThat(admin.find(UUID.randomUUID())).isEmpty();
  }

  @Test
  void anEventIsReadAsPublishersReceiveIt() throws Exception {
    fixture.record(
        event(1, "poison").payload(new byte[] {1, 2}, "application/avro"),
        event(2, "good").payload("a").header("tenant", "acme"));
    UUID dead = fixture.id("poison");
    UUID good = fixture.id("good");
    relay("orders-1");

    RecordedEvent bytes = admin.read(dead).orElseThrow();
    assertThat(bytes.payload()).containsExactly(1, 2);
    assertThat(bytes.contentType()).isEqualTo("application/avro");
    assertThat(bytes.headers()).isEmpty();
    RecordedEvent published = admin.read(good).orElseThrow();
    assertThat(published.id()).isEqualTo(good);
    assertThat(published.text()).isEqualTo("\"a\"");
    assertThat(published.headers()).containsEntry("tenant", "acme").hasSize(1);
    assertThat(admin.read(UUID.randomUUID())).isEmpty();
  }

  @Test
  void blockedAggregatesShowWhetherTheyAreTriedAgain() throws Exception {
    fixture.record(event(1, "poison"));
    relay("orders-1");
    fixture.record(event(2, "retried"));
    relay("orders-1");

    assertThat(admin.blocked(10))
        .satisfiesExactly(
            dead -> {
              assertThat(dead.aggregate()).isEqualTo(new Aggregate("order", "1"));
              assertThat(dead.retryAt()).isNull();
            },
            retried -> {
              assertThat(retried.aggregate()).isEqualTo(new Aggregate("order", "2"));
              assertThat(retried.retryAt()).isAfter(retried.blockedAt());
            });
    assertThat(admin.blocked(1)).hasSize(1);
  }

  @Test
  void theDeadEventsOfAnAggregateAreListed() throws Exception {
    fixture.record(event(1, "poison"), event(2, "poison"));
    relay("orders-1");

    assertThat(admin.dead(new Aggregate("order", "2"), 10))
        .extracting(DeadEvent::aggregate)
        .containsExactly(new Aggregate("order", "2"));
    assertThat(admin.dead(new Aggregate("order", "3"), 10)).isEmpty();
  }

  @Test
  void relaysAreShownWithTheShardsThatTheyLease() throws Exception {
    // The shards remain when the tables are truncated between tests.
    fixture.execute("UPDATE @outbox_shards SET leased_by = NULL, lease_expires_at = NULL");
    assertThat(admin.relays()).isEmpty();
    fixture.record(event(1, "good"));
    relay("orders-2");
    fixture.execute(
        "UPDATE @outbox_shards SET leased_by = 'orders-1', leased_at = clock_timestamp(),"
            + " lease_expires_at = clock_timestamp() + shard * interval '1 day' WHERE leased_by IS NULL AND shard < 5");

    assertThat(admin.relays())
        .satisfiesExactly(
            busy -> {
              assertThat(busy.name()).isEqualTo("orders-1");
              assertThat(busy.leasedShards()).isBetween(3, 4);
            },
            idle -> {
              assertThat(idle.name()).isEqualTo("orders-2");
              assertThat(idle.leasedShards()).isZero();
              assertThat(idle.lastLeasedAt()).isNotNull();
            });
  }

  @Test
  void limitsAreChecked() {
    assertThatThrownBy(() -> admin.dead(0)).hasMessage("Limit 0 must be from 1 to 10000.");
    assertThatThrownBy(() -> admin.blocked(10_001)).hasMessageContaining("10001");
  }
}
