package dev.skipjack.worker;

import java.time.Duration;
import java.util.function.ToDoubleFunction;

/**
 * Where a worker's measurements go: a port for monitoring libraries. Called by many threads at
 * once, for every job; it should be quick. What it throws is logged once and harms nothing.
 */
public interface WorkerMetrics {

  /** Measures nothing. */
  WorkerMetrics NONE =
      new WorkerMetrics() {
        @Override
        public void count(WorkerMeter counter, String queue, String kind) {}

        @Override
        public void count(WorkerMeter counter, String worker) {}

        @Override
        public void record(WorkerMeter timer, Duration took, String queue, String kind) {}

        @Override
        public void record(WorkerMeter timer, Duration took, String worker) {}

        @Override
        public Runnable gauge(WorkerMeter gauge, Worker worker, ToDoubleFunction<Worker> value) {
          return () -> {};
        }
      };

  /** Counts one of a job's meters up by one. */
  void count(WorkerMeter counter, String queue, String kind);

  /** Counts one of a worker's own meters up by one. */
  void count(WorkerMeter counter, String worker);

  /** Records a duration of a job's meter. */
  void record(WorkerMeter timer, Duration took, String queue, String kind);

  /** Records a duration of a worker's own meter. */
  void record(WorkerMeter timer, Duration took, String worker);

  /**
   * Shows a value that is asked for whenever somebody looks.
   *
   * @param worker whose it is; it should not be kept from the garbage collector by this
   * @return takes the gauge away; called once, when the worker stops
   */
  Runnable gauge(WorkerMeter gauge, Worker worker, ToDoubleFunction<Worker> value);
}
