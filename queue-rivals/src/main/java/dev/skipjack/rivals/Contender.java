package dev.skipjack.rivals;

import java.sql.SQLException;
import java.util.function.LongConsumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A job queue as an application uses it: through its public API, with the settings that its
 * documentation recommends, on tables of its own in a schema of its own.
 */
interface Contender {

  /** The library in use: jobs can be enqueued, and run if there is a handler. */
  interface Session extends AutoCloseable {

    /** Enqueues job {@code n}, due at once, and commits it. Safe for any number of threads. */
    void enqueue(long n) throws Exception;

    /** Enqueues jobs 1 to {@code jobs} in the fastest way that the library offers. */
    void enqueueAll(long jobs) throws Exception;

    /** Stops the workers; handlers that run finish. */
    @Override
    void close();
  }

  /** Its column in the table. */
  String name();

  /** The library's version and the settings that were chosen. */
  String setup();

  /** How a worker learns of a job: by a poll, or a wake-up and from which process. */
  String wakeUp();

  /** What the library keeps of a finished job. */
  String history();

  /**
   * Whether it takes part in a phase; a second mode of a library skips those that do not differ.
   */
  boolean takesPart(Phase phase);

  /** Whether another process enqueues when the pickup is measured, instead of the worker's own. */
  boolean enqueuesElsewhere();

  /** Opens a pool of its own, as large as its documentation recommends. */
  DataSource pool();

  /** Finished jobs a second in a drain, roughly: sizes the first one. */
  double pace();

  /** Creates its schema and tables, once. */
  void create() throws Exception;

  /** Removes all jobs, and leaves tables as they are after a while without load. */
  void empty() throws SQLException;

  /** Gives the planner statistics of the jobs that were just enqueued. */
  void settle() throws SQLException;

  /** The number of jobs that are not finished. */
  long unfinished() throws SQLException;

  /**
   * Opens the library on a pool.
   *
   * @param handler receives the number of each job that runs; null: producers only, no worker
   */
  Session open(DataSource pool, @Nullable LongConsumer handler) throws Exception;
}
