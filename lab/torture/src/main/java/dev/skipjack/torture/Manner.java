package dev.skipjack.torture;

import java.time.Duration;

/** The behaviour of an event's destination until it has recovered. */
enum Manner {
  PROMPT(0),
  /** Responds late, but before an HTTP relay gives up. */
  LATE(1_000),
  /** Accepts an event and responds after an HTTP relay has given up. */
  TOO_LATE(3_000),
  /** Accepts no event and does not respond. */
  SILENT(3_000),
  /** Accepts odd events, which are not checked. */
  ODD(0);

  /** The time for which an HTTP relay waits for a response. */
  static final Duration TIMEOUT = Duration.ofSeconds(2);

  private static final Manner[] SLOW = {LATE, TOO_LATE, SILENT};

  private final int delayMillis;

  Manner(int delayMillis) {
    this.delayMillis = delayMillis;
  }

  int delayMillis() {
    return delayMillis;
  }

  /** Returns the manner of the destination of an aggregate. */
  static Manner of(String aggregateType, String aggregateId) {
    if (!aggregateType.equals(Change.AGGREGATE_TYPE)) {
      return ODD;
    }
    int aggregate = Integer.parseInt(aggregateId);
    return Change.isSlow(aggregate) ? SLOW[aggregate % SLOW.length] : PROMPT;
  }
}
