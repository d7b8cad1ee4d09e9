package dev.skipjack.torture;

import dev.skipjack.torture.FaultLog.Fault;
import dev.skipjack.torture.FinalRead.ExecutionRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the faults cost: attempts that were lost through each kind, and how long those took. */
final class Recoveries {

  private final Map<String, Integer> struck = new LinkedHashMap<>();
  private final Map<String, List<Long>> millis = new LinkedHashMap<>();

  private Recoveries() {}

  static Recoveries of(CheckedRun run, FaultLog faults) {
    Recoveries recoveries = new Recoveries();
    for (FaultKind kind : FaultKind.values()) {
      recoveries.struck.put(kind.label(), 0);
    }
    for (Fault fault : faults.all()) {
      recoveries.struck.merge(fault.kind(), 1, Integer::sum);
    }
    for (ExecutionRow attempt : run.read.executions()) {
      Fault cause = attempt.status().equals("lost") ? faults.cause(attempt) : null;
      if (cause != null) {
        recoveries
            .millis
            .computeIfAbsent(cause.kind(), kind -> new ArrayList<>())
            .add(recovery(attempt, cause));
      }
    }
    return recoveries;
  }

  /** From the fault; from its end where nobody could be rescued before. */
  private static long recovery(ExecutionRow attempt, Fault cause) {
    long from = cause.isOfProcess() ? cause.began() : cause.ended();
    return Math.max(0, attempt.finished() - Math.max(from, attempt.started())) / 1_000;
  }

  /** By kind: how often it struck, reruns, and percentiles of the recovery in milliseconds. */
  Map<String, Map<String, Long>> byKind() {
    Map<String, Map<String, Long>> kinds = new LinkedHashMap<>();
    struck.forEach(
        (kind, times) -> kinds.put(kind, row(times, millis.getOrDefault(kind, List.of()))));
    return kinds;
  }

  private static Map<String, Long> row(int times, List<Long> recoveries) {
    Map<String, Long> row = new LinkedHashMap<>();
    row.put("struck", (long) times);
    row.put("reruns", (long) recoveries.size());
    row.put("recovery_p50_ms", percentile(recoveries, 0.50));
    row.put("recovery_p99_ms", percentile(recoveries, 0.99));
    return row;
  }

  /** Of all reruns. */
  long percentile(double part) {
    return percentile(millis.values().stream().flatMap(List::stream).toList(), part);
  }

  private static long percentile(List<Long> values, double part) {
    List<Long> sorted = values.stream().sorted().toList();
    return sorted.isEmpty() ? 0 : sorted.get((int) Math.ceil(part * sorted.size()) - 1);
  }
}
