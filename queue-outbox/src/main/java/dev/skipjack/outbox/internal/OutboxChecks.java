package dev.skipjack.outbox.internal;

import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.Fix;
import dev.skipjack.sql.Counted;
import dev.skipjack.sql.Spans;
import java.time.Duration;

/** Judges the events of the outbox and its relays. */
final class OutboxChecks {

  /**
   * If no relay runs, an event is reported after it has waited this long. A running relay finds
   * events within seconds.
   */
  private static final Duration UNSEEN = Duration.ofMinutes(1);

  private static final Duration LATE = Duration.ofMinutes(5);

  private OutboxChecks() {}

  static Finding deadEvents(OutboxFactsStatement.Facts outbox) {
    String example = outbox.firstDead();
    if (example == null) {
      return OutboxCheck.DEAD_EVENTS.green("No event of the outbox is dead.");
    }
    boolean more = outbox.dead() == OutboxFactsStatement.WINDOW;
    return OutboxCheck.DEAD_EVENTS.yellow(
        "%s%s dead, for example %s."
            .formatted(
                more ? "At least " : "",
                Counted.of(more ? outbox.dead() - 1 : outbox.dead(), "event is", "events are"),
                example),
        new Fix(
            "skipjack outbox redrive " + example,
            "outbox.admin().redrive(UUID.fromString(\"%s\")), or unblock its aggregate"
                .formatted(example)));
  }

  static Finding relays(OutboxFactsStatement.Facts outbox) {
    Duration pending = outbox.oldest();
    Duration overdue = outbox.overdue();
    boolean isRetry =
        overdue != null
            && !overdue.isNegative()
            && (pending == null || overdue.compareTo(pending) > 0);
    Duration waiting = isRetry ? overdue : pending;
    if (waiting == null) {
      return OutboxCheck.RELAYS.green("No event of the outbox is pending.");
    }
    if (!outbox.isRelayRunning() && waiting.compareTo(UNSEEN) >= 0) {
      return OutboxCheck.RELAYS.red(
          (isRetry
                  ? "No relay runs, and the retry of a blocked aggregate has been due for %s."
                  : "No relay runs, and the oldest event has been pending for %s.")
              .formatted(Spans.of(waiting)),
          new Fix("skipjack outbox status", "outbox.relay(publisher).build().start()"));
    }
    String sentence =
        (isRetry
                ? "The retry of a blocked aggregate of the outbox has been due for %s."
                : "The oldest event of the outbox has been pending for %s.")
            .formatted(Spans.of(waiting));
    return waiting.compareTo(LATE) < 0
        ? OutboxCheck.RELAYS.green(sentence)
        : OutboxCheck.RELAYS.yellow(
            sentence,
            new Fix(
                "skipjack outbox status",
                "relay.stats(): outages mean that the publisher fails; else use more threads"));
  }
}
