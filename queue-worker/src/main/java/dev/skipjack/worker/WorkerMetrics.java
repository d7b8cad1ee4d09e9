package dev.skipjack.worker;

import dev.skipjack.api.WorkerId;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * Receives the measurements of a worker and passes them to a monitoring library. The first
 * exception that it throws is logged. Exceptions never affect the worker.
 *
 * <p>Unlike a {@link WorkerListener}, it is called by the threads that claim jobs, run handlers,
 * write outcomes and renew leases. Many threads call it at once, several times for each job. A call
 * must therefore not block, which rules out network access, database access, and locks that another
 * thread may hold for a long time. A claim makes two calls for each job, so if a call takes a
 * millisecond, a worker can claim at most 500 jobs per second. A call that hangs can stop the
 * renewal of leases, so that other workers run the jobs again. Add the value to a counter in
 * memory, and let another thread send the counter.
 */
public interface WorkerMetrics {

  /** Ignores all measurements. */
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

  /**
   * Increments a meter of jobs by one.
   *
   * @param counter a meter of the type {@link WorkerMeter.Type#COUNTER}
   * @param queue the job's queue
   * @param kind the job's kind
   */
  void count(WorkerMeter counter, String queue, String kind);

  /**
   * Increments a meter of the worker.
   *
   * @param counter a meter of the type {@link WorkerMeter.Type#COUNTER}
   * @param times the increment; at least 1
   * @param worker the worker's name
   */
  void count(WorkerMeter counter, long times, String worker);

  /**
   * Records a duration in a meter of jobs.
   *
   * @param timer a meter of the type {@link WorkerMeter.Type#TIMER}
   * @param took the measured duration
   * @param queue the job's queue
   * @param kind the job's kind
   */
  void record(WorkerMeter timer, Duration took, String queue, String kind);

  /**
   * Records a duration in a meter of the worker.
   *
   * @param timer a meter of the type {@link WorkerMeter.Type#TIMER}
   * @param took the measured duration
   * @param worker the worker's name
   */
  void record(WorkerMeter timer, Duration took, String worker);

  /**
   * Registers a gauge, whose value the monitoring library may read at any time.
   *
   * @param gauge a meter of the type {@link WorkerMeter.Type#GAUGE}
   * @param worker the worker to which the value belongs; no two workers are equal, even if they
   *     have the same name
   * @param value supplies the current value; any thread may call it, and it never blocks. The
   *     supplier keeps the worker in memory until the gauge is removed
   * @return an action that removes the gauge; called once, when the worker stops
   */
  Runnable gauge(WorkerMeter gauge, WorkerId worker, DoubleSupplier value);
}
