package dev.skipjack.worker;

/**
 * Hears what a worker does.
 *
 * <p>Called from the worker's own threads, by several at once, after the fact: an event about an
 * outcome means that the outcome is committed. It should be quick, because the thread that calls it
 * has other work. What it throws is logged and harms nothing.
 */
@FunctionalInterface
public interface WorkerListener {

  /** Something happened. */
  void on(WorkerEvent event);
}
