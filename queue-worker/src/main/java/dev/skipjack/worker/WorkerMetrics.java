package dev.skipjack.worker;

import dev.skipjack.api.WorkerId;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * Receives the measurements of a worker: a port for monitoring libraries. An exception from it is
 * logged once and does no harm.
 *
 * <p>Many threads call it at once, several times for each job and, unlike a {@link WorkerListener},
 * in the middle of the work: the threads that claim, run handlers, write outcomes and renew leases.
 * It must therefore not block: no network, no database, no lock that another thread may hold for
 * long. There are two calls for each claimed job, so calls of a millisecond limit a worker to 500
 * claimed jobs a second. A call that hangs can stop the renewal of leases, and other workers then
 * run the jobs again. Add to a counter in memory, and let another thread send it.
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

  /** Counts one of a job's meters up by one. */
  void count(WorkerMeter counter, String queue, String kind);

  /**
   * Counts one of a worker's own meters up.
   *
   * @param times by how much; at least 1
   */
  void count(WorkerMeter counter, long times, String worker);

  /** Records a duration of a job's meter. */
  void record(WorkerMeter timer, Duration took, String queue, String kind);

  /** Records a duration of a worker's own meter. */
  void record(WorkerMeter timer, Duration took, String worker);

  /**
   * Shows a value that the monitoring library reads whenever it needs it.
   *
   * @param worker the worker that the value belongs to; no two workers are equal, even if they have
   *     one name
   * @param value reads the current value, from any thread and without blocking; it keeps the worker
   *     in memory until the gauge is removed
   * @return removes the gauge; called once, when the worker stops
   */
  Runnable gauge(WorkerMeter gauge, WorkerId worker, DoubleSupplier value);
}
