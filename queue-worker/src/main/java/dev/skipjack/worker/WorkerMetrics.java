package dev.skipjack.worker;

import dev.skipjack.api.WorkerId;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * Receives the measurements of a worker: a port for monitoring libraries. An exception from it is
 * logged once and does no harm.
 *
 * <p>The threads that claim jobs, run handlers, write outcomes and renew leases call it directly,
 * many at once and several times for each job; a {@link WorkerListener} is called asynchronously. A
 * call must therefore not block: no network, no database, no lock that another thread may hold for
 * a long time. There are two calls for each claimed job, so if each takes a millisecond, a worker
 * can claim at most 500 jobs a second. A call that hangs can stop the renewal of leases, and other
 * workers then run the jobs again. Add to a counter in memory, and let another thread send it.
 */
public interface WorkerMetrics {

  /** Measures nothing. */
  WorkerMetrics NONE =
      new WorkerMetrics() {
        @Override
        public void count(WorkerMeter counter, String queue, String kind) {}

        @Override
        public void count(WorkerMeter counter, long times, String worker) {}

        @Override
        public void record(WorkerMeter timer, Duration took, String queue, String kind) {}

        @Override
        public void record(WorkerMeter timer, Duration took, String worker) {}

        @Override
        public Runnable gauge(WorkerMeter gauge, WorkerId worker, DoubleSupplier value) {
          return () -> {};
        }
      };

  /** Increments a meter of jobs by one. */
  void count(WorkerMeter counter, String queue, String kind);

  /**
   * Increments a meter of the worker.
   *
   * @param times the increment; at least 1
   */
  void count(WorkerMeter counter, long times, String worker);

  /** Records a duration in a meter of jobs. */
  void record(WorkerMeter timer, Duration took, String queue, String kind);

  /** Records a duration in a meter of the worker. */
  void record(WorkerMeter timer, Duration took, String worker);

  /**
   * Registers a gauge whose value the monitoring library reads whenever it needs it.
   *
   * @param worker the worker that the value belongs to; no two workers are equal, even if they have
   *     the same name
   * @param value reads the current value, from any thread and without blocking; it keeps the worker
   *     in memory until the gauge is removed
   * @return an action that removes the gauge; called once, when the worker stops
   */
  Runnable gauge(WorkerMeter gauge, WorkerId worker, DoubleSupplier value);
}
