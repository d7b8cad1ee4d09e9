package dev.skipjack.micrometer;

import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.OutboxLag;
import dev.skipjack.outbox.Relay;
import dev.skipjack.outbox.RelayStats;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the state of an outbox and the work of its relays to Micrometer registries. Needs
 * skipjack-outbox. docs/metrics.md lists the meters.
 *
 * <pre>{@code
 * OutboxMetrics.of(outbox).bindTo(registry);
 * OutboxMetrics.of(relay).bindTo(registry);
 * }</pre>
 */
public final class OutboxMetrics {

  /** The time for which values are reported before they are read again. */
  private static final Duration LIFETIME = Duration.ofSeconds(10);

  private record LagMeter(
      String meterName,
      String description,
      @Nullable String baseUnit,
      ToDoubleFunction<OutboxLag> value) {}

  private record RelayMeter(
      String meterName, String description, ToLongFunction<RelayStats> count) {}

  private static final List<LagMeter> LAG =
      List.of(
          new LagMeter(
              "skipjack.outbox.unpublished",
              "Events that are not published and not dead, counted up to 10,000.",
              null,
              OutboxLag::unpublished),
          new LagMeter(
              "skipjack.outbox.lag",
              "Longest time that an event has waited although a relay may publish it now.",
              "seconds",
              lag -> lag.oldest().toMillis() / 1000.0),
          new LagMeter(
              "skipjack.outbox.blocked",
              "Aggregates with a failed event, whose later events wait for it.",
              null,
              OutboxLag::blockedAggregates),
          new LagMeter(
              "skipjack.outbox.dead", "Dead events, counted up to 10,000.", null, OutboxLag::dead));

  private static final String PUBLISHED = "skipjack.relay.published";

  private static final List<RelayMeter> RELAY =
      List.of(
          new RelayMeter(
              PUBLISHED, "Events published, and recorded as such.", RelayStats::published),
          new RelayMeter(
              "skipjack.relay.retried",
              "Failed attempts after which an event is tried again.",
              RelayStats::retried),
          new RelayMeter("skipjack.relay.dead", "Events that became dead.", RelayStats::died),
          new RelayMeter(
              "skipjack.relay.unrecorded",
              "Events that were published but could not be recorded as such.",
              RelayStats::unrecorded),
          new RelayMeter(
              "skipjack.relay.out.of.order",
              "Events sent although an earlier event of their aggregate had failed.",
              RelayStats::outOfOrder),
          new RelayMeter(
              "skipjack.relay.taken.over",
              "Shards taken over from relays whose lease had expired.",
              RelayStats::takenOver),
          new RelayMeter(
              "skipjack.relay.outages",
              "Batches of which nothing could be published.",
              RelayStats::outages));

  private OutboxMetrics() {}

  /**
   * {@return a binder for the gauges of an outbox} A thread that reads a value queries the database
   * if the last query was at least 10 seconds ago. If the query fails, the gauges report NaN.
   *
   * @param outbox the outbox
   */
  public static MeterBinder of(Outbox outbox) {
    return registry -> bind(new LastLag(outbox.admin()::lag, System::nanoTime), registry);
  }

  private static void bind(LastLag lag, MeterRegistry registry) {
    for (LagMeter meter : LAG) {
      Gauge.builder(meter.meterName, () -> lag.value(meter.value))
          .description(meter.description)
          .baseUnit(meter.baseUnit)
          .register(registry);
    }
  }

  /**
   * {@return a binder for the counters of a relay} They have the tag {@code relay}, which contains
   * the relay's name. If a registry has counters of another relay with the same name, the tag is
   * {@code name-2}, and so on.
   *
   * @param relay the relay
   */
  public static MeterBinder of(Relay relay) {
    return registry -> {
      // Another thread may be choosing a name in the same registry.
      synchronized (registry) {
        String name = freeName(registry, relay.name());
        for (RelayMeter meter : RELAY) {
          FunctionCounter.builder(
                  meter.meterName, relay, counted -> meter.count.applyAsLong(counted.stats()))
              .description(meter.description)
              .tag("relay", name)
              .register(registry);
        }
      }
    };
  }

  /**
   * Returns a name that no registered counter uses. A counter with the name of an existing one
   * would silently show the values of the other relay.
   */
  private static String freeName(MeterRegistry registry, String name) {
    String free = name;
    for (int i = 2; registry.find(PUBLISHED).tag("relay", free).meter() != null; i++) {
      free = name + "-" + i;
    }
    return free;
  }

  /** The lag that was read last, so that a scrape of all gauges is one query. Thread-safe. */
  static final class LastLag {

    private final Supplier<OutboxLag> source;
    private final LongSupplier nanoTime;

    private boolean isRead;
    private long readAt;

    /** Null if it could not be read. */
    private @Nullable OutboxLag lag;

    LastLag(Supplier<OutboxLag> source, LongSupplier nanoTime) {
      this.source = source;
      this.nanoTime = nanoTime;
    }

    /** Returns a part of the lag, or NaN if it could not be read. */
    synchronized double value(ToDoubleFunction<OutboxLag> part) {
      if (!isRead || nanoTime.getAsLong() - readAt >= LIFETIME.toNanos()) {
        lag = read();
        // Failed queries count too, because each takes a timeout while the database is unavailable.
        readAt = nanoTime.getAsLong();
        isRead = true;
      }
      return lag == null ? Double.NaN : part.applyAsDouble(lag);
    }

    private @Nullable OutboxLag read() {
      try {
        return source.get();
      } catch (Throwable unavailable) {
        return null;
      }
    }
  }
}
