package dev.skipjack.outbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.Relay;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.net.URI;
import java.sql.Connection;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the code of docs/guides/outbox.md about HTTP. */
@QueueTest
class HttpGuideTest {

  /** An endpoint that a customer has registered. */
  record Webhook(URI uri, String secret) {}

  // snippet: http
  /** Sends each event to the endpoint of its tenant. */
  HttpPublisher webhooks(Map<String, Webhook> webhooks) {
    return HttpPublisher.to(
            event -> {
              Webhook webhook = webhooks.get(event.headers().get("tenant"));
              return webhook == null
                  ? null
                  : HttpEndpoint.of(webhook.uri()).secret(webhook.secret());
            })
        .build();
  }

  // end of snippet

  @Test
  void eventIsSentToTheEndpointOfItsTenant(QueueDatabase database) throws Exception {
    Outbox outbox =
        Outbox.on(JobQueue.builder(database.dataSource()).schema(database.schema()).build());
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      outbox.in(connection).record(Event.of("order", 1, "order-placed").header("tenant", "acme"));
      connection.commit();
    }
    Webhook webhook =
        new Webhook(
            URI.create("http://127.0.0.1:1/"), "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0");
    try (HttpPublisher publisher = webhooks(Map.of("acme", webhook));
        Relay relay = outbox.relay(publisher).build()) {
      relay.runUntilIdle();
      assertThat(relay.stats().retried()).as("the address is not public").isEqualTo(1);
    }
  }
}
