package dev.skipjack.torture;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skipjack.torture.FinalRead.JobRow;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The report of a run: its counters, figures and verdict. Immutable. */
public final class TortureReport {

  /** The name of the fact with the number of commits that the proxy cut, a Long. */
  static final String CUT_COMMITS = "cut_commits";

  /** The name of the fact that lists what was cut short, a list of texts. */
  static final String CUT_SHORT = "cut_short";

  private static final String FIRES = "fires";

  private static final String PUBLISHED = "events_published";

  private static final int MAX_STORIES = 5;

  private final Map<String, Object> facts;
  private final Map<Counter, Long> counters = new EnumMap<>(Counter.class);
  private final Map<String, Map<String, Long>> faults;
  private final Scale scale;
  private final List<Violation> violations;
  private final List<String> missed = new ArrayList<>();
  private final List<String> stories = new ArrayList<>();

  private TortureReport(
      Map<String, Object> facts, CheckedRun run, FaultLog log, Pace pace, List<Violation> found) {
    this.facts = new LinkedHashMap<>(facts);
    this.violations = List.copyOf(found);
    for (Counter counter : Counter.values()) {
      counters.put(counter, found.stream().filter(one -> one.counter() == counter).count());
    }
    Recoveries recoveries = Recoveries.of(run, log);
    ClaimRates rates = ClaimRates.of(run, log);
    this.faults = byKind(log, recoveries, rates);
    this.scale = Scale.of(run, log, pace, (Long) facts.getOrDefault(CUT_COMMITS, 0L));
    this.facts.put("jobs_enqueued", run.jobs.size());
    this.facts.put(FIRES, run.read.jobs().stream().filter(JobRow::isScheduled).count());
    this.facts.put("attempts", run.read.executions().size());
    reportEvents(run);
    Map<String, Integer> ends = new TreeMap<>();
    run.read.jobs().forEach(job -> ends.merge(job.status(), 1, Integer::sum));
    this.facts.put("ends", ends);
    figure("recovery_p50_ms", recoveries.percentile(0.50));
    figure("recovery_p99_ms", recoveries.percentile(0.99), Recoveries.targetMillis(pace));
    figure("claims_per_second", rates.typical());
    figure("rate_back_p50_ms", rates.percentile(0.50));
    figure("rate_back_p99_ms", rates.percentile(0.99));
    figure("rate_back_max_ms", rates.percentile(1), ClaimRates.TARGET_MILLIS);
    figure("rate_back_unmeasured", rates.unmeasured());
    collectStories(run, found);
  }

  static TortureReport of(
      Map<String, Object> facts, List<Event> history, FinalRead read, Pace pace) {
    CheckedRun run = new CheckedRun(history, read);
    FaultLog log = new FaultLog(history, pace);
    return new TortureReport(facts, run, log, pace, Checker.check(run, pace, log));
  }

  private void reportEvents(CheckedRun run) {
    long published = run.arrivals.stream().map(Event::key).distinct().count();
    facts.put("events_committed", run.changes.size());
    facts.put(PUBLISHED, published);
    facts.put("events_duplicated", run.arrivals.size() - published);
    facts.put("events_rejected", run.changes.values().stream().filter(Change::isPoison).count());
  }

  private static Map<String, Map<String, Long>> byKind(
      FaultLog log, Recoveries recoveries, ClaimRates rates) {
    Map<String, Long> counts = new LinkedHashMap<>();
    for (FaultKind kind : FaultKind.values()) {
      if (kind.isScheduled()) {
        counts.put(kind.label(), 0L);
      }
    }
    log.all().forEach(fault -> counts.merge(fault.kind(), 1L, Long::sum));
    Map<String, Map<String, Long>> rows = new LinkedHashMap<>();
    counts.forEach(
        (kind, times) -> {
          Map<String, Long> row = new LinkedHashMap<>();
          row.put("struck", times);
          row.putAll(recoveries.row(kind));
          row.putAll(rates.row(kind));
          rows.put(kind, row);
        });
    return rows;
  }

  private void figure(String name, long value) {
    facts.put(name, value);
  }

  /**
   * Adds a figure with a target. The figure also depends on the machine, so it does not affect the
   * verdict.
   */
  private void figure(String name, long value, long target) {
    facts.put(name, value);
    facts.put(name + "_target", target);
    if (value > target) {
      missed.add(name);
    }
  }

  private void collectStories(CheckedRun run, List<Violation> found) {
    Map<String, List<Violation>> byJob = new LinkedHashMap<>();
    for (Violation one : found) {
      byJob.computeIfAbsent(subject(one), subject -> new ArrayList<>()).add(one);
    }
    byJob.entrySet().stream()
        .limit(MAX_STORIES)
        .forEach(
            entry -> {
              stories.add(entry.getKey() + ":");
              entry
                  .getValue()
                  .forEach(one -> stories.add("  " + one.counter().label() + ": " + one.what()));
              Violation first = entry.getValue().get(0);
              run.story(first.job(), first.key()).forEach(line -> stories.add("    " + line));
            });
  }

  private static String subject(Violation one) {
    return isOfOutbox(one) ? "Event " + one.key() : "Job %d (%s)".formatted(one.job(), one.key());
  }

  private static boolean isOfOutbox(Violation one) {
    return switch (one.counter()) {
      case OUTBOX_MISSED,
          OUTBOX_PHANTOM,
          OUTBOX_MISORDERED,
          OUTBOX_DUPLICATES,
          OUTBOX_DELAYED,
          INBOX_VIOLATIONS ->
          true;
      default -> false;
    };
  }

  /** Returns whether every counter is zero. */
  public boolean isClean() {
    return counters.values().stream().allMatch(count -> count == 0);
  }

  List<Violation> violations() {
    return violations;
  }

  /** Returns the number of violations of a kind. */
  public long count(Counter counter) {
    return counters.getOrDefault(counter, 0L);
  }

  /**
   * Returns the figures for each kind of fault, for example the number of injections, the number of
   * repeated runs, and percentiles of the recovery time.
   */
  Map<String, Map<String, Long>> faults() {
    return faults;
  }

  Scale scale() {
    return scale;
  }

  /** Returns the histories of the first five jobs or events with violations, one line per event. */
  public List<String> stories() {
    return List.copyOf(stories);
  }

  /** Returns the report as one line of JSON. */
  public String json() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("verdict", isClean() ? "clean" : "violated");
    counters.forEach((counter, count) -> all.put(counter.label(), count));
    all.putAll(facts);
    all.put("targets_missed", missed);
    all.put("scale", scale.table());
    all.put("release_scale", scale.isRelease());
    all.put("faults", faults);
    try {
      return new ObjectMapper().writeValueAsString(all);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Prints the report as text. */
  public void print(PrintWriter out) {
    facts.forEach((name, value) -> out.printf("%-20s %s%n", name, value));
    out.println();
    out.printf("%-12s %31s %31s%n", "", "recovery, ms", "claim rate back, ms");
    out.printf(
        "%-12s %6s %6s %8s %8s %8s %8s %8s%n",
        "fault", "count", "reruns", "p50", "p99", "measured", "p50", "max");
    faults.forEach(
        (kind, row) ->
            out.printf(
                "%-12s %6d %6d %8d %8d %8d %8d %8d%n",
                kind,
                row.get("struck"),
                row.get("reruns"),
                row.get("recovery_p50_ms"),
                row.get("recovery_p99_ms"),
                row.get("rate_back_measured"),
                row.get("rate_back_p50_ms"),
                row.get("rate_back_max_ms")));
    out.println();
    scale
        .table()
        .forEach(
            (label, row) ->
                out.printf(
                    "%-20s %-8d (release: %d)%n", label, row.get("count"), row.get("release")));
    out.println();
    counters.forEach((counter, count) -> out.printf("%-20s %s%n", counter.label(), count));
    out.println();
    stories.forEach(out::println);
    if (!missed.isEmpty()) {
      out.println("Targets missed: " + String.join(", ", missed));
    }
    out.println(isClean() ? "Clean: no violations." : "Violations found.");
    out.flush();
  }
}
