package dev.skipjack.rivals;

import dev.skipjack.benchmarks.LatencyProducer.Target;
import java.sql.SQLException;
import java.time.Instant;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A job queue, used as an application would use it: through its public API, with the settings that
 * its documentation recommends, and with its tables in a separate schema.
 */
interface Contender {

  /** An open library that can enqueue jobs, and runs them if it was given a handler. */
  interface Session extends AutoCloseable {

    /** Enqueues job {@code n}, due at once, and commits it. Safe for any number of threads. */
    void enqueue(long n) throws Exception;

    /** Enqueues jobs 1 to {@code jobs} in the fastest way that the library offers. */
    void enqueueAll(long jobs) throws Exception;

    /** Returns the CPU time of the processes that this session has started, in nanoseconds. */
    default long childCpuNanos() {
      return 0;
    }

    /** Stops the workers, after running handlers have finished. */
    @Override
    void close();
  }

  /** Receives the start of each job. Safe for any number of threads. */
  @FunctionalInterface
  interface Starts {

    /**
     * Adds the start of job {@code n}.
     *
     * @param epochMicros when the job began, in microseconds since 1970
     */
    void add(long n, long epochMicros);

    /** Adds the start of job {@code n}, which begins now. */
    default void add(long n) {
      add(n, HandledJobs.epochMicros(Instant.now()));
    }
  }

  /** Returns the title of the contender's column. */
  String name();

  /** Returns the library's version and the chosen settings. */
  String setup();

  /** Returns how a worker finds a new job: by a poll, or by a wake-up, and from which process. */
  String wakeUp();

  /** Returns the data that the library keeps about a finished job. */
  String history();

  /**
   * Returns whether the contender takes part in a phase. The second mode of a library skips the
   * phases in which both modes behave in the same way.
   */
  boolean takesPart(Phase phase);

  /** Returns whether a process other than the worker's enqueues the jobs in the pickup phase. */
  boolean enqueuesElsewhere();

  /**
   * Returns where a separate process enqueues the jobs of the pickup phase, or null if this process
   * does.
   */
  @Nullable Target producer();

  /** Opens a connection pool of the size that the library's documentation recommends. */
  DataSource pool();

  /**
   * Returns the approximate number of jobs per second in a drain, from which the number of jobs in
   * the first drain is computed.
   */
  double pace();

  /** Creates the schema and the tables. Called once. */
  void create() throws Exception;

  /** Removes all jobs and leaves the tables as they would be after a time without load. */
  void empty() throws SQLException;

  /** Updates the planner's statistics after jobs were enqueued. */
  void settle() throws SQLException;

  /** Returns the number of unfinished jobs. */
  long unfinished() throws SQLException;

  /**
   * Opens the library on a pool.
   *
   * @param starts receives the start of each job that runs; null to run no worker
   */
  Session open(DataSource pool, @Nullable Starts starts) throws Exception;
}
