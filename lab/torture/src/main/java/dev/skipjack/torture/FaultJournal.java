package dev.skipjack.torture;

import java.util.Map;
import java.util.TreeMap;

/**
 * Records which faults hit which processes, and ensures that the end of each is recorded. Safe for
 * any number of threads.
 */
final class FaultJournal {

  private record Open(String kind, String target) {}

  private final HistoryFile history;
  private final Map<Integer, Open> open = new TreeMap<>();

  FaultJournal(HistoryFile history) {
    this.history = history;
  }

  /**
   * Records that a fault is about to begin.
   *
   * @param number number of the fault, used once
   * @param target a process, or {@link Event#ALL}
   * @param how variant of the kind; empty if it has only one
   */
  synchronized void begin(int number, FaultKind kind, String target, String how) {
    String detail = how.isEmpty() ? kind.label() : kind.label() + " " + how;
    open.put(number, new Open(kind.label(), target));
    write(number, target, EventType.FAULT_BEGAN, detail);
  }

  /**
   * Records that the server is reachable again, although connections may not have detected that
   * yet.
   */
  synchronized void ease(int number) {
    Open fault = open.get(number);
    if (fault != null) {
      write(number, fault.target, EventType.FAULT_EASED, fault.kind);
    }
  }

  /** Records that a fault has ended; does nothing if it had ended before or never began. */
  synchronized void end(int number) {
    Open fault = open.remove(number);
    if (fault != null) {
      write(number, fault.target, EventType.FAULT_ENDED, fault.kind);
    }
  }

  /** Records the end of all faults that have not ended, because ending them failed. */
  synchronized void endAll() {
    for (int number : open.keySet().toArray(new Integer[0])) {
      end(number);
    }
  }

  private void write(int number, String target, EventType type, String detail) {
    history.write(target, type, String.valueOf(number), 0, 0, detail);
  }
}
