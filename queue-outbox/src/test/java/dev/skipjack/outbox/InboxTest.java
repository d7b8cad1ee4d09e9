package dev.skipjack.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class InboxTest {

  private Fixture fixture;
  private Inbox inbox;
  private final AtomicInteger effects = new AtomicInteger();
  private final UUID event = UUID.randomUUID();

  @BeforeEach
  void connect(QueueDatabase database) {
    fixture = new Fixture(database);
    inbox = Inbox.on(fixture.queue, "billing");
  }

  private boolean once(Inbox consumer) {
    return fixture.inTransaction(
        connection -> consumer.once(connection, event, effects::incrementAndGet));
  }

  @Test
  void aDuplicateHasNoEffect() {
    assertThat(once(inbox)).isTrue();
    assertThat(once(inbox)).isFalse();
    assertThat(effects).hasValue(1);
  }

  @Test
  void eachConsumerProcessesTheEvent() {
    assertThat(once(inbox)).isTrue();
    assertThat(once(Inbox.on(fixture.queue, "shipping"))).isTrue();
  }

  @Test
  void anEventWhoseTransactionWasRolledBackIsProcessedAgain() throws Exception {
    try (Connection connection = fixture.database.connection()) {
      connection.setAutoCommit(false);
      assertThatThrownBy(
              () ->
                  inbox.once(
                      connection,
                      event,
                      () -> {
                        throw new SQLException("no");
                      }))
          .isInstanceOf(SQLException.class);
      connection.rollback();
    }

    assertThat(once(inbox)).isTrue();
  }

  @Test
  void aConcurrentDuplicateWaitsForTheFirst() throws Exception {
    CompletableFuture<Boolean> second;
    try (Connection first = fixture.database.connection()) {
      first.setAutoCommit(false);
      assertThat(inbox.once(first, event, effects::incrementAndGet)).isTrue();
      second = CompletableFuture.supplyAsync(() -> once(inbox));
      fixture.awaitTrue(
          "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()");
      first.commit();
    }

    assertThat(second.get()).isFalse();
    assertThat(effects).hasValue(1);
  }

  @Test
  void withoutATransactionNothingIsMarked() throws Exception {
    try (Connection connection = fixture.database.connection()) {
      assertThatThrownBy(() -> inbox.once(connection, event, effects::incrementAndGet))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(fixture.count("inbox_events")).isZero();
  }

  @Test
  void pruningForgetsOldEventsOnly() {
    fixture.execute(
        """
        INSERT INTO @inbox_events (consumer, event_id, received_at)
        SELECT 'billing', gen_random_uuid(), clock_timestamp() - interval '8 days' FROM generate_series(1, 5001)
        """);
    fixture.execute(
        "INSERT INTO @inbox_events SELECT 'shipping', event_id FROM @inbox_events LIMIT 1");
    once(inbox);

    assertThat(inbox.prune(Duration.ofDays(7))).isEqualTo(5_001);

    assertThat(fixture.count("inbox_events")).as("the new rows, even of an old event").isEqualTo(2);
    assertThat(once(inbox)).isFalse();
  }
}
