package dev.skipjack.outbox;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * The events on which a publisher failed while it published nothing else. The cause is either the
 * destination, which was unavailable, or the event. An event is at fault if the publisher fails on
 * it again although the destination has responded in between, or if it has failed on it for longer
 * than an outage may last. Thread-safe.
 */
final class Suspects {

  /** Limits the memory. The next failure of a forgotten event counts as its first. */
  private static final int MOST = 1_000;

  private final long outageLimit;
  private final Map<UUID, Suspicion> suspects = new LinkedHashMap<>();
  private long responses;

  Suspects(Duration outageLimit) {
    this.outageLimit = outageLimit.toNanos();
  }

  /**
   * The state of a suspect.
   *
   * @param since a value of {@link System#nanoTime()} at the first failure
   * @param responses the number of responses at the latest failure
   */
  private record Suspicion(long since, long responses) {}

  synchronized void noteResponse() {
    responses++;
  }

  /** Notes that the publisher failed on an event, and returns whether the event is at fault. */
  synchronized boolean isAtFault(RecordedEvent event) {
    long now = System.nanoTime();
    Suspicion earlier = suspects.get(event.id());
    Suspicion first = earlier == null ? new Suspicion(now, responses) : earlier;
    suspects.put(event.id(), new Suspicion(first.since(), responses));
    if (suspects.size() > MOST) {
      suspects.remove(suspects.keySet().iterator().next());
    }
    return responses > first.responses() || now - first.since() >= outageLimit;
  }
}
