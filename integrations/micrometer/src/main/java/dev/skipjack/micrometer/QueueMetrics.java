package dev.skipjack.micrometer;

import dev.skipjack.api.operations.Doctor;
import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.HeldLane;
import dev.skipjack.api.operations.JobCount;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.LimitState;
import dev.skipjack.api.operations.PendingAge;
import dev.skipjack.api.operations.QueueState;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Publishes the state of all queues of a schema, and the doctor's findings, to Micrometer
 * registries. docs/metrics.md lists the meters.
 *
 * <pre>{@code
 * QueueMetrics.of(queue.reader(), queue.doctor()).bindTo(registry);
 * }</pre>
 *
 * <p>The values concern the whole schema, so one or two processes suffice. A thread that reads
 * {@code skipjack.queue.readable} queries the database if the last query was at least a minute ago,
 * and so updates the other gauges. Meanwhile, other threads get the last values, or NaN before the
 * first query. If the database cannot be read, {@code skipjack.queue.readable} is 0 and the other
 * gauges are removed.
 */
public final class QueueMetrics implements MeterBinder {

  /** The time for which values are reported before they are read again. */
  private static final Duration LIFETIME = Duration.ofMinutes(1);

  private static final double NOT_CHECKED = Double.NaN;

  private final JobReader reader;
  private final Doctor doctor;
  private final LongSupplier nanoTime;

  QueueMetrics(JobReader reader, Doctor doctor, LongSupplier nanoTime) {
    this.reader = reader;
    this.doctor = doctor;
    this.nanoTime = nanoTime;
  }

  /**
   * {@return a binder for the gauges of the queues}
   *
   * @param reader the queries of the queue; a role that only reads suffices
   * @param doctor the checks of the queue
   */
  public static QueueMetrics of(JobReader reader, Doctor doctor) {
    return new QueueMetrics(reader, doctor, System::nanoTime);
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Bound bound = new Bound(registry);
    Gauge.builder("skipjack.queue.readable", bound, Bound::readIfOld)
        .description("1 if the state of the queues could be read, 0 otherwise.")
        .strongReference(true)
        .register(registry);
  }

  /** The gauges in one registry. Thread-safe. */
  private final class Bound {

    private final MultiGauge jobs;
    private final MultiGauge age;
    private final MultiGauge paused;
    private final MultiGauge running;
    private final MultiGauge held;
    private final MultiGauge level;

    private boolean isRead;
    private long readAt;
    private volatile double readable = NOT_CHECKED;
    private final ReentrantLock reading = new ReentrantLock();

    Bound(MeterRegistry registry) {
      this.jobs =
          MultiGauge.builder("skipjack.queue.jobs")
              .description("Live jobs; an estimate above 10,000.")
              .register(registry);
      this.age =
          MultiGauge.builder("skipjack.queue.age")
              .description("Time that the oldest due job of a queue has waited.")
              .baseUnit("seconds")
              .register(registry);
      this.paused =
          MultiGauge.builder("skipjack.queue.paused")
              .description("1 if the queue is paused, 0 otherwise.")
              .register(registry);
      this.running =
          MultiGauge.builder("skipjack.limit.running")
              .description("Running jobs that count for a limit.")
              .register(registry);
      this.held =
          MultiGauge.builder("skipjack.limit.held")
              .description("Due jobs that a limit or the pause of their group holds.")
              .register(registry);
      this.level =
          MultiGauge.builder("skipjack.doctor.level")
              .description("Result of a check of the doctor: 0 green, 1 yellow, 2 red.")
              .register(registry);
    }

    /** Returns the last value immediately while another thread reads, which may take long. */
    double readIfOld() {
      if (!reading.tryLock()) {
        return readable;
      }
      try {
        if (!isRead || nanoTime.getAsLong() - readAt >= LIFETIME.toNanos()) {
          try {
            readable = read() ? 1 : 0;
          } finally {
            // Failed queries count too, because each takes a timeout while the database is
            // unavailable.
            readAt = nanoTime.getAsLong();
            isRead = true;
          }
        }
        return readable;
      } finally {
        reading.unlock();
      }
    }

    private boolean read() {
      try {
        List<Finding> findings = doctor.run();
        Map<Tags, Long> counts = counts(reader.counts());
        List<PendingAge> ages = reader.oldestPending();
        List<QueueState> states = reader.queues();
        List<LimitState> limits = reader.limits();
        Map<Tags, Long> lanes = held(reader.held());
        show(counts, ages, states, limits, lanes, findings);
        return true;
      } catch (Throwable unavailable) {
        show(Map.of(), List.of(), List.of(), List.of(), Map.of(), List.of());
        return false;
      }
    }

    private void show(
        Map<Tags, Long> counts,
        List<PendingAge> ages,
        List<QueueState> states,
        List<LimitState> limits,
        Map<Tags, Long> lanes,
        List<Finding> findings) {
      jobs.register(rows(counts), true);
      age.register(
          ages.stream()
              .<MultiGauge.Row<?>>map(
                  oldest ->
                      MultiGauge.Row.of(
                          Tags.of("queue", oldest.queue()), oldest.age().toMillis() / 1000.0))
              .toList(),
          true);
      paused.register(
          states.stream()
              .<MultiGauge.Row<?>>map(
                  state ->
                      MultiGauge.Row.of(Tags.of("queue", state.queue()), state.paused() ? 1 : 0))
              .toList(),
          true);
      running.register(
          limits.stream()
              .<MultiGauge.Row<?>>map(
                  limit -> MultiGauge.Row.of(Tags.of("limit", limit.name()), limit.running()))
              .toList(),
          true);
      held.register(rows(lanes), true);
      level.register(
          findings.stream()
              .<MultiGauge.Row<?>>map(
                  finding -> MultiGauge.Row.of(Tags.of("check", finding.check()), levelOf(finding)))
              .toList(),
          true);
    }
  }

  private static List<MultiGauge.Row<?>> rows(Map<Tags, Long> counts) {
    return counts.entrySet().stream()
        .<MultiGauge.Row<?>>map(
            count -> MultiGauge.Row.of(count.getKey(), count.getValue().longValue()))
        .toList();
  }

  /** Sums the held jobs up by queue and cause. There may be too many groups for a tag. */
  private static Map<Tags, Long> held(List<HeldLane> lanes) {
    return lanes.stream()
        .collect(
            Collectors.groupingBy(
                lane ->
                    Tags.of(
                        "queue",
                        lane.queue(),
                        "limit",
                        Objects.requireNonNullElse(lane.limit(), "none"),
                        "cause",
                        lane.cause().name().toLowerCase(Locale.ROOT)),
                Collectors.summingLong(HeldLane::due)));
  }

  private static Map<Tags, Long> counts(List<JobCount> counts) {
    return counts.stream()
        .filter(count -> !count.isOthers())
        .collect(
            Collectors.groupingBy(
                count ->
                    Tags.of(
                        "queue",
                        count.queue(),
                        "status",
                        count.status().name().toLowerCase(Locale.ROOT)),
                Collectors.summingLong(JobCount::jobs)));
  }

  private static double levelOf(Finding finding) {
    return switch (finding.level()) {
      case GREEN -> 0;
      case YELLOW -> 1;
      case RED -> 2;
      case NOT_CHECKED -> NOT_CHECKED;
    };
  }
}
