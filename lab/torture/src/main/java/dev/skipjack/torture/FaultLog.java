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

/** The faults of a run. Finds the one that explains a lost attempt. */
final class FaultLog {

  /** An unplanned pause of a process, caused by a lack of CPU time on the machine. */
  static final String STALL = "stall";

  /** A stall may affect the whole machine if it lasts at least a lease divided by this number. */
  private static final int LONG_STALL_DIVISOR = 4;

  /**
   * The time for which a fault has effects after its end, in addition to a lease. It allows for
   * connections that must time out.
   */
  private static final Duration AFTERMATH = Duration.ofSeconds(4);

  private static final long NEVER = Long.MAX_VALUE / 2;

  /** The longest time from sending a claim to the start of its attempts in the audit. */
  private static final long CLAIM_MICROS = Duration.ofSeconds(1).toNanos() / 1_000;

  /**
   * A fault.
   *
   * @param how the variant of the kind; empty if it has only one
   * @param process the affected process, or {@link Event#ALL}
   * @param reachable when the server was reachable again, if the fault had made it unreachable;
   *     never later than {@code ended}
   */
  record Fault(String kind, String how, String process, long began, long reachable, long ended) {

    boolean is(FaultKind other) {
      return kind.equals(other.label());
    }

    boolean isPlanned() {
      return !kind.equals(STALL);
    }

    boolean hits(String other) {
      return process.equals(Event.ALL) || process.equals(other);
    }

    /**
     * Returns whether the fault hit a single process. If so, recovery is measured from its
     * beginning.
     */
    boolean hitsOneProcess() {
      return !process.equals(Event.ALL);
    }

    /**
     * Returns whether no process could reach the server until {@code reachable}; false if
     * uncertain.
     */
    boolean makesServerUnreachable() {
      return (is(FaultKind.POSTMASTER) && !how.equals(FaultInjector.ONE_BACKEND))
          || (is(FaultKind.PROXY)
              && (how.equals(FaultInjector.REFUSED) || how.equals(FaultInjector.BLACK_HOLE)));
    }
  }

  private final List<Fault> faults = new ArrayList<>();
  private final Set<Long> startedAttempts = new HashSet<>();
  private final long effectMicros;

  /** The minimum time for which a heartbeat was overdue when an attempt was rescued. */
  private final long overdueMicros;

  FaultLog(List<Event> events, Pace pace) {
    this.effectMicros = pace.lease().plus(AFTERMATH).toNanos() / 1_000;
    this.overdueMicros = pace.minOverdue().toNanos() / 1_000;
    long longStall = pace.lease().toNanos() / 1_000 / LONG_STALL_DIVISOR;
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
        case STARTED -> startedAttempts.add(event.execution());
        default -> {}
      }
    }
    open.forEach(
        (number, began) -> faults.add(fault(began, eased.getOrDefault(number, NEVER), NEVER)));
    stalls.forEach(
        stall -> faults.add(isEffectOfFault(stall) ? stall : widenIfLong(stall, longStall)));
    faults.sort(Comparator.comparingLong(Fault::began));
  }

  private static Fault fault(Event began, long reachable, long ended) {
    String[] kindAndHow = (began.detail() + " ").split(" ", 2);
    return new Fault(
        kindAndHow[0], kindAndHow[1].strip(), began.process(), began.micros(), reachable, ended);
  }

  /**
   * Returns whether the stall is the effect of a fault: a frozen process also detects that it was
   * paused.
   */
  private boolean isEffectOfFault(Fault stall) {
    return faults.stream()
        .anyMatch(
            fault ->
                fault.process().equals(stall.process())
                    && fault.began() < stall.ended()
                    && fault.ended() > stall.began());
  }

  private static Fault widenIfLong(Fault stall, long longStall) {
    return stall.ended() - stall.began() < longStall
        ? stall
        : new Fault(STALL, "", Event.ALL, stall.began(), stall.ended(), stall.ended());
  }

  List<Fault> all() {
    return faults;
  }

  /**
   * Returns the part of a period, in microseconds, in which faults made the server unreachable for
   * all processes. Overlapping faults count once.
   */
  long microsWithoutServer(long from, long to) {
    long micros = 0;
    long counted = from;
    for (Fault fault : faults) {
      if (fault.makesServerUnreachable()) {
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
   * Returns the fault that explains why an attempt was lost, or null if there is none. A fault that
   * began when a heartbeat was already overdue is used only if there is no other. A fault that hit
   * only the attempt's process takes precedence over faults that hit all processes. Among the
   * latter, if no handler started, a fault that had begun by the time of the claim takes
   * precedence, because it must have cut off the claim's response. Otherwise the last fault is
   * used. A cut commit is used only if there is no other fault except a stall, because the next
   * heartbeat replaces one that was cut. A stall is used only if there is no other fault.
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
   * Returns whether a fault can explain a lost attempt. An exhausted pool cannot, because a worker
   * renews leases on a connection that it keeps. If that connection broke, the fault that broke it
   * is the cause.
   */
  private boolean explains(Fault fault, ExecutionRow attempt) {
    // A killed or frozen process can only lose attempts that it claimed before.
    long effect = fault.isPlanned() && fault.hitsOneProcess() ? CLAIM_MICROS : effectMicros;
    return !fault.is(FaultKind.POOL)
        && fault.hits(attempt.process())
        && fault.began() <= attempt.finished()
        && fault.ended() + effect >= attempt.started();
  }

  private boolean isBetter(Fault later, Fault cause, ExecutionRow attempt) {
    boolean late = isLate(later, attempt);
    return late == isLate(cause, attempt) ? rank(later, attempt) >= rank(cause, attempt) : !late;
  }

  /**
   * Returns whether the fault began when a heartbeat was already overdue. If so, an earlier fault
   * must have prevented that heartbeat.
   */
  private boolean isLate(Fault fault, ExecutionRow attempt) {
    return fault.began() > attempt.finished() - overdueMicros;
  }

  /**
   * Returns whether a fault explains why an event that was published is not recorded as published,
   * and therefore arrived more than once. A killed process can leave only copies unrecorded that it
   * sent before the kill. A frozen process may also send an event when it continues, after another
   * relay has sent it. All other faults have effects for some time after their end.
   *
   * @param copy the copy that arrived
   * @param last when the last copy arrived
   */
  boolean explainsUnrecorded(Event copy, long last) {
    return faults.stream()
        .anyMatch(
            fault ->
                fault.hits(copy.process())
                    && fault.began() <= Math.min(last, copy.micros() + effectMicros)
                    && fault.ended() + (fault.is(FaultKind.KILL) ? 0 : effectMicros)
                        >= copy.micros());
  }

  /** Returns whether a fault, with its effects, hit any process in a period. */
  boolean hitAny(long from, long to) {
    return faults.stream()
        .anyMatch(fault -> fault.began() <= to && fault.ended() + effectMicros >= from);
  }

  private int rank(Fault fault, ExecutionRow attempt) {
    if (!fault.isPlanned()) {
      return fault.hitsOneProcess() ? 1 : 0;
    } else if (fault.hitsOneProcess()) {
      return 5;
    } else if (!startedAttempts.contains(attempt.id())
        && fault.began() <= attempt.started() + CLAIM_MICROS) {
      return 4;
    }
    return fault.is(FaultKind.COMMIT_CUT) ? 2 : 3;
  }
}
