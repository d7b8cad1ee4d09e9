package dev.skipjack.worker;

import java.time.Duration;
import java.util.function.ToDoubleFunction;

/**
 * Where a worker's measurements go: a port for monitoring libraries. What it throws is logged once
 * and harms nothing.
 *
 * <p>Called by many threads at once, several times for every job, and unlike a {@link
 * WorkerListener} in the midst of the work: by the threads that claim, run handlers, write outcomes
 * and renew leases. So it must not block: no network, no database, no lock that somebody holds for
 * long. There are two calls for each claimed job, so calls of a millisecond let a worker claim no
 * more than 500 jobs a second. One that hangs may end the renewal of leases, and other workers run
 * the jobs again. Add to a counter in memory, and let another thread send it.
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
        public Runnable gauge(WorkerMeter gauge, Worker worker, ToDoubleFunction<Worker> value) {
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
   * Shows a value that is asked for whenever somebody looks.
   *
   * @param worker whose it is; it should not be kept from the garbage collector by this
   * @return takes the gauge away; called once, when the worker stops
   */
  Runnable gauge(WorkerMeter gauge, Worker worker, ToDoubleFunction<Worker> value);
}
