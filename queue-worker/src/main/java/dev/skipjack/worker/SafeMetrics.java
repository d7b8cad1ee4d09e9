package dev.skipjack.worker;

import static dev.skipjack.worker.WorkerLog.LOG;

import dev.skipjack.api.WorkerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * Protects the worker from exceptions of its metrics: the first one is logged, later ones are
 * ignored.
 */
final class SafeMetrics {

  private static final double NANOS_PER_SECOND = 1e9;

  private final WorkerMetrics metrics;
  private final AtomicBoolean failed = new AtomicBoolean();

  SafeMetrics(WorkerMetrics metrics) {
    this.metrics = metrics;
  }

  void count(WorkerMeter counter, AttemptInfo attempt) {
    count(counter, attempt.queue(), attempt.kind());
  }

  void count(WorkerMeter counter, String queue, String kind) {
    try {
      metrics.count(counter, queue, kind);
    } catch (Throwable thrown) {
      failed(thrown);
    }
  }

  void count(WorkerMeter counter, long times, String worker) {
    try {
      metrics.count(counter, times, worker);
    } catch (Throwable thrown) {
      failed(thrown);
    }
  }

  void record(WorkerMeter timer, Duration took, AttemptInfo attempt) {
    try {
      metrics.record(timer, took, attempt.queue(), attempt.kind());
    } catch (Throwable thrown) {
      failed(thrown);
    }
  }

  void record(WorkerMeter timer, long nanos, String worker) {
    try {
      metrics.record(timer, Duration.ofNanos(nanos), worker);
    } catch (Throwable thrown) {
      failed(thrown);
    }
  }

  /** Registers all gauges of a worker. The returned action removes them. */
  Runnable gauges(WorkerId worker, Supplier<WorkerStatus> status, Supplier<WorkerHealth> health) {
    List<Runnable> removals = new ArrayList<>();
    show(removals, WorkerMeter.BUFFERED, worker, () -> status.get().buffered());
    show(removals, WorkerMeter.RUNNING, worker, () -> status.get().running());
    show(removals, WorkerMeter.UNWRITTEN, worker, () -> status.get().unwritten());
    show(removals, WorkerMeter.STUCK_NOW, worker, () -> status.get().stuck());
    show(removals, WorkerMeter.LAG, worker, () -> seconds(health.get().lag()));
    show(
        removals,
        WorkerMeter.POLL_AGE,
        worker,
        () -> health.get().sinceLastPoll().map(SafeMetrics::seconds).orElse(Double.NaN));
    show(
        removals,
        WorkerMeter.SCHEDULE_OVERDUE,
        worker,
        () -> seconds(health.get().scheduleOverdue()));
    return () -> removals.forEach(this::run);
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / NANOS_PER_SECOND;
  }

  private void show(
      List<Runnable> removals, WorkerMeter gauge, WorkerId worker, DoubleSupplier value) {
    try {
      removals.add(metrics.gauge(gauge, worker, value));
    } catch (Throwable thrown) {
      failed(thrown);
    }
  }

  private void run(Runnable removal) {
    try {
      removal.run();
    } catch (Throwable thrown) {
      failed(thrown);
    }
  }

  private void failed(Throwable thrown) {
    if (failed.compareAndSet(false, true)) {
      LOG.warn(
          "Metrics failed; further failures are not logged metrics={}",
          metrics.getClass().getName(),
          thrown);
    }
  }
}
