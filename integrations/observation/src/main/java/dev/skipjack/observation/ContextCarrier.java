package dev.skipjack.observation;

import java.util.Map;

/**
 * Carries a part of a thread's context in the headers of jobs: from the thread that enqueues a job
 * to the thread that runs its handler. Used by {@link CarriedContext}.
 *
 * <p>Implementations are called by many threads concurrently. Headers are stored in the database
 * for as long as the job or its archive row exists, so do not carry secrets.
 */
public interface ContextCarrier {

  /**
   * {@return the headers that represent the context of the current thread; empty if there is
   * nothing to carry} An exception makes the enqueue fail.
   */
  Map<String, String> capture();

  /**
   * Restores the context in the current thread.
   *
   * @param headers the headers of the job, including those of other carriers; unmodifiable
   * @return an object that returns the thread to its earlier state
   */
  Restored restore(Map<String, String> headers);

  /** A context that has been restored in a thread. */
  @FunctionalInterface
  interface Restored extends AutoCloseable {

    /** Returns the thread to its earlier state. Called once, in the same thread. */
    @Override
    void close();
  }
}
