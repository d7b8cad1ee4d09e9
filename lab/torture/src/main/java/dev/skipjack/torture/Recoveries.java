package dev.skipjack.torture;

import dev.skipjack.torture.FaultLog.Fault;
import dev.skipjack.torture.FinalRead.ExecutionRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The cost of the faults: the number of attempts lost because of each kind, and the times until
 * their jobs were rescued.
 */
final class Recoveries {

  /** The time allowed for the rescue itself on a busy machine. */
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

  /** Returns the target of the 99th percentile. */
  static long targetMillis(Pace pace) {
    return pace.lease().plus(pace.rescueInterval()).plus(SLACK).toMillis();
  }

  /**
   * Returns the recovery time in milliseconds. It starts at the beginning of a fault that hit one
   * process. For a fault that hit all processes, it starts when the server was reachable again, or
   * at the beginning of the fault if the rescue came before that. It never starts before the claim.
   * Time in which another fault made the server unreachable does not count, because no worker could
   * rescue a job.
   */
  private static long recovery(ExecutionRow attempt, Fault cause, FaultLog faults) {
    boolean fromEnd = !cause.hitsOneProcess() && cause.reachable() <= attempt.finished();
    long fault = fromEnd ? cause.reachable() : cause.began();
    long from = Math.max(fault, attempt.started());
    long whole = Math.max(0, attempt.finished() - from);
    return (whole - faults.microsWithoutServer(from, attempt.finished())) / 1_000;
  }

  /**
   * Returns the number of attempts lost because of a kind of fault, and percentiles of the recovery
   * time in milliseconds.
   */
  Map<String, Long> row(String kind) {
    List<Long> values = millis.getOrDefault(kind, List.of());
    Map<String, Long> row = new LinkedHashMap<>();
    row.put("reruns", (long) values.size());
    row.put("recovery_p50_ms", Percentiles.of(values, 0.50));
    row.put("recovery_p99_ms", Percentiles.of(values, 0.99));
    return row;
  }

  /** Returns a percentile over all lost attempts, in milliseconds. */
  long percentile(double part) {
    return Percentiles.of(millis.values().stream().flatMap(List::stream).toList(), part);
  }
}
