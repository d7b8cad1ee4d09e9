package dev.skipjack.outbox;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Sends events to their destination: a broker, an endpoint, or another table. The threads of a
 * relay call a publisher concurrently, each with events of different aggregates.
 */
@FunctionalInterface
public interface Publisher {

  /**
   * Publishes a batch. Returns when the destination has accepted or rejected each event, because
   * the relay forgets the events that were sent.
   *
   * <p>The order of each aggregate must hold: after an event that was not sent, the later events of
   * its aggregate must not be sent either, but reported as {@link PublishResult#notTried}.
   *
   * <p>A relay reads the oldest events first. If many of them are not tried because one of several
   * destinations is paused, it does not reach those of the others; {@link PublishResult#postponed}
   * makes way for them.
   *
   * @return the result of each event, in the order of the batch
   * @throws Exception if the destination is unavailable. No attempt of an event counts, and the
   *     relay pauses. If the publisher has returned results for other events, the attempt counts
   *     for those on which it fails, so that a single event cannot stop the others
   */
  List<PublishResult> publish(EventBatch batch) throws Exception;

  /** Returns a publisher that sends the events of a batch one by one. */
  static Publisher each(Sender sender) {
    return batch -> {
      List<PublishResult> results = new ArrayList<>();
      Set<Aggregate> failed = new HashSet<>();
      for (RecordedEvent event : batch.events()) {
        PublishResult result =
            failed.contains(event.aggregate()) || !batch.isLeased()
                ? PublishResult.notTried()
                : sender.send(event);
        if (result.kind() != PublishResult.Kind.SENT) {
          failed.add(event.aggregate());
        }
        results.add(result);
      }
      return results;
    };
  }

  /** Sends single events. */
  @FunctionalInterface
  interface Sender {
    /**
     * Sends an event.
     *
     * @throws Exception if the destination is unavailable, as for {@link #publish}
     */
    PublishResult send(RecordedEvent event) throws Exception;
  }
}
