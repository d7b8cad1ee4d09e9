package dev.skipjack.micrometer;

import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerMeter;
import dev.skipjack.worker.WorkerMetrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

/**
 * A worker's measurements in a Micrometer registry, under the names of {@link WorkerMeter}. Meters
 * of jobs have the tags {@code queue} and {@code kind}, the worker's own the tag {@code worker}.
 *
 * <pre>{@code
 * Worker.on(queue)...metrics(new MicrometerMetrics(registry)).start();
 * }</pre>
 *
 * <p>Safe for any number of threads; one may serve several workers.
 */
public final class MicrometerMetrics implements WorkerMetrics {

  private record Key(WorkerMeter meter, String first, String second) {}

  private final MeterRegistry registry;
  private final Map<Key, Counter> counters = new ConcurrentHashMap<>();
  private final Map<Key, Timer> timers = new ConcurrentHashMap<>();

  /** Into {@code registry}, which is neither configured nor closed. */
  public MicrometerMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void count(WorkerMeter counter, String queue, String kind) {
    counters
        .computeIfAbsent(
            new Key(counter, queue, kind),
            key ->
                Counter.builder(counter.meterName())
                    .description(counter.description())
                    .tags("queue", queue, "kind", kind)
                    .register(registry))
        .increment();
  }

  @Override
  public void record(WorkerMeter timer, Duration took, String queue, String kind) {
    timer(new Key(timer, queue, kind), Tags.of("queue", queue, "kind", kind)).record(took);
  }

  @Override
  public void record(WorkerMeter timer, Duration took, String worker) {
    timer(new Key(timer, worker, ""), Tags.of("worker", worker)).record(took);
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
  public Runnable gauge(WorkerMeter gauge, Worker worker, ToDoubleFunction<Worker> value) {
    Gauge registered =
        Gauge.builder(gauge.meterName(), worker, value)
            .description(gauge.description())
            .tags("worker", worker.id().name())
            .register(registry);
    return () -> registry.remove(registered);
  }
}
