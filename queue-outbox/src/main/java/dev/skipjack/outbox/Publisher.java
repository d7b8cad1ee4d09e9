package dev.skipjack.outbox;

import java.time.Duration;
import java.util.List;

/**
 * Sends events to their destination: a broker, an endpoint, or another table. The threads of a
 * relay call a publisher concurrently, each with events of different aggregates.
 */
@FunctionalInterface
public interface Publisher {

  /**
   * Publishes a batch. Report an event as sent only after the destination has accepted it, because
   * the relay then records it as published.
   *
   * <p>Keep the order of each aggregate: after an event that was not sent, do not send its
   * aggregate's later events. Report them as {@link PublishResult#notTried}.
   *
   * <p>Check {@link EventBatch#isLeased} before each event, and return within {@link
   * EventBatch#timeLeft}: after that, another relay may send the same events.
   *
   * <p>A relay reads the oldest events first. If many of them are not tried because one of several
   * destinations is paused, it does not reach the events of the other destinations. Return {@link
   * PublishResult#postponed} to avoid that.
   *
   * @param batch the events, in order per aggregate
   * @return the result of each event, in the order of the batch
   * @throws Exception if the destination is unavailable. Then the relay pauses, and no attempt
   *     counts until the relay's {@linkplain Relay.Builder#outageLimit outage limit} has passed.
   *     But if the publisher has returned results for other events, the attempt counts for the
   *     events on which it fails, so that a single event cannot stop the others
   */
  List<PublishResult> publish(EventBatch batch) throws Exception;

  /**
   * {@return how long the publisher may wait for the result of one event; zero if unknown} If it is
   * longer than the publish timeout, a relay logs a warning when it starts.
   */
  default Duration longestWait() {
    return Duration.ZERO;
  }

  /**
   * {@return a publisher that sends the events of a batch one by one} It stops when less time is
   * left than the slowest event so far took. If a call still takes too long, a relay that uses this
   * publisher directly records what was sent before, and the event of that call is sent again.
   *
   * @param sender sends one event
   */
  static Publisher each(Sender sender) {
    return new EachPublisher(sender);
  }

  /** Sends single events. */
  @FunctionalInterface
  interface Sender {
    /**
     * Sends an event.
     *
     * @param event the event
     * @return the result of the event
     * @throws Exception if the destination is unavailable, as for {@link #publish}
     */
    PublishResult send(RecordedEvent event) throws Exception;
  }
}
