package dev.skipjack.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.OutboxLag;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.Publisher;
import dev.skipjack.outbox.Relay;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

@QueueTest
class OutboxMetricsTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  // snippet: bind
  static void measure(Outbox outbox, Relay relay, MeterRegistry registry) {
    OutboxMetrics.of(outbox).bindTo(registry);
    OutboxMetrics.of(relay).bindTo(registry);
  }

  // end of snippet

  @Test
  void theStateOfTheOutboxAndTheWorkOfARelayAreMeasured(QueueDatabase database) throws Exception {
    Outbox outbox = outbox(database);
    record(database, outbox, "1", "good");
    record(database, outbox, "2", "bad");
    record(database, outbox, "2", "good");
    Publisher publisher =
        Publisher.each(
            event ->
                event.text().contains("bad") ? PublishResult.dead("bad") : PublishResult.sent());
    try (Relay relay = outbox.relay(publisher).name("orders-1").build()) {
      relay.runUntilIdle();
      measure(outbox, relay, registry);

      assertThat(gauge("skipjack.outbox.unpublished")).isEqualTo(1);
      assertThat(gauge("skipjack.outbox.dead")).isEqualTo(1);
      assertThat(gauge("skipjack.outbox.blocked")).isEqualTo(1);
      assertThat(gauge("skipjack.outbox.lag")).isZero();
      assertThat(count("skipjack.relay.published", "orders-1")).isEqualTo(1);
      assertThat(count("skipjack.relay.dead", "orders-1")).isEqualTo(1);
      assertThat(count("skipjack.relay.retried", "orders-1")).isZero();
    }
  }

  @Test
  void theLagIsTheAgeOfTheOldestEvent(QueueDatabase database) throws SQLException {
    Outbox outbox = outbox(database);
    record(database, outbox, "1", "good");
    try (Connection connection = database.connection();
        var statement = connection.createStatement()) {
      statement.execute(
          "UPDATE %s.outbox_events SET recorded_at = now() - interval '90 s'"
              .formatted(database.schema()));
    }
    OutboxMetrics.of(outbox).bindTo(registry);

    assertThat(gauge("skipjack.outbox.lag")).isBetween(90.0, 9_000.0);
    assertThat(registry.get("skipjack.outbox.lag").gauge().getId().getBaseUnit())
        .isEqualTo("seconds");
  }

  @Test
  void anUnavailableDatabaseGivesNaN(QueueDatabase database) {
    HikariDataSource pool = database.newDataSource(1);
    Outbox outbox = Outbox.on(JobQueue.builder(pool).schema(database.schema()).build());
    pool.close();
    OutboxMetrics.of(outbox).bindTo(registry);

    assertThat(registry.getMeters()).hasSize(4);
    assertThat(registry.getMeters())
        .allSatisfy(meter -> assertThat(gauge(meter.getId().getName())).isNaN());
  }

  @Test
  void aScrapeOfAllGaugesIsOneQuery() {
    AtomicLong clock = new AtomicLong();
    AtomicInteger queries = new AtomicInteger();
    AtomicBoolean available = new AtomicBoolean(true);
    OutboxMetrics.LastLag lag =
        new OutboxMetrics.LastLag(
            () -> {
              int query = queries.incrementAndGet();
              if (!available.get()) {
                throw new IllegalStateException("The database is unavailable.");
              }
              return new OutboxLag(query, Duration.ZERO, 0, 0);
            },
            clock::get);

    assertThat(lag.value(OutboxLag::unpublished)).isEqualTo(1);
    assertThat(lag.value(OutboxLag::dead)).isZero();
    clock.set(Duration.ofSeconds(10).toNanos());
    available.set(false);
    assertThat(lag.value(OutboxLag::unpublished)).isNaN();
    assertThat(lag.value(OutboxLag::dead)).isNaN();
    assertThat(queries).hasValue(2);
    clock.set(Duration.ofSeconds(20).toNanos());
    available.set(true);
    assertThat(lag.value(OutboxLag::unpublished)).isEqualTo(3);
  }

  @Test
  void twoRelaysOfOneNameHaveCountersOfTheirOwn(QueueDatabase database) throws Exception {
    Outbox outbox = outbox(database);
    Publisher publisher = Publisher.each(event -> PublishResult.sent());
    try (Relay idle = outbox.relay(publisher).name("orders").build();
        Relay busy = outbox.relay(publisher).name("orders").build()) {
      OutboxMetrics.of(idle).bindTo(registry);
      OutboxMetrics.of(busy).bindTo(registry);
      record(database, outbox, "1", "good");
      busy.runUntilIdle();

      assertThat(count("skipjack.relay.published", "orders")).isZero();
      assertThat(count("skipjack.relay.published", "orders-2")).isEqualTo(1);
    }
  }

  @Test
  void theDocumentHasEveryMeter(QueueDatabase database) throws IOException {
    Outbox outbox = outbox(database);
    try (Relay relay = outbox.relay(Publisher.each(event -> PublishResult.sent())).build()) {
      measure(outbox, relay, registry);
    }
    String document = Files.readString(Path.of("../../docs/metrics.md"));

    assertThat(registry.getMeters()).hasSize(11);
    for (Meter meter : registry.getMeters()) {
      assertThat(document)
          .contains(
              "| `%s` | %s |"
                  .formatted(
                      meter.getId().getName(),
                      meter.getId().getType() == Meter.Type.GAUGE ? "gauge" : "counter"));
    }
  }

  private static Outbox outbox(QueueDatabase database) {
    return Outbox.on(JobQueue.builder(database.dataSource()).schema(database.schema()).build());
  }

  private static void record(QueueDatabase database, Outbox outbox, String order, String payload)
      throws SQLException {
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      outbox.in(connection).record(Event.of("order", order, "order-placed").payload(payload));
      connection.commit();
    }
  }

  private double gauge(String name) {
    return registry.get(name).gauge().value();
  }

  private double count(String name, String relay) {
    return registry.get(name).tag("relay", relay).functionCounter().count();
  }
}
