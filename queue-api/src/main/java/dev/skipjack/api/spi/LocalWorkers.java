package dev.skipjack.api.spi;

/**
 * The running workers of this process that use one queue object. An enqueue of that object can
 * start a job in a free slot of a worker without a claim, and wakes the workers without a
 * notification.
 */
public interface LocalWorkers {

  /** Prepares the statements of direct starts, so that no enqueue has to wait for it. */
  void prepare();

  /**
   * Adds a worker. Enqueues then ask it for slots and wake it for new jobs.
   *
   * @param worker the worker
   */
  void add(LocalWorker worker);

  /**
   * Removes a worker. Earlier calls to it may still be running.
   *
   * @param worker the worker
   */
  void remove(LocalWorker worker);
}
