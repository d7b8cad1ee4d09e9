package dev.skipjack.worker;

/**
 * Receives the events of a worker.
 *
 * <p>Called on a thread that the worker uses for nothing else, with one event at a time, in the
 * order in which they happened. Events arrive after the fact: an event about an outcome means that
 * the outcome is committed. A started worker never waits for a listener. A slow listener delays the
 * others; once 50,000 events wait (fewer if they carry long errors), further ones are dropped,
 * counted as {@code skipjack.worker.events.dropped}, and logged. A listener may therefore call a
 * slow service for rare events, but should be quick for events that come with every job. Its
 * exceptions are logged and do no harm.
 *
 * <p>A stop delivers queued events for a second at most, then interrupts the listener and drops the
 * rest. A listener may stop the worker. {@link Worker#runUntilIdle()} and {@link Worker#runNext()}
 * wait until everything that fits into the queue has been delivered.
 */
@FunctionalInterface
public interface WorkerListener {

  /** Receives one event. */
  void on(WorkerEvent event);
}
