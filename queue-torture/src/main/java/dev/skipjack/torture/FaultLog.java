package dev.skipjack.torture;

import dev.skipjack.torture.FinalRead.ExecutionRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The faults that struck, and which attempt was lost through which. */
final class FaultLog {

  /** The machine had no time for a process; nobody planned that. */
  static final String STALL = "stall";

  /** A stall of so much of a lease may be the whole machine's. */
  private static final int PART_OF_LEASE = 4;

  /** How long a fault is felt after it is over, beyond a lease: connections must find out. */
  private static final Duration AFTERMATH = Duration.ofSeconds(4);

  private static final long NEVER = Long.MAX_VALUE / 2;

  /** How long after its claim was sent an attempt may begin, by the audit. */
  private static final long IN_FLIGHT_MICROS = Duration.ofSeconds(1).toNanos() / 1_000;

  /**
   * A fault.
   *
   * @param how more about what was done; empty if the kind says it
   * @param process whom it struck; {@link Event#ALL} for everybody
   * @param reachable from when on the server could be reached again, if it could not; at {@code
   *     ended} at the latest
   */
  record Fault(String kind, String how, String process, long began, long reachable, long ended) {

    boolean is(FaultKind other) {
      return kind.equals(other.label());
    }

    boolean isPlanned() {
      return !kind.equals(STALL);
    }

    boolean strikes(String other) {
      return process.equals(Event.ALL) || process.equals(other);
    }

    /** Whether it strikes processes one by one, so that recovery counts from its begin. */
    boolean isOfProcess() {
      return !process.equals(Event.ALL);
    }

    /** Whether nobody reached the server until it was reachable; not, if that is in doubt. */
    boolean keepsEverybodyOut() {
      return (is(FaultKind.POSTMASTER) && !how.equals(FaultInjector.ONE_BACKEND))
          || (is(FaultKind.PROXY)
              && (how.equals(FaultInjector.REFUSED) || how.equals(FaultInjector.BLACK_HOLE)));
    }
  }

  private final List<Fault> faults = new ArrayList<>();
  private final Set<Long> begun = new HashSet<>();
  private final long feltMicros;

  /** An attempt that was rescued was not renewed for a lease; for so long one was overdue. */
  private final long unrenewedMicros;

  FaultLog(List<Event> events, Pace pace) {
    this.feltMicros = pace.lease().plus(AFTERMATH).toNanos() / 1_000;
    this.unrenewedMicros = pace.leastOverdue().toNanos() / 1_000;
    long longStall = pace.lease().toNanos() / 1_000 / PART_OF_LEASE;
    List<Fault> stalls = new ArrayList<>();
    Map<String, Event> open = new HashMap<>();
    Map<String, Long> eased = new HashMap<>();
    List<Event> sorted = new ArrayList<>(events);
    sorted.sort(Comparator.comparingLong(Event::micros));
    for (Event event : sorted) {
      switch (event.type()) {
        case FAULT_BEGAN -> open.put(event.key(), event);
        case FAULT_EASED -> eased.put(event.key(), event.micros());
        case FAULT_ENDED -> {
          Event began = open.remove(event.key());
          if (began != null) {
            faults.add(
                fault(began, eased.getOrDefault(event.key(), event.micros()), event.micros()));
          }
        }
        case STALLED -> {
          long millis = Long.parseLong(event.detail());
          long began = event.micros() - millis * 1_000;
          stalls.add(new Fault(STALL, "", event.process(), began, event.micros(), event.micros()));
        }
        case STARTED -> begun.add(event.execution());
        default -> {}
      }
    }
    open.forEach(
        (number, began) -> faults.add(fault(began, eased.getOrDefault(number, NEVER), NEVER)));
    stalls.forEach(stall -> faults.add(isPartOfFault(stall) ? stall : spread(stall, longStall)));
    faults.sort(Comparator.comparingLong(Fault::began));
  }

  private static Fault fault(Event began, long reachable, long ended) {
    String[] kindAndHow = (began.detail() + " ").split(" ", 2);
    return new Fault(
        kindAndHow[0], kindAndHow[1].strip(), began.process(), began.micros(), reachable, ended);
  }

  /** A frozen process finds that it stood still; that is no news about the machine. */
  private boolean isPartOfFault(Fault stall) {
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
        : new Fault(STALL, "", Event.ALL, stall.began(), stall.ended(), stall.ended());
  }

  List<Fault> all() {
    return faults;
  }

  /** How much of a span faults kept everybody from the server; where two meet, once. */
  long microsWithoutServer(long from, long to) {
    long micros = 0;
    long counted = from;
    for (Fault fault : faults) {
      if (fault.keepsEverybodyOut()) {
        long began = Math.max(counted, fault.began());
        long ended = Math.min(to, fault.reachable());
        if (ended > began) {
          micros += ended - began;
          counted = ended;
        }
      }
    }
    return micros;
  }

  /**
   * The fault through which an attempt was lost; null if there was none. One that began when the
   * lease could not be renewed in time any more is named only if there is no other. That of its
   * process comes before those of everybody; of the latter, one that was on at the claim before
   * later ones if the handler never began: the claim's answer was lost. Else the last, and a cut
   * commit only if there was nothing else: the next heartbeat makes up for one that was cut.
   */
  @Nullable Fault cause(ExecutionRow attempt) {
    Fault cause = null;
    for (Fault fault : faults) {
      if (explains(fault, attempt) && (cause == null || isBetter(fault, cause, attempt))) {
        cause = fault;
      }
    }
    return cause;
  }

  /**
   * An exhausted pool explains nothing: leases are renewed on a connection that the worker has
   * already. If that one broke, whatever broke it is the cause.
   */
  private boolean explains(Fault fault, ExecutionRow attempt) {
    // A process that was killed or frozen has only those attempts to lose that it had by then.
    long felt = fault.isPlanned() && fault.isOfProcess() ? IN_FLIGHT_MICROS : feltMicros;
    return !fault.is(FaultKind.POOL)
        && fault.strikes(attempt.process())
        && fault.began() <= attempt.finished()
        && fault.ended() + felt >= attempt.started();
  }

  private boolean isBetter(Fault later, Fault cause, ExecutionRow attempt) {
    boolean late = isLate(later, attempt);
    return late == isLate(cause, attempt) ? rank(later, attempt) >= rank(cause, attempt) : !late;
  }

  /** Whether a heartbeat was due before it, and none of the lease would have run out through it. */
  private boolean isLate(Fault fault, ExecutionRow attempt) {
    return fault.began() > attempt.finished() - unrenewedMicros;
  }

  private int rank(Fault fault, ExecutionRow attempt) {
    if (!fault.isPlanned()) {
      return fault.isOfProcess() ? 1 : 0;
    } else if (fault.isOfProcess()) {
      return 5;
    } else if (!begun.contains(attempt.id())
        && fault.began() <= attempt.started() + IN_FLIGHT_MICROS) {
      return 4;
    }
    return fault.is(FaultKind.COMMIT_CUT) ? 2 : 3;
  }
}
