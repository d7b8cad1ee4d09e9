package dev.skipjack.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the code of docs/guides/outbox.md. */
@QueueTest
class OutboxGuideTest {

  enum Response {
    ACCEPTED,
    BUSY,
    TOO_LARGE
  }

  /** A broker that is busy at the first try, and accepts messages of up to 40 characters. */
  private static final class Broker {

    final List<UUID> accepted = Collections.synchronizedList(new ArrayList<>());
    private boolean wasBusy;

    synchronized Response send(String key, UUID id, String text) {
      if (text.length() > 40) {
        return Response.TOO_LARGE;
      }
      if (!wasBusy) {
        wasBusy = true;
        return Response.BUSY;
      }
      assertThat(key).isNotEmpty();
      accepted.add(id);
      return Response.ACCEPTED;
    }
  }

  private Fixture fixture;
  private DSLContext db;
  private Outbox outbox;
  private Inbox inbox;
  private final Broker broker = new Broker();

  @BeforeEach
  void connect(QueueDatabase database) {
    fixture = new Fixture(database);
    db = DSL.using(database.dataSource(), SQLDialect.POSTGRES);
    outbox = fixture.outbox;
    inbox = Inbox.on(fixture.queue, "shipping");
    fixture.execute("CREATE TABLE @orders (id bigint PRIMARY KEY, shipped integer DEFAULT 0)");
  }

  @AfterEach
  void dropOrders() {
    fixture.execute("DROP TABLE @orders");
  }

  // snippet: record
  record OrderPlaced(long orderId, long cents) {}

  /** The order and its event commit together, or neither does. */
  UUID placeOrder(long orderId, long cents) {
    return db.transactionResult(
        tx -> {
          insertOrder(tx.dsl(), orderId);
          return outbox
              .in(tx.dsl())
              .record(
                  Event.of("order", orderId, "order-placed")
                      .payload(new OrderPlaced(orderId, cents))
                      .header("tenant", "acme"));
        });
  }

  // end of snippet

  private void insertOrder(DSLContext tx, long orderId) {
    tx.execute(fixture.inSchema("INSERT INTO @orders (id) VALUES (?)"), orderId);
  }

  // snippet: publish
  /** Sends events one by one. A failed event stops only its own aggregate. */
  Publisher publisher() {
    return Publisher.each(
        event ->
            switch (broker.send(event.aggregate().id(), event.id(), event.text())) {
              case ACCEPTED -> PublishResult.sent();
              case BUSY -> PublishResult.retry("The broker is busy");
              case TOO_LARGE -> PublishResult.dead("The event is too large for the topic");
            });
  }

  Relay relay() {
    return outbox.relay(publisher()).name("orders-1").threads(2).build().start();
  }

  // end of snippet

  /** Redrives the dead events of an aggregate, or lets it continue without them. */
  void resolve(Aggregate aggregate, boolean isFixed) {
    if (isFixed) {
      outbox.admin().redrive(aggregate);
    } else {
      outbox.admin().unblock(aggregate);
    }
  }

  // snippet: consume
  /** Returns whether the event was new; its effect and its id commit together. */
  boolean consume(UUID eventId, long orderId) {
    return db.transactionResult(
        tx ->
            tx.dsl()
                .connectionResult(
                    connection ->
                        inbox.once(connection, eventId, () -> ship(connection, orderId))));
  }

  // end of snippet

  private void ship(Connection connection, long orderId) throws SQLException {
    try (PreparedStatement ship =
        connection.prepareStatement(
            fixture.inSchema("UPDATE @orders SET shipped = shipped + 1 WHERE id = ?"))) {
      ship.setLong(1, orderId);
      ship.executeUpdate();
    }
  }

  @Test
  void anOrderIsPublishedAndShippedOnce() {
    UUID event = placeOrder(1, 700);
    try (Relay relay = relay()) {
      Awaitility.await().until(() -> relay.stats().published() == 1);
    }

    assertThat(broker.accepted).containsExactly(event);
    assertThat(consume(event, 1)).isTrue();
    assertThat(consume(event, 1)).isFalse();
    assertThat(fixture.value("SELECT shipped FROM @orders WHERE id = 1")).isEqualTo("1");
  }

  @Test
  void anEventThatIsTooLargeBlocksItsAggregateUntilAnOperatorActs() throws Exception {
    fixture.record(Event.of("order", 1, "order-placed").payload("x".repeat(100)));
    fixture.record(Event.of("order", 1, "order-paid"));
    try (Relay relay = fixture.relay(publisher()).build()) {
      relay.runUntilIdle();
      assertThat(broker.accepted).isEmpty();

      resolve(new Aggregate("order", "1"), true);
      relay.runUntilIdle();
      assertThat(broker.accepted).as("the event is still too large").isEmpty();

      resolve(new Aggregate("order", "1"), false);
      relay.runUntilIdle();
      assertThat(broker.accepted).hasSize(1);
    }
  }
}
