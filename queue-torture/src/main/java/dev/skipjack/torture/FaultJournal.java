package dev.skipjack.torture;

import java.util.Map;
import java.util.TreeMap;

/**
 * Writes down which faults struck whom, and sees to it that each ends. Safe for any number of
 * threads.
 */
final class FaultJournal {

  private record Open(String kind, String target) {}

  private final HistoryFile history;
  private final Map<Integer, Open> open = new TreeMap<>();

  FaultJournal(HistoryFile history) {
    this.history = history;
  }

  /**
   * Notes that a fault is about to strike.
   *
   * @param number of its own
   * @param target a process, or {@link Event#ALL}
   * @param how empty if the kind says it
   */
  synchronized void begin(int number, FaultKind kind, String target, String how) {
    String detail = how.isEmpty() ? kind.label() : kind.label() + " " + how;
    open.put(number, new Open(kind.label(), target));
    write(number, target, EventType.FAULT_BEGAN, detail);
  }

  /** Notes that the server can be reached again, though connections have to find that out. */
  synchronized void ease(int number) {
    Open fault = open.get(number);
    if (fault != null) {
      write(number, fault.target, EventType.FAULT_EASED, fault.kind);
    }
  }

  /** Notes that it is over; nothing, if it was or never began. */
  synchronized void end(int number) {
    Open fault = open.remove(number);
    if (fault != null) {
      write(number, fault.target, EventType.FAULT_ENDED, fault.kind);
    }
  }

  /** Notes that all are over that are not yet: those that were left open by a failure. */
  synchronized void endAll() {
    for (int number : open.keySet().toArray(new Integer[0])) {
      end(number);
    }
  }

  private void write(int number, String target, EventType type, String detail) {
    history.write(target, type, String.valueOf(number), 0, 0, detail);
  }
}
