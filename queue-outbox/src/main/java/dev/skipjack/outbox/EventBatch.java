package dev.skipjack.outbox;

import java.util.List;
import java.util.function.BooleanSupplier;

/** Events to publish. Events of the same aggregate are in their order. */
public final class EventBatch {

  private final List<RecordedEvent> events;
  private final BooleanSupplier leased;

  EventBatch(List<RecordedEvent> events, BooleanSupplier leased) {
    this.events = List.copyOf(events);
    this.leased = leased;
  }

  /** Returns the events. */
  public List<RecordedEvent> events() {
    return events;
  }

  /**
   * Returns whether the relay still holds the leases of these events. After a long pause of the
   * process, another relay may be publishing them, so a publisher that sends events one by one
   * should check this before each of them. It only avoids duplicates.
   */
  public boolean isLeased() {
    return leased.getAsBoolean();
  }
}
