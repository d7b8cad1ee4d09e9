package dev.skipjack.torture;

import dev.skipjack.torture.FinalRead.ExecutionRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The faults that struck, and which attempt was lost through which. */
final class FaultLog {

  /** The machine had no time for a process; nobody planned that. */
  static final String STALL = "stall";

  /** A stall of so much of a lease may be the whole machine's. */
  private static final int PART_OF_LEASE = 4;

  /** How long a fault is felt after it is over, beyond a lease: connections must find out. */
  private static final Duration AFTERMATH = Duration.ofSeconds(4);

  /**
   * A fault.
   *
   * @param process whom it struck; {@link Event#ALL} for everybody
   */
  record Fault(String kind, String process, long began, long ended) {

    boolean strikes(String other) {
      return process.equals(Event.ALL) || process.equals(other);
    }

    /** Whether it strikes processes one by one, so that recovery counts from its begin. */
    boolean isOfProcess() {
      return !process.equals(Event.ALL);
    }
  }

  private final List<Fault> faults = new ArrayList<>();
  private final long feltMicros;

  FaultLog(List<Event> events, Pace pace) {
    this.feltMicros = pace.lease().plus(AFTERMATH).toNanos() / 1_000;
    long longStall = pace.lease().toNanos() / 1_000 / PART_OF_LEASE;
    List<Fault> stalls = new ArrayList<>();
    Map<String, Event> open = new HashMap<>();
    List<Event> sorted = new ArrayList<>(events);
    sorted.sort(Comparator.comparingLong(Event::micros));
    for (Event event : sorted) {
      switch (event.type()) {
        case FAULT_BEGAN -> open.put(event.key(), event);
        case FAULT_ENDED -> {
          Event began = open.remove(event.key());
          if (began != null) {
            faults.add(fault(began, event.micros()));
          }
        }
        case STALLED -> {
          long millis = Long.parseLong(event.detail());
          long began = event.micros() - millis * 1_000;
          stalls.add(new Fault(STALL, event.process(), began, event.micros()));
        }
        default -> {}
      }
    }
    open.values().forEach(began -> faults.add(fault(began, Long.MAX_VALUE / 2)));
    stalls.forEach(stall -> faults.add(isPlanned(stall) ? stall : spread(stall, longStall)));
    faults.sort(Comparator.comparingLong(Fault::began));
  }

  private static Fault fault(Event began, long ended) {
    return new Fault(began.detail(), began.process(), began.micros(), ended);
  }

  /** A frozen process finds that it stood still; that is no news about the machine. */
  private boolean isPlanned(Fault stall) {
    return faults.stream()
        .anyMatch(
            fault ->
                fault.process().equals(stall.process())
                    && fault.began() < stall.ended()
                    && fault.ended() > stall.began());
  }

  private static Fault spread(Fault stall, long longStall) {
    return stall.ended() - stall.began() < longStall
        ? stall
        : new Fault(STALL, Event.ALL, stall.began(), stall.ended());
  }

  List<Fault> all() {
    return faults;
  }

  /**
   * The fault through which an attempt was lost: the last of its process, or else the last of
   * everybody; null if there was none.
   */
  @Nullable Fault cause(ExecutionRow attempt) {
    Fault cause = null;
    for (Fault fault : faults) {
      boolean inTime =
          fault.began() <= attempt.finished() && fault.ended() + feltMicros >= attempt.started();
      if (inTime && fault.strikes(attempt.process())) {
        boolean planned = !fault.kind().equals(STALL);
        if (cause == null || rank(fault, planned) >= rank(cause, !cause.kind().equals(STALL))) {
          cause = fault;
        }
      }
    }
    return cause;
  }

  private static int rank(Fault fault, boolean planned) {
    return (planned ? 2 : 0) + (fault.isOfProcess() ? 1 : 0);
  }
}
