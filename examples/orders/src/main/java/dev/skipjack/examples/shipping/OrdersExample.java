package dev.skipjack.examples.shipping;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.embedded.EmbeddedPostgres;
import dev.skipjack.migrations.Migrations;
import dev.skipjack.outbox.Inbox;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.Relay;
import dev.skipjack.outbox.kafka.KafkaPublisher;
import dev.skipjack.store.jooq.JobQueue;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * Creates orders, sends their events to Kafka, and ships each order once.
 *
 * <p>What goes wrong: some orders are rolled back, and the first relay crashes after it has
 * published a batch. The second one publishes that batch again, and the inbox drops the duplicates.
 */
public final class OrdersExample {

  private static final int ORDERS = 200;

  /** Every tenth order is out of stock. */
  private static final int OUT_OF_STOCK = 10;

  private static final int BATCH = 20;
  private static final Duration LEASE = Duration.ofSeconds(3);
  private static final long LIMIT_MINUTES = 3;

  private OrdersExample() {}

  /**
   * The counts at the end of the example.
   *
   * @param events events that were recorded in committed transactions, and published
   * @param records records in Kafka
   */
  record Counts(
      int orders, int rolledBack, int events, long records, int duplicates, int shipments) {

    boolean areRight() {
      return shipments == orders && events == 2 * orders && records == events + duplicates;
    }

    String table() {
      return """
          orders placed            %,6d
          orders rolled back       %,6d
          events recorded          %,6d
          records in Kafka         %,6d
          duplicates dropped       %,6d
          orders shipped           %,6d
          """
          .formatted(orders, rolledBack, events, records, duplicates, shipments);
    }
  }

  /** Runs the example with servers of its own. */
  public static void main(String[] args) throws Exception {
    Counts counts = run(ORDERS, System.out);
    if (!counts.areRight()) {
      throw new IllegalStateException("The counts do not agree.");
    }
  }

  static Counts run(int orders, PrintStream out) throws Exception {
    out.println("starting PostgreSQL and Kafka");
    try (EmbeddedPostgres server =
            EmbeddedPostgres.builder().purpose("orders").fresh(true).start();
        KafkaBroker broker = KafkaBroker.start();
        HikariDataSource shopDatabase = database(server, "shop");
        HikariDataSource shippingDatabase = database(server, "shipping")) {
      broker.createTopic(Shop.ORDER, 3);
      Outbox outbox = Outbox.on(JobQueue.on(shopDatabase));
      Shop shop = new Shop(shopDatabase, outbox);
      shop.createTables();
      Inbox inbox = Inbox.on(JobQueue.on(shippingDatabase), "shipping");
      try (Shipping shipping = new Shipping(shippingDatabase, inbox, broker.address()).start();
          KafkaPublisher kafka =
              KafkaPublisher.to(Map.of("bootstrap.servers", broker.address())).build()) {
        int rolledBack = publishWithACrash(shop, outbox, kafka, orders, out);
        await("all records to be consumed", () -> shipping.records() == broker.records(Shop.ORDER));
        Counts counts =
            new Counts(
                shop.orders(),
                rolledBack,
                shop.publishedEvents(),
                broker.records(Shop.ORDER),
                shipping.duplicates(),
                shipping.shipments());
        out.print(counts.table());
        return counts;
      }
    }
  }

  /** Returns the number of orders that were rolled back. */
  private static int publishWithACrash(
      Shop shop, Outbox outbox, KafkaPublisher kafka, int orders, PrintStream out)
      throws InterruptedException {
    CrashingPublisher crashing = new CrashingPublisher(kafka, orders / 2);
    int rolledBack = 0;
    try (Relay first = relay(outbox.relay(crashing).name("relay-1")).start()) {
      for (int i = 1; i <= orders; i++) {
        try {
          shop.pay(shop.place(i % 5 + 1, i % OUT_OF_STOCK != 0));
        } catch (Shop.OutOfStock expected) {
          rolledBack++;
        }
      }
      await("the first relay to crash", crashing::hasCrashed);
      out.printf(
          "relay-1 crashed after publishing a batch; it has recorded %d events as published%n",
          first.stats().published());
      try (Relay second = relay(outbox.relay(kafka).name("relay-2")).start()) {
        await("all events to be published", () -> outbox.admin().lag().unpublished() == 0);
        out.printf(
            "relay-2 took over %d shards and published the rest%n", second.stats().takenOver());
      }
    }
    return rolledBack;
  }

  private static Relay relay(Relay.Builder builder) {
    return builder.batchSize(BATCH).lease(LEASE).build();
  }

  private static HikariDataSource database(EmbeddedPostgres server, String name) {
    try (HikariDataSource postgres = pool(server.jdbcUrl("postgres"))) {
      DSL.using(postgres, SQLDialect.POSTGRES).execute("CREATE DATABASE " + name);
    }
    HikariDataSource created = pool(server.jdbcUrl(name));
    Migrations.migrate(created);
    return created;
  }

  private static HikariDataSource pool(String jdbcUrl) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(jdbcUrl);
    config.setMaximumPoolSize(5);
    return new HikariDataSource(config);
  }

  private static void await(String what, BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(LIMIT_MINUTES);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("Waited %d min for %s.".formatted(LIMIT_MINUTES, what));
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }
}
