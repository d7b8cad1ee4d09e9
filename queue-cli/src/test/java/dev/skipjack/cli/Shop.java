package dev.skipjack.cli;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.EventRecorder;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.Publisher;
import dev.skipjack.outbox.Relay;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.worker.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/**
 * The queue and the outbox of a shop, with jobs and events of several statuses, for the operators'
 * commands. The database must be new, because the ids of the jobs must be 1 to 13.
 */
final class Shop {

  static final JobType<String> RECEIPT =
      JobType.of("send-receipt", String.class)
          .onQueue("emails")
          .maxAttempts(5)
          .retry(Backoff.fixed(Duration.ofHours(1)));
  static final JobType<String> CHARGE =
      JobType.of("charge-card", String.class).onQueue("payments").maxAttempts(3);
  static final JobType<String> STOCK =
      JobType.of("update-stock", String.class).onQueue("stock").maxAttempts(3);
  static final JobType<String> REPORT =
      JobType.of("build-report", String.class).onQueue("reports").maxAttempts(3);

  static final JobType<String> REFUND =
      JobType.of("refund-card", String.class).onQueue("refunds").maxAttempts(3);

  private Shop() {}

  static JobQueue queue(QueueDatabase database) {
    return JobQueue.builder(database.dataSource()).codec(new RawJson()).build();
  }

  /** Enqueues the jobs and runs some of them. */
  static void open(QueueDatabase database) throws SQLException {
    JobQueue queue = queue(database);
    queue.enqueue(RECEIPT, order(1001), job -> job.tags("vip"));
    queue.enqueue(CHARGE, order(1002));
    queue.enqueue(CHARGE, order(1003));
    queue.enqueue(RECEIPT, order(1004), job -> job.header("tenant", "acme"));
    for (int sku = 7; sku <= 8; sku++) {
      String key = "sku-" + sku;
      queue.enqueue(STOCK, change(sku, -1), job -> job.orderingKey(key));
      queue.enqueue(STOCK, change(sku, 3), job -> job.orderingKey(key));
    }
    queue.enqueueAll(REFUND, List.of(order(901), order(902), order(903)));
    Worker worker =
        Worker.on(queue)
            .handle(RECEIPT, (receipt, context) -> send(receipt))
            .handle(CHARGE, (charge, context) -> Outcome.dead("Card declined"))
            .handle(STOCK, (change, context) -> Outcome.dead("Unknown article"))
            .handle(REFUND, (refund, context) -> Outcome.dead("Refund period has ended"))
            .queue("emails", 1)
            .queue("payments", 1)
            .queue("stock", 1)
            .queue("refunds", 1)
            .name("shop-1")
            .build();
    worker.runUntilIdle();
    queue.enqueue(RECEIPT, order(1005));
    publish(database, Outbox.on(queue));
    queue.enqueue(REPORT, "{\"month\": \"2026-11\"}", job -> job.delay(Duration.ofDays(1)));
    queue
        .workers()
        .announce(
            new WorkerRow(
                WorkerId.boot("shop-1"),
                "app-1.example.org",
                4711L,
                List.of("emails", "payments"),
                List.of("charge-card", "send-receipt"),
                "{\"version\": \"1.4.0\", \"concurrency\": {\"emails\": 20, \"payments\": 4}}"));
    execute(
        database,
        "UPDATE skipjack.job_executions SET finished_at = started_at + interval '250 ms'",
        "UPDATE skipjack.jobs SET scheduled_at = now() - interval '125 min' WHERE id = 12");
  }

  /**
   * Records events and publishes those that can be. Their ids are constant, because the page of
   * commands names them.
   */
  private static void publish(QueueDatabase database, Outbox outbox) throws SQLException {
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      EventRecorder events = outbox.in(connection);
      events.record(Event.of("order", 1002, "order-placed").payload(order(1002)));
      events.record(
          Event.of("order", 1002, "order-declined").payload(order(1002)).header("tenant", "acme"));
      events.record(Event.of("order", 1003, "order-placed").payload(order(1003)));
      events.record(Event.of("invoice", 77, "invoice-sent").payload(order(1003)));
      connection.commit();
    }
    for (int event = 1; event <= 4; event++) {
      execute(
          database,
          "UPDATE skipjack.outbox_events SET event_id = '019ab000-0000-7000-8000-00000000000%d' WHERE event_id = (%s)"
              .formatted(
                  event,
                  "SELECT event_id FROM skipjack.outbox_events ORDER BY position OFFSET %d LIMIT 1"
                      .formatted(event - 1)));
    }
    Publisher publisher =
        Publisher.each(
            event ->
                switch (event.aggregate().id()) {
                  case "1002" -> PublishResult.dead("There is no topic for orders");
                  case "77" -> PublishResult.retry("The broker is busy");
                  default -> PublishResult.sent();
                });
    try (Relay relay =
        outbox
            .relay(publisher)
            .name("shop-relay")
            .shards(32)
            .backoff(Backoff.fixed(Duration.ofHours(1)))
            .build()) {
      relay.runUntilIdle();
    } catch (InterruptedException stop) {
      throw new AssertionError(stop);
    }
  }

  private static String order(int number) {
    return "{\"order\": %d}".formatted(number);
  }

  private static String change(int sku, int pieces) {
    return "{\"sku\": %d, \"change\": %d}".formatted(sku, pieces);
  }

  private static Outcome send(String receipt) {
    if (receipt.contains("1004")) {
      throw new IllegalStateException("Mail server responded 451 4.7.1 Try again later");
    }
    return Outcome.completed();
  }

  static void execute(QueueDatabase database, String... statements) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
