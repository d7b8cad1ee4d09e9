package dev.skipjack.outbox;

import java.time.Duration;
import java.util.List;

/** Events to publish. Those of one aggregate are in their order. */
public final class EventBatch {

  private final List<RecordedEvent> events;
  private final boolean hasMore;
  private final SendingTime time;

  EventBatch(List<RecordedEvent> events, boolean hasMore, SendingTime time) {
    this.events = List.copyOf(events);
    this.hasMore = hasMore;
    this.time = time;
  }

  /** {@return the events} */
  public List<RecordedEvent> events() {
    return events;
  }

  /**
   * {@return whether more events were probably waiting when the batch was read} They wait for the
   * end of this batch, because the next batch of the same shards begins after it.
   */
  public boolean hasMore() {
    return hasMore;
  }

  /**
   * {@return whether another event may be sent} Becomes false when the relay's publish timeout has
   * passed, when the relay is closed, or when its leases were lost or may end soon. A publisher
   * that sends events one by one checks this before each of them, and reports the others as {@link
   * PublishResult#notTried}. The relay can then record what was sent before another relay
   * continues.
   */
  public boolean isLeased() {
    return time.isOpen();
  }

  /**
   * Returns how much longer the publisher may take, including the events that it is sending. If the
   * publisher returns later, another relay may send the same events.
   *
   * @return zero if the time has passed
   */
  public Duration timeLeft() {
    Duration left = time.left();
    return left.isNegative() ? Duration.ZERO : left;
  }
}
