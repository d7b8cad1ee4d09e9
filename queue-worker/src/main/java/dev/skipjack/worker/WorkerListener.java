package dev.skipjack.worker;

/**
 * Receives the events of a worker.
 *
 * <p>Listeners are called on a dedicated thread, with one event at a time, in the order in which
 * the events happened. An event about an outcome is reported after the outcome has been committed.
 * Until it stops, a started worker does not wait for listeners, but a slow listener delays the
 * others. Once 50,000 events wait (fewer if they hold long errors), further events are dropped,
 * counted as {@code skipjack.worker.events.dropped}, and logged. A listener may therefore call a
 * slow service for rare events, but must be fast for events that every job causes. Exceptions of a
 * listener are logged and otherwise ignored.
 *
 * <p>When a started worker stops, it delivers queued events for at most three seconds, then
 * interrupts the listener and drops the remaining events. A listener may stop the worker. {@link
 * Worker#runUntilIdle()} and {@link Worker#runNext()} wait until all queued events have been
 * delivered, unless the run was interrupted or stopped.
 */
@FunctionalInterface
public interface WorkerListener {

  /**
   * Receives one event.
   *
   * @param event what happened in the worker
   */
  void on(WorkerEvent event);
}
