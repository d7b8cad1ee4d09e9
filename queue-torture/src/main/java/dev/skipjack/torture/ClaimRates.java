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
 * How soon after a fault was healed the workers claim again as they did before it. A pure function.
 *
 * <p>Before means the median of the last undisturbed seconds; again means two seconds in a row with
 * 95 % of that, of which the begin counts. Where other faults strike before that, healed is when
 * the last of them is: they are one disturbance, with the rate before the first and under the names
 * of all. Commits are cut all the time, and are part of the normal rate. Nothing can be said about
 * the first seconds of a run and about what is not over when the producers end.
 */
final class ClaimRates {

  /** When it must be back at the latest. */
  static final long TARGET_MILLIS = 10_000;

  private static final double ENOUGH = 0.95;
  private static final long SECOND = 1_000_000;
  private static final long STEP = SECOND / 10;
  private static final int WINDOW_SECONDS = 2;
  private static final int FEWEST_SECONDS = 3;
  private static final int MOST_SECONDS = 10;

  private final long[] claims;
  private final long begin;
  private final long end;
  private final Map<String, List<Long>> millis = new LinkedHashMap<>();
  private final List<Long> all = new ArrayList<>();
  private final List<Long> medians = new ArrayList<>();
  private int unmeasured;

  /** A stretch from the first fault to the moment when the rate was back. */
  private record Disturbance(long from, long to) {}

  private ClaimRates(CheckedRun run) {
    this.claims =
        run.read.executions().stream().mapToLong(ExecutionRow::started).sorted().toArray();
    List<Event> asked = run.events(EventType.ASKED);
    this.begin = asked.isEmpty() ? 0 : asked.get(0).micros();
    this.end = asked.isEmpty() ? 0 : asked.get(asked.size() - 1).micros();
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
      long before = before(from, earlier);
      long healed = from;
      long back = from;
      Set<String> kinds = new LinkedHashSet<>();
      while (next < faults.size() && faults.get(next).began() <= back) {
        Fault fault = faults.get(next++);
        kinds.add(fault.kind());
        healed = Math.max(healed, fault.ended());
        back = back(healed, before);
      }
      earlier.add(new Disturbance(from, back));
      note(kinds, before, healed, back);
    }
  }

  private void note(Set<String> kinds, long before, long healed, long back) {
    boolean over = back < Long.MAX_VALUE || healed + TARGET_MILLIS * 1_000 < end;
    boolean known = before > 0 && over;
    if (!known) {
      unmeasured++;
      return;
    }
    medians.add(before);
    long took = (Math.min(back, end) - healed) / 1_000;
    all.add(took);
    kinds.forEach(kind -> millis.computeIfAbsent(kind, one -> new ArrayList<>()).add(took));
  }

  /** Claims a second, the median of seconds in which no fault was felt; 0 if there are too few. */
  private long before(long from, List<Disturbance> earlier) {
    List<Long> seconds = new ArrayList<>();
    for (long to = from; to - SECOND >= begin && seconds.size() < MOST_SECONDS; ) {
      long second = to - SECOND;
      long upTo = to;
      Disturbance felt =
          earlier.stream()
              .filter(one -> one.from < upTo && one.to > second)
              .findFirst()
              .orElse(null);
      if (felt == null) {
        seconds.add(count(second, to));
        to = second;
      } else {
        to = felt.from;
      }
    }
    return seconds.size() < FEWEST_SECONDS ? 0 : Percentiles.of(seconds, 0.5);
  }

  /** From when on claims come as before; never, if they do not while the producers work. */
  private long back(long healed, long before) {
    double wanted = before * ENOUGH * WINDOW_SECONDS;
    for (long from = healed; from + WINDOW_SECONDS * SECOND <= end; from += STEP) {
      if (count(from, from + WINDOW_SECONDS * SECOND) >= wanted) {
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

  /** By kind: how many disturbances it had a part in, and when the rate was back. */
  Map<String, Long> row(String kind) {
    List<Long> values = millis.getOrDefault(kind, List.of());
    Map<String, Long> row = new LinkedHashMap<>();
    row.put("healings", (long) values.size());
    row.put("rate_back_p50_ms", Percentiles.of(values, 0.50));
    row.put("rate_back_p99_ms", Percentiles.of(values, 0.99));
    row.put("rate_back_max_ms", Percentiles.of(values, 1));
    return row;
  }

  /** Of all disturbances, each once. */
  long percentile(double part) {
    return Percentiles.of(all, part);
  }

  /** Claims a second without faults: the median of all that was compared with. */
  long typical() {
    return Percentiles.of(medians, 0.5);
  }

  /** Disturbances of which nothing can be said. */
  int unmeasured() {
    return unmeasured;
  }
}
