package dev.skipjack.dashboard;

import dev.skipjack.outbox.Aggregate;
import java.util.UUID;

/** Changes of events. */
final class OutboxChanges {

  private OutboxChanges() {}

  private static String target(Visit visit) {
    return Session.target(visit.request());
  }

  static Link redrive(Visit visit) {
    UUID event = UUID.fromString(target(visit));
    boolean redriven = visit.services().outbox().redrive(event);
    if (redriven) {
      visit.record("redrive_event", null, event.toString());
    }
    return page(redriven ? Note.EVENTS_REDRIVEN : Note.NO_EVENTS, visit);
  }

  /** Splits the target at its first space, because the type of an aggregate has none. */
  static Link unblock(Visit visit) {
    String[] parts = target(visit).split(" ", 2);
    boolean unblocked =
        parts.length == 2 && visit.services().outbox().unblock(new Aggregate(parts[0], parts[1]));
    if (unblocked) {
      visit.record("unblock_aggregate", null, target(visit));
    }
    return page(unblocked ? Note.AGGREGATE_UNBLOCKED : Note.NOT_BLOCKED, visit);
  }

  private static Link page(Note note, Visit visit) {
    return visit.link("/outbox").with("note", note.code());
  }
}
