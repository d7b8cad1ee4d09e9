package dev.skipjack.micrometer;

import dev.skipjack.api.JobType;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.Publisher;
import dev.skipjack.outbox.Relay;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.worker.WorkerMeter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The meters that docs/metrics.md lists, in its order, with their names in Prometheus. */
final class MeterTable {

  private static final Path PAGE = Path.of("../../docs/metrics.md");

  private static final Pattern ROW =
      Pattern.compile("^\\| `(skipjack\\.[a-z.]+)` \\| [a-z]+ \\| (.*) \\|$", Pattern.MULTILINE);

  /**
   * A meter.
   *
   * @param meaning its description on the page
   */
  record Listed(Meter.Id id, String meaning) {

    String name() {
      return id.getName();
    }

    boolean isTimer() {
      return id.getType() == Meter.Type.TIMER;
    }

    boolean isCounter() {
      return id.getType() == Meter.Type.COUNTER;
    }

    boolean isInSeconds() {
      return isTimer() || "seconds".equals(id.getBaseUnit());
    }

    List<String> tags() {
      return id.getTags().stream().map(Tag::getKey).toList();
    }

    /** Returns the name that Micrometer's Prometheus registry gives the meter. */
    String prometheus() {
      String words = name().replace('.', '_');
      return isCounter() ? words + "_total" : isInSeconds() ? words + "_seconds" : words;
    }

    /** Returns the names of its series. */
    Stream<String> series() {
      return isTimer()
          ? Stream.of("_count", "_sum", "_max").map(suffix -> prometheus() + suffix)
          : Stream.of(prometheus());
    }
  }

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Map<String, Listed> meters = new LinkedHashMap<>();

  /** Registers every meter, and reads the page. */
  MeterTable(QueueDatabase database) throws IOException {
    JobQueue queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
    Outbox outbox = Outbox.on(queue);
    try (Relay relay = outbox.relay(Publisher.each(event -> PublishResult.sent())).build()) {
      OutboxMetricsTest.measure(outbox, relay, registry);
    }
    register(new MicrometerMetrics(registry));
    JobType<String> type = JobType.of("work", String.class);
    queue.enqueue(type, "");
    queue.admin().pause("default");
    queue.admin().limit("none", Limit.none().running(0));
    queue.admin().configure("limited", QueueSettings.defaults().limitedBy("none"));
    queue.enqueue(type.onQueue("limited"), "");
    QueueMetrics.of(queue.reader(), queue.doctor()).bindTo(registry);
    double ignored = registry.get("skipjack.queue.readable").gauge().value();
    for (MatchResult row : ROW.matcher(Files.readString(PAGE)).results().toList()) {
      Meter.Id id = registry.get(row.group(1)).meter().getId();
      meters.put(row.group(1), new Listed(id, row.group(2)));
    }
  }

  private static void register(MicrometerMetrics metrics) {
    WorkerId worker = WorkerId.boot("w");
    for (WorkerMeter meter : WorkerMeter.values()) {
      boolean ofJobs = meter.meterName().startsWith("skipjack.jobs.");
      switch (meter.type()) {
        case COUNTER -> {
          if (ofJobs) {
            metrics.count(meter, "q", "k");
          } else {
            metrics.count(meter, 1, "w");
          }
        }
        case TIMER -> {
          if (ofJobs) {
            metrics.record(meter, Duration.ZERO, "q", "k");
          } else {
            metrics.record(meter, Duration.ZERO, "w");
          }
        }
        case GAUGE -> {
          Runnable ignored = metrics.gauge(meter, worker, () -> 0);
        }
      }
    }
  }

  List<Listed> all() {
    return List.copyOf(meters.values());
  }

  /** Returns the names of the series that Micrometer's Prometheus registry publishes. */
  Set<String> published() {
    return registry
        .scrape()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("[{ ]", 2)[0])
        .collect(Collectors.toSet());
  }

  /** Returns the meter with this name, which must be listed. */
  Listed get(String name) {
    Listed meter = meters.get(name);
    if (meter == null) {
      throw new IllegalArgumentException("There is no meter '%s'.".formatted(name));
    }
    return meter;
  }
}
