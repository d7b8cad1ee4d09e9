package dev.skipjack.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Monitoring that cannot harm the work: what it throws is logged once. */
final class SafeMetrics {

  private static final Logger log = LoggerFactory.getLogger(Worker.class);
  private static final double NANOS = 1e9;

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

  /** Shows all gauges of a worker until the answer is run. */
  Runnable gauges(Worker worker) {
    List<Runnable> removals = new ArrayList<>();
    show(removals, WorkerMeter.BUFFERED, worker, shown -> shown.status().buffered());
    show(removals, WorkerMeter.RUNNING, worker, shown -> shown.status().running());
    show(removals, WorkerMeter.UNWRITTEN, worker, shown -> shown.status().unwritten());
    show(removals, WorkerMeter.STUCK_NOW, worker, shown -> shown.status().stuck());
    show(removals, WorkerMeter.LAG, worker, shown -> shown.health().lag().toNanos() / NANOS);
    show(
        removals,
        WorkerMeter.POLL_AGE,
        worker,
        shown ->
            shown.health().sinceLastPoll().map(age -> age.toNanos() / NANOS).orElse(Double.NaN));
    return () -> removals.forEach(this::run);
  }

  private void show(
      List<Runnable> removals, WorkerMeter gauge, Worker worker, ToDoubleFunction<Worker> value) {
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
      log.warn(
          "Monitoring failed, which is said once metrics={}", metrics.getClass().getName(), thrown);
    }
  }
}
