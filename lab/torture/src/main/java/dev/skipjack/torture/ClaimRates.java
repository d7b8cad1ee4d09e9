package dev.skipjack.torture;

import dev.skipjack.torture.FaultLog.Fault;
import dev.skipjack.torture.FinalRead.ExecutionRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Measures how long the claim rate takes to return to its former level after the end of a fault.
 *
 * <p>The former level is the median rate of the last undisturbed seconds. The rate is back at the
 * start of the first two seconds in which it reaches at least 95 % of that level. A disturbance
 * lasts from a fault until the rate is back, and includes all faults that start in that time. It is
 * measured from the end of its last fault, compared with the rate before its first fault, and
 * counted for the kinds of all its faults. Commits are cut throughout the run, so cuts are part of
 * the normal rate. Two kinds of disturbances are not measured: those in the first seconds of a run,
 * and those whose rate is not back when the producers finish less than 10 s after the last fault.
 */
final class ClaimRates {

  /** The target: the maximum time until the rate is back. */
  static final long TARGET_MILLIS = 10_000;

  private static final double SUFFICIENT_SHARE = 0.95;
  private static final long SECOND = 1_000_000;
  private static final long STEP = SECOND / 10;
  private static final int WINDOW_SECONDS = 2;
  private static final int MIN_SECONDS = 3;
  private static final int MAX_SECONDS = 10;

  private final long[] claims;
  private final long start;
  private final long end;
  private final Map<String, List<Long>> millis = new LinkedHashMap<>();
  private final List<Long> all = new ArrayList<>();
  private final List<Long> medians = new ArrayList<>();
  private int unmeasured;

  private record Disturbance(long from, long to) {}

  private ClaimRates(CheckedRun run) {
    this.claims =
        run.read.executions().stream().mapToLong(ExecutionRow::started).sorted().toArray();
    List<Event> requests = run.events(EventType.REQUESTED);
    this.start = requests.isEmpty() ? 0 : requests.get(0).micros();
    this.end = requests.isEmpty() ? 0 : requests.get(requests.size() - 1).micros();
  }

  static ClaimRates of(CheckedRun run, FaultLog log) {
    ClaimRates rates = new ClaimRates(run);
    List<Fault> faults =
        log.all().stream()
            .filter(fault -> fault.isPlanned() && !fault.is(FaultKind.COMMIT_CUT))
            .toList();
    rates.measure(faults);
    return rates;
  }

  private void measure(List<Fault> faults) {
    List<Disturbance> earlier = new ArrayList<>();
    for (int next = 0; next < faults.size(); ) {
      long from = faults.get(next).began();
      long before = rateBefore(from, earlier);
      long ended = from;
      long back = from;
      Set<String> kinds = new LinkedHashSet<>();
      while (next < faults.size() && faults.get(next).began() <= back) {
        Fault fault = faults.get(next++);
        kinds.add(fault.kind());
        ended = Math.max(ended, fault.ended());
        back = backAt(ended, before);
      }
      earlier.add(new Disturbance(from, back));
      add(kinds, before, ended, back);
    }
  }

  private void add(Set<String> kinds, long before, long ended, long back) {
    boolean decided = back < Long.MAX_VALUE || ended + TARGET_MILLIS * 1_000 < end;
    boolean known = before > 0 && decided;
    if (!known) {
      unmeasured++;
      return;
    }
    medians.add(before);
    long took = (Math.min(back, end) - ended) / 1_000;
    all.add(took);
    kinds.forEach(kind -> millis.computeIfAbsent(kind, one -> new ArrayList<>()).add(took));
  }

  /**
   * Returns the median number of claims per second over undisturbed seconds, or 0 if there are too
   * few such seconds.
   */
  private long rateBefore(long from, List<Disturbance> earlier) {
    List<Long> seconds = new ArrayList<>();
    for (long to = from; to - SECOND >= start && seconds.size() < MAX_SECONDS; ) {
      long second = to - SECOND;
      long upTo = to;
      Disturbance overlapping =
          earlier.stream()
              .filter(one -> one.from < upTo && one.to > second)
              .findFirst()
              .orElse(null);
      if (overlapping == null) {
        seconds.add(count(second, to));
        to = second;
      } else {
        to = overlapping.from;
      }
    }
    return seconds.size() < MIN_SECONDS ? 0 : Percentiles.of(seconds, 0.5);
  }

  /**
   * Returns the time at which the rate was back, or {@link Long#MAX_VALUE} if it was not back
   * before the producers finished.
   */
  private long backAt(long ended, long before) {
    double required = before * SUFFICIENT_SHARE * WINDOW_SECONDS;
    for (long from = ended; from + WINDOW_SECONDS * SECOND <= end; from += STEP) {
      if (count(from, from + WINDOW_SECONDS * SECOND) >= required) {
        return from;
      }
    }
    return Long.MAX_VALUE;
  }

  private long count(long from, long to) {
    return (long) index(to) - index(from);
  }

  private int index(long micros) {
    int found = Arrays.binarySearch(claims, micros);
    while (found > 0 && claims[found - 1] == micros) {
      found--;
    }
    return found < 0 ? -found - 1 : found;
  }

  /**
   * Returns the figures for a kind of fault: the number of measured disturbances that included it,
   * and the times until the rate was back.
   */
  Map<String, Long> row(String kind) {
    List<Long> values = millis.getOrDefault(kind, List.of());
    Map<String, Long> row = new LinkedHashMap<>();
    row.put("rate_back_measured", (long) values.size());
    row.put("rate_back_p50_ms", Percentiles.of(values, 0.50));
    row.put("rate_back_p99_ms", Percentiles.of(values, 0.99));
    row.put("rate_back_max_ms", Percentiles.of(values, 1));
    return row;
  }

  /** Returns a percentile over all disturbances, each counted once. */
  long percentile(double part) {
    return Percentiles.of(all, part);
  }

  /**
   * Returns the number of claims per second without faults: the median of the rates before the
   * disturbances.
   */
  long typical() {
    return Percentiles.of(medians, 0.5);
  }

  int unmeasured() {
    return unmeasured;
  }
}
