package dev.skipjack.torture;

import dev.skipjack.torture.FaultLog.Fault;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The scale of a run, compared with what a release requires. */
final class Scale {

  /** The figures that are counted, with their minimums for a release. */
  enum Measure {
    JOBS(100_000),
    WORKER_KILLS(200),
    /** Immediate shutdowns of the server and kills of its postmaster. */
    SERVER_KILLS(20),
    /** Workers that were frozen for longer than a lease and then resumed. */
    ZOMBIES(50),
    CUT_COMMITS(5_000);

    private final long release;

    Measure(long release) {
      this.release = release;
    }

    long release() {
      return release;
    }

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Map<Measure, Long> counts = new LinkedHashMap<>();

  private Scale() {}

  static Scale of(CheckedRun run, FaultLog log, Pace pace, long cutCommits) {
    List<Fault> faults = log.all();
    Scale scale = new Scale();
    scale.counts.put(Measure.JOBS, (long) run.jobs.size());
    scale.counts.put(
        Measure.WORKER_KILLS,
        faults.stream().filter(Scale::isKill).filter(f -> Fleet.isWorker(f.process())).count());
    scale.counts.put(
        Measure.SERVER_KILLS,
        faults.stream()
            .filter(f -> f.is(FaultKind.POSTMASTER) && !f.how().equals(FaultInjector.ONE_BACKEND))
            .count());
    scale.counts.put(
        Measure.ZOMBIES, faults.stream().filter(fault -> isZombie(fault, faults, pace)).count());
    scale.counts.put(Measure.CUT_COMMITS, cutCommits);
    return scale;
  }

  private static boolean isKill(Fault fault) {
    return fault.is(FaultKind.KILL);
  }

  private static boolean isZombie(Fault stop, List<Fault> faults, Pace pace) {
    return stop.is(FaultKind.STOP)
        && stop.ended() - stop.began() > pace.lease().toNanos() / 1_000
        && faults.stream()
            .noneMatch(
                kill ->
                    isKill(kill)
                        && kill.process().equals(stop.process())
                        && kill.began() >= stop.began()
                        && kill.began() <= stop.ended());
  }

  long count(Measure measure) {
    return counts.getOrDefault(measure, 0L);
  }

  /** Returns whether every count reaches the minimum for a release. */
  boolean isRelease() {
    return counts.entrySet().stream().allMatch(e -> e.getValue() >= e.getKey().release());
  }

  /** Returns the count and the minimum for a release, by label. */
  Map<String, Map<String, Long>> table() {
    Map<String, Map<String, Long>> table = new LinkedHashMap<>();
    counts.forEach(
        (measure, count) ->
            table.put(measure.label(), Map.of("count", count, "release", measure.release())));
    return table;
  }
}
