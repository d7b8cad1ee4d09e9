package dev.skipjack.torture;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The verdict about a run. Immutable. */
public final class TortureReport {

  private static final int SHOWN_JOBS = 5;

  private final Map<String, Object> facts;
  private final Map<Counter, Long> counters = new EnumMap<>(Counter.class);
  private final Map<String, Map<String, Long>> faults;
  private final List<String> stories = new ArrayList<>();

  private TortureReport(
      Map<String, Object> facts, Recoveries recoveries, CheckedRun run, List<Violation> found) {
    this.facts = new LinkedHashMap<>(facts);
    for (Counter counter : Counter.values()) {
      counters.put(counter, found.stream().filter(one -> one.counter() == counter).count());
    }
    this.faults = recoveries.byKind();
    this.facts.put("jobs_enqueued", run.jobs.size());
    this.facts.put("attempts", run.read.executions().size());
    Map<String, Integer> ends = new TreeMap<>();
    run.read.jobs().forEach(job -> ends.merge(job.status(), 1, Integer::sum));
    this.facts.put("ends", ends);
    this.facts.put("recovery_p50_ms", recoveries.percentile(0.50));
    this.facts.put("recovery_p99_ms", recoveries.percentile(0.99));
    tellStories(run, found);
  }

  /** Judges a run. */
  static TortureReport of(
      Map<String, Object> facts, List<Event> history, FinalRead read, Pace pace) {
    CheckedRun run = new CheckedRun(history, read);
    FaultLog faults = new FaultLog(history, pace);
    return new TortureReport(
        facts, Recoveries.of(run, faults), run, Checker.check(run, pace, faults));
  }

  private void tellStories(CheckedRun run, List<Violation> found) {
    Map<String, List<Violation>> byJob = new LinkedHashMap<>();
    for (Violation one : found) {
      byJob.computeIfAbsent(one.job() + " (" + one.key() + ")", job -> new ArrayList<>()).add(one);
    }
    byJob.entrySet().stream()
        .limit(SHOWN_JOBS)
        .forEach(
            entry -> {
              stories.add("Job " + entry.getKey() + ":");
              entry
                  .getValue()
                  .forEach(one -> stories.add("  " + one.counter().label() + ": " + one.what()));
              Violation first = entry.getValue().get(0);
              run.story(first.job(), first.key()).forEach(line -> stories.add("    " + line));
            });
  }

  /** Whether nothing was found. */
  public boolean isClean() {
    return counters.values().stream().allMatch(count -> count == 0);
  }

  /** How often something was found. */
  public long count(Counter counter) {
    return counters.getOrDefault(counter, 0L);
  }

  /** By kind of fault: how often it struck, reruns, and percentiles of the recovery. */
  Map<String, Map<String, Long>> faults() {
    return faults;
  }

  /** What is known of the first five jobs that something is wrong with, a line for each event. */
  public List<String> stories() {
    return List.copyOf(stories);
  }

  /** One line. */
  public String json() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("verdict", isClean() ? "clean" : "violated");
    counters.forEach((counter, count) -> all.put(counter.label(), count));
    all.putAll(facts);
    all.put("faults", faults);
    try {
      return new ObjectMapper().writeValueAsString(all);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** For people. */
  public void print(PrintWriter out) {
    facts.forEach((name, value) -> out.printf("%-20s %s%n", name, value));
    out.println();
    out.printf(
        "%-12s %8s %8s %17s %17s%n", "fault", "struck", "reruns", "recovery p50 ms", "p99 ms");
    faults.forEach(
        (kind, row) ->
            out.printf(
                "%-12s %8d %8d %17d %17d%n",
                kind,
                row.get("struck"),
                row.get("reruns"),
                row.get("recovery_p50_ms"),
                row.get("recovery_p99_ms")));
    out.println();
    counters.forEach((counter, count) -> out.printf("%-20s %d%n", counter.label(), count));
    out.println();
    stories.forEach(out::println);
    out.println(isClean() ? "Clean." : "Violated.");
    out.flush();
  }
}
