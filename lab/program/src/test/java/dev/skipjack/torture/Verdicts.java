package dev.skipjack.torture;

import java.util.List;
import java.util.Map;

/** Creates reports of made-up runs, for tests of the command that prints them. */
public final class Verdicts {

  private Verdicts() {}

  /** Returns the report of a run without jobs or violations. */
  public static TortureReport clean() {
    return of(List.of());
  }

  /** Returns the report of a run in which job 7 was acknowledged but does not exist. */
  public static TortureReport lost() {
    return of(
        List.of(
            new Event(1, "producer-1", EventType.REQUESTED, "a", 0, 0, "plain"),
            new Event(2, "producer-1", EventType.ACKNOWLEDGED, "a", 7, 0, "created")));
  }

  private static TortureReport of(List<Event> history) {
    FinalRead nothing =
        new FinalRead(
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            new FinalRead.OutboxRead(Map.of(), Map.of(), Map.of()),
            Map.of(),
            List.of(),
            0);
    return TortureReport.of(Map.of(), history, nothing, Pace.FORKED);
  }
}
