package dev.skipjack.worker;

/**
 * Hears what a worker does.
 *
 * <p>Called on a thread of the worker's own that does nothing else, with one event at a time, in
 * the order in which the worker met them, and after the fact: an event about an outcome means that
 * the outcome is committed. A started worker never waits for a listener. One that is slow delays
 * those beside it; once 50,000 events wait (fewer if they carry long errors), further ones are
 * dropped, counted as {@code skipjack.worker.events.dropped}, and logged. So it may call a slow
 * service for events that are rare, but should be quick for those that come with every job. What it
 * throws is logged and harms nothing.
 *
 * <p>A stop delivers what is queued for a second at most, then interrupts the listener and drops
 * the rest; afterwards nothing is told. A listener may stop the worker. {@link
 * Worker#runUntilIdle()} and {@link Worker#runNext()} wait until everything that fits into the
 * queue has been delivered.
 */
@FunctionalInterface
public interface WorkerListener {

  /** Something happened. */
  void on(WorkerEvent event);
}
