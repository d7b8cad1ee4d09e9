package dev.skipjack.benchmarks;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.benchmarks.Options.Setting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Compares the duration of a worker's claims in a full table with that in an almost empty one. Only
 * claims that return jobs count. Each case fills the table once; then runs in both tables take
 * turns.
 */
final class Depth implements Benchmark {

  private static final int SERVED = 10;
  private static final int CLAIMS_OF_ALL = 200;
  private static final int JOBS_OF_ALL = 8;
  private static final double MAX_RATIO = 1.5;
  private static final String SKEWED = "floor(power(random(), 3) * 201)::integer - 100";

  @Override
  public String purpose() {
    return "claims in a full table, against an almost empty one";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.RUNS);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    long jobs = options.number(Setting.JOBS, 1_000_000);
    long queues = Math.max(SERVED, jobs / 100);
    long due = Math.min(3_000, jobs);
    DepthTables tables =
        new DepthTables(database, due, options.warmUps(), options.count(Setting.RUNS, 3), notes);
    List<Row> rows = new ArrayList<>();
    for (Case one : cases(jobs, queues)) {
      database.empty();
      database.preload(
          BenchmarkDatabase.SCHEMA,
          one.jobs,
          one.queue,
          one.kind,
          one.filledPriority,
          one.scheduledAt);
      notes.accept(one.name);
      rows.add(new Row(one, tables.measure(one.served, one.priority)));
    }
    // The last case has put jobs into every queue.
    database.preload(due, "'q' || n % " + queues, Noop.TYPE.kind(), "0");
    database.settle();
    AllServed all =
        allServed(tables.full().store(), queues, Math.min(CLAIMS_OF_ALL, due / JOBS_OF_ALL / 2));
    notes.accept(
        "all queues served: p50 %.2f ms, ten served: %.2f ms"
            .formatted(all.all.millis(50), all.ten.millis(50)));
    return report(rows)
        .put("all_queues_served_p50_ms", all.all.millis(50))
        .put("all_queues_served_ratio", all.all.millis(50) / all.ten.millis(50));
  }

  /**
   * A case: the jobs that fill the table, and the jobs that are claimed from it.
   *
   * @param field prefix of the names of the case's fields in the report
   * @param jobs number of jobs that fill the table
   * @param queue their queues, as an SQL expression over the job's number {@code n}
   * @param filledPriority their priorities, as an SQL expression
   * @param scheduledAt their due times, as an SQL expression
   * @param served the queues that the worker serves
   * @param priority priorities of the claimed jobs, as an SQL expression
   */
  private record Case(
      String field,
      String name,
      long jobs,
      String queue,
      String kind,
      String filledPriority,
      String scheduledAt,
      List<String> served,
      String priority) {}

  private static List<Case> cases(long jobs, long queues) {
    String kind = Noop.TYPE.kind();
    List<String> one = List.of(Noop.TYPE.queue());
    String queue = "'" + Noop.TYPE.queue() + "'";
    String now = "clock_timestamp()";
    return List.of(
        new Case("pending", "%,d pending".formatted(jobs), jobs, queue, kind, "0", now, one, "0"),
        new Case(
            "future",
            "%,d in the future, of higher priority".formatted(jobs),
            jobs,
            queue,
            kind,
            "50",
            now + " + interval '1 day'",
            one,
            "0"),
        new Case(
            "foreign_kind",
            "%,d of a foreign kind ahead".formatted(jobs * 3 / 10),
            jobs * 3 / 10,
            queue,
            "foreign",
            "0",
            now + " - interval '1 hour'",
            one,
            "0"),
        new Case(
            "skewed",
            "skewed priorities, %,d pending".formatted(jobs),
            jobs,
            queue,
            kind,
            SKEWED,
            now,
            one,
            SKEWED),
        new Case(
            "ten_queues",
            "%,d queues, ten served".formatted(queues),
            jobs,
            "'q' || n % " + queues,
            kind,
            "0",
            now,
            IntStream.range(0, SERVED).mapToObj(i -> "q" + i).toList(),
            "0"));
  }

  /** The durations of claims from all queues, and of claims from ten queues. */
  private record AllServed(Latencies all, Latencies ten) {}

  /**
   * Alternates between claims from all queues and claims from ten queues. Uses the store without a
   * worker, because a worker would need handler threads for each queue.
   *
   * @param claims number of claims of either kind
   */
  private static AllServed allServed(JobStore store, long queues, long claims) {
    List<LaneShare> lanes = new ArrayList<>();
    for (long i = 0; i < queues; i++) {
      lanes.add(new LaneShare(new Lane("q" + i, 0), JOBS_OF_ALL, null));
    }
    AllServed served = new AllServed(new Latencies(), new Latencies());
    for (long i = 0; i < claims; i++) {
      Collections.rotate(lanes, 1);
      served.all.addNanos(claimAndComplete(store, lanes));
      served.ten.addNanos(claimAndComplete(store, lanes.subList(0, SERVED)));
    }
    return served;
  }

  /** Claims and completes jobs, and returns the duration of the claim. */
  private static long claimAndComplete(JobStore store, List<LaneShare> lanes) {
    ClaimRequest request =
        new ClaimRequest(
            WorkerId.boot("bench"),
            lanes,
            List.of(Noop.TYPE.kind()),
            JOBS_OF_ALL,
            Duration.ofSeconds(30));
    long begin = System.nanoTime();
    List<ClaimedJob> claimed = store.claim(request);
    long nanos = System.nanoTime() - begin;
    if (claimed.size() != JOBS_OF_ALL) {
      throw new IllegalStateException(
          "A claim of %d due jobs returned %d.".formatted(JOBS_OF_ALL, claimed.size()));
    }
    store.complete(claimed.stream().map(ClaimedJob::execution).toList());
    return nanos;
  }

  /** The result of a case. */
  private record Row(Case one, Rounds.Results results) {

    List<Double> ratios() {
      return results.ratios(DepthTables.FULL, DepthTables.SHALLOW);
    }

    double ratio() {
      return Statistics.median(ratios());
    }

    /** Returns a sample per round: the ratio, with the costs of the run in the full table. */
    List<Sample> samples() {
      List<Sample> full = results.of(DepthTables.FULL);
      return IntStream.range(0, full.size())
          .mapToObj(i -> new Sample(ratios().get(i), full.get(i).costs(), full.get(i).figures()))
          .toList();
    }

    Map<String, Object> figures() {
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("case", one.name);
      figures.put("claims", Math.round(values("claims").stream().mapToDouble(n -> n).sum()));
      figures.put("empty_p50_ms", Statistics.median(results.values(DepthTables.SHALLOW)));
      figures.put("p50_ms", Statistics.median(results.values(DepthTables.FULL)));
      figures.put("p99_ms", Statistics.median(values("p99_ms")));
      figures.put("ratio", ratio());
      figures.put("least", Statistics.min(ratios()));
      figures.put("most", Statistics.max(ratios()));
      return figures;
    }

    private List<Double> values(String figure) {
      return samples().stream().map(run -> run.figures().getOrDefault(figure, 0.0)).toList();
    }
  }

  /** Returns the report, whose result is the worst case. */
  private static Report report(List<Row> rows) {
    Row worst = Collections.max(rows, Comparator.comparingDouble(Row::ratio));
    Report report =
        new Report("depth", "ratio")
            .finding(worst.samples())
            .put("ratio", worst.ratio())
            .put("ratio_least", Statistics.min(worst.ratios()))
            .put("ratio_most", Statistics.max(worst.ratios()))
            .put("ratio_of", worst.one.field)
            .put("floor", "an almost empty table")
            .put("to_reach", MAX_RATIO)
            .put("reached", worst.ratio() <= MAX_RATIO);
    rows.forEach(row -> report.put(row.one.field + "_ratio", row.ratio()).row(row.figures()));
    return report;
  }
}
