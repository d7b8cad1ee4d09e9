package dev.skipjack.torture;

import java.util.List;
import java.util.Map;

/** Verdicts about runs that were made up, for tests of what is made of a verdict. */
public final class Verdicts {

  private Verdicts() {}

  /** Nothing was enqueued and nothing is wrong. */
  public static TortureReport clean() {
    return of(List.of());
  }

  /** Job 7 was acknowledged and is nowhere. */
  public static TortureReport lost() {
    return of(
        List.of(
            new Event(1, "producer-1", EventType.ASKED, "a", 0, 0, "plain"),
            new Event(2, "producer-1", EventType.ACKED, "a", 7, 0, "created")));
  }

  private static TortureReport of(List<Event> history) {
    FinalRead nothing = new FinalRead(List.of(), List.of(), List.of(), List.of(), 0);
    return TortureReport.of(Map.of(), history, nothing, Pace.FORKED);
  }
}
