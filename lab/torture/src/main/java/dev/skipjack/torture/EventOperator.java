package dev.skipjack.torture;

import dev.skipjack.api.StoreException;
import dev.skipjack.outbox.BlockedAggregate;
import dev.skipjack.outbox.OutboxAdmin;

/** Lets aggregates continue without their dead events. Safe for any number of threads. */
final class EventOperator {

  private static final int MOST = 1_000;

  private final OutboxAdmin admin;
  private final HistoryFile history;

  EventOperator(OutboxAdmin admin, HistoryFile history) {
    this.admin = admin;
    this.history = history;
  }

  void unblockAggregates() {
    try {
      for (BlockedAggregate blocked : admin.blocked(MOST)) {
        if (blocked.retryAt() == null) {
          admin.unblock(blocked.aggregate());
        }
      }
    } catch (StoreException failure) {
      history.write(EventType.UNKNOWN, Event.NONE, 0, 0, String.valueOf(failure));
    }
  }
}
