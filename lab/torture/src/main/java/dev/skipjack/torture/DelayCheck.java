package dev.skipjack.torture;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds events of healthy destinations that slow destinations have delayed: many later events
 * overtook them although no fault hit any process. Counts events instead of time, because all
 * events are late on a busy machine.
 *
 * <p>An event overtakes another one if it was recorded after the other's commit was acknowledged,
 * but arrived first. An aggregate with a rejected event waits for an operator, so its events are
 * not checked.
 */
final class DelayCheck {

  /**
   * The number of events that may overtake another one. An event waits for the batch that holds the
   * lease of its shard, and is repeated a few times while its destination is busy.
   */
  static final int MOST_OVERTAKING = 200;

  private final CheckedRun run;
  private final FaultLog faults;
  private final Map<String, Long> recorded = new HashMap<>();
  private final Set<Integer> rejected = new HashSet<>();

  private DelayCheck(CheckedRun run, FaultLog faults) {
    this.run = run;
    this.faults = faults;
    run.events(EventType.EVENT_RECORDED)
        .forEach(event -> recorded.put(event.key(), event.micros()));
    run.changes.values().stream()
        .filter(Change::isPoison)
        .forEach(change -> rejected.add(change.aggregate()));
  }

  static List<Violation> check(CheckedRun run, FaultLog faults) {
    return new DelayCheck(run, faults).check();
  }

  private List<Violation> check() {
    Map<String, Long> committed = new HashMap<>();
    run.events(EventType.EVENT_COMMITTED)
        .forEach(event -> committed.put(event.key(), event.micros()));
    List<Violation> violations = new ArrayList<>();
    OvertakenCounts counts = new OvertakenCounts();
    Set<String> arrived = new HashSet<>();
    for (Event copy : run.arrivals) {
      Long from = committed.get(copy.key());
      if (!arrived.add(copy.key()) || !isHealthy(copy.key())) {
        continue;
      }
      long overtaking = from == null ? 0 : counts.recordedAfter(from);
      if (from != null && overtaking > MOST_OVERTAKING && !faults.hitAny(from, copy.micros())) {
        violations.add(
            new Violation(
                Counter.OUTBOX_DELAYED,
                0,
                copy.key(),
                "%d later events arrived before the event, and no fault explains that."
                    .formatted(overtaking)));
      }
      counts.add(recorded.getOrDefault(copy.key(), 0L));
    }
    return violations;
  }

  private boolean isHealthy(String event) {
    Change change = run.changes.get(event);
    return change != null
        && !Change.isSlow(change.aggregate())
        && !rejected.contains(change.aggregate());
  }

  /** The times at which the events that have arrived were recorded. */
  private static final class OvertakenCounts {

    private final List<Long> sorted = new ArrayList<>();

    void add(long micros) {
      sorted.add(indexAfter(micros), micros);
    }

    long recordedAfter(long micros) {
      return (long) sorted.size() - indexAfter(micros);
    }

    private int indexAfter(long micros) {
      int low = 0;
      int high = sorted.size();
      while (low < high) {
        int middle = (low + high) / 2;
        if (sorted.get(middle) <= micros) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }
  }
}
