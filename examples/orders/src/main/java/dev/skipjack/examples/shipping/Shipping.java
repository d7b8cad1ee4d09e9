package dev.skipjack.examples.shipping;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skipjack.outbox.Inbox;
import dev.skipjack.outbox.kafka.KafkaPublisher;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** Consumes the events of orders in a thread, and ships what was placed and then paid. */
final class Shipping implements AutoCloseable {

  private final DSLContext db;
  private final Inbox inbox;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Thread thread = new Thread(this::consume, "shipping");
  private final AtomicInteger records = new AtomicInteger();
  private final AtomicInteger duplicates = new AtomicInteger();
  private volatile @Nullable Throwable failure;

  Shipping(DataSource database, Inbox inbox, String brokers) {
    this.db = DSL.using(database, SQLDialect.POSTGRES);
    this.inbox = inbox;
    this.consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                brokers,
                "group.id",
                "shipping",
                "enable.auto.commit",
                false,
                "auto.offset.reset",
                "earliest"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
  }

  Shipping start() {
    db.execute("CREATE TABLE shipments (order_id bigint PRIMARY KEY, sent boolean NOT NULL)");
    thread.start();
    return this;
  }

  private void consume() {
    try {
      consumer.subscribe(Set.of(Shop.ORDER));
      while (true) {
        ConsumerRecords<byte[], byte[]> next = consumer.poll(Duration.ofSeconds(1));
        next.forEach(this::process);
        consumer.commitSync(); // after the effects, so that a crash repeats records but loses none
      }
    } catch (WakeupException closed) {
      // close() was called
    } catch (RuntimeException | Error failed) {
      failure = failed;
    } finally {
      consumer.close();
    }
  }

  /** Applies an event once: its effect commits together with the inbox's record of its id. */
  private void process(ConsumerRecord<byte[], byte[]> record) {
    UUID event = UUID.fromString(header(record, KafkaPublisher.EVENT_ID));
    String type = header(record, KafkaPublisher.EVENT_TYPE);
    long orderId = Long.parseLong(new String(record.key(), UTF_8));
    boolean isNew =
        db.transactionResult(
            tx ->
                tx.dsl()
                    .connectionResult(
                        connection ->
                            inbox.once(connection, event, () -> apply(tx.dsl(), type, orderId))));
    records.incrementAndGet();
    if (!isNew) {
      duplicates.incrementAndGet();
    }
  }

  private static void apply(DSLContext tx, String type, long orderId) {
    if (type.equals(Shop.PLACED)) {
      tx.execute("INSERT INTO shipments VALUES (?, false)", orderId);
    } else if (tx.execute(
            "UPDATE shipments SET sent = true WHERE order_id = ? AND NOT sent", orderId)
        != 1) {
      throw new IllegalStateException(
          "Order %d was paid before it was placed, or twice.".formatted(orderId));
    }
  }

  private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
    return new String(record.headers().lastHeader(name).value(), UTF_8);
  }

  /** Returns the number of orders that were shipped. */
  int shipments() {
    return db.fetchSingle("SELECT count(*) FROM shipments WHERE sent").get(0, Integer.class);
  }

  /**
   * Returns the number of consumed records.
   *
   * @throws IllegalStateException if the consumer has failed
   */
  int records() {
    Throwable failed = failure;
    if (failed != null) {
      throw new IllegalStateException("The consumer has failed.", failed);
    }
    return records.get();
  }

  /** Returns the number of records that the inbox has recognized as duplicates. */
  int duplicates() {
    return duplicates.get();
  }

  @Override
  public void close() {
    consumer.wakeup();
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
