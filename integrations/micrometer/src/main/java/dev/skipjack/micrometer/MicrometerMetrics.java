package dev.skipjack.micrometer;

import dev.skipjack.api.WorkerId;
import dev.skipjack.worker.WorkerMeter;
import dev.skipjack.worker.WorkerMetrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;

/**
 * Publishes the metrics of workers to a Micrometer registry, using the names in {@link
 * WorkerMeter}. Meters that concern jobs have the tags {@code queue} and {@code kind}; meters that
 * concern a worker have the tag {@code worker}, which contains its name. If the gauges of a worker
 * with the same name are already registered, the gauges of the next worker are tagged {@code
 * name-2}, and so on. The counters and timers of workers with the same name are combined.
 *
 * <pre>{@code
 * Worker.on(queue)...metrics(new MicrometerMetrics(registry)).start();
 * }</pre>
 *
 * <p>Instances are thread-safe and can be shared by several workers.
 */
public final class MicrometerMetrics implements WorkerMetrics {

  private record Key(WorkerMeter meter, String first, String second) {}

  private final MeterRegistry registry;
  private final Map<Key, Counter> counters = new ConcurrentHashMap<>();
  private final Map<Key, Timer> timers = new ConcurrentHashMap<>();

  /** The tag of each worker whose gauges are registered. */
  private final Map<WorkerId, String> shownAs = new HashMap<>();

  /**
   * Creates an instance that publishes to {@code registry}. It neither configures nor closes the
   * registry.
   *
   * @param registry the registry
   */
  public MicrometerMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void count(WorkerMeter counter, String queue, String kind) {
    counter(new Key(counter, queue, kind), Tags.of("queue", queue, "kind", kind)).increment();
  }

  @Override
  public void count(WorkerMeter counter, long times, String worker) {
    counter(new Key(counter, worker, ""), Tags.of("worker", worker)).increment((double) times);
  }

  @Override
  public void record(WorkerMeter timer, Duration took, String queue, String kind) {
    timer(new Key(timer, queue, kind), Tags.of("queue", queue, "kind", kind)).record(took);
  }

  @Override
  public void record(WorkerMeter timer, Duration took, String worker) {
    timer(new Key(timer, worker, ""), Tags.of("worker", worker)).record(took);
  }

  private Counter counter(Key key, Tags tags) {
    return counters.computeIfAbsent(
        key,
        absent ->
            Counter.builder(key.meter().meterName())
                .description(key.meter().description())
                .tags(tags)
                .register(registry));
  }

  private Timer timer(Key key, Tags tags) {
    return timers.computeIfAbsent(
        key,
        absent ->
            Timer.builder(key.meter().meterName())
                .description(key.meter().description())
                .tags(tags)
                .register(registry));
  }

  @Override
  public Runnable gauge(WorkerMeter gauge, WorkerId worker, DoubleSupplier value) {
    // Another instance may be choosing a name in the same registry.
    synchronized (registry) {
      Gauge registered =
          Gauge.builder(gauge.meterName(), value::getAsDouble)
              .description(gauge.description())
              .baseUnit(gauge.baseUnit())
              .tags("worker", shownAs.computeIfAbsent(worker, id -> freeName(gauge, id.name())))
              .register(registry);
      return () -> remove(registered, worker);
    }
  }

  private void remove(Gauge gauge, WorkerId worker) {
    synchronized (registry) {
      registry.remove(gauge);
      shownAs.remove(worker);
    }
  }

  /**
   * Returns a name that no registered gauge uses. A gauge with the name of an existing one would
   * silently show the values of the other worker.
   */
  private String freeName(WorkerMeter gauge, String name) {
    String free = name;
    for (int i = 2; registry.find(gauge.meterName()).tags("worker", free).gauge() != null; i++) {
      free = name + "-" + i;
    }
    return free;
  }
}
