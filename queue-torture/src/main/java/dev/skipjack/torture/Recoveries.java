package dev.skipjack.torture;

import dev.skipjack.torture.FaultLog.Fault;
import dev.skipjack.torture.FinalRead.ExecutionRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the faults cost: attempts that were lost through each kind, and how long those took. */
final class Recoveries {

  /** What the rescue itself may take, with all that goes on meanwhile. */
  private static final Duration SLACK = Duration.ofSeconds(1);

  private final Map<String, List<Long>> millis = new LinkedHashMap<>();

  private Recoveries() {}

  static Recoveries of(CheckedRun run, FaultLog faults) {
    Recoveries recoveries = new Recoveries();
    for (ExecutionRow attempt : run.read.executions()) {
      Fault cause = attempt.status().equals("lost") ? faults.cause(attempt) : null;
      if (cause != null) {
        recoveries
            .millis
            .computeIfAbsent(cause.kind(), kind -> new ArrayList<>())
            .add(recovery(attempt, cause, faults));
      }
    }
    return recoveries;
  }

  /** What 99 of 100 must not exceed. */
  static long targetMillis(Pace pace) {
    return pace.lease().plus(pace.rescueInterval()).plus(SLACK).toMillis();
  }

  /**
   * From the fault, however long it lasts; where everybody was struck from its end, or from when
   * the server could be reached again, unless the rescue came before it; from the claim if that
   * came later. Time in which another fault kept everybody from the server does not count: nobody
   * could rescue anything.
   */
  private static long recovery(ExecutionRow attempt, Fault cause, FaultLog faults) {
    boolean healed = !cause.isOfProcess() && cause.reachable() <= attempt.finished();
    long fault = healed ? cause.reachable() : cause.began();
    long from = Math.max(fault, attempt.started());
    long whole = Math.max(0, attempt.finished() - from);
    return (whole - faults.microsWithoutServer(from, attempt.finished())) / 1_000;
  }

  /**
   * How many attempts were lost through a kind, and percentiles of the recovery in milliseconds.
   */
  Map<String, Long> row(String kind) {
    List<Long> values = millis.getOrDefault(kind, List.of());
    Map<String, Long> row = new LinkedHashMap<>();
    row.put("reruns", (long) values.size());
    row.put("recovery_p50_ms", Percentiles.of(values, 0.50));
    row.put("recovery_p99_ms", Percentiles.of(values, 0.99));
    return row;
  }

  /** Of all reruns. */
  long percentile(double part) {
    return Percentiles.of(millis.values().stream().flatMap(List::stream).toList(), part);
  }
}
