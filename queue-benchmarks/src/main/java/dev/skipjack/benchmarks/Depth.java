package dev.skipjack.benchmarks;

import dev.skipjack.api.Outcome;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * What a claim takes when the table is full of other things: a worker's claims that took something,
 * against those in an almost empty table, measured right before.
 */
final class Depth implements Benchmark {

  private static final int HANDLERS = 8;
  private static final int SERVED = 10;
  private static final int CLAIMS_OF_ALL = 200;
  private static final double MOST = 1.5;

  @Override
  public String purpose() {
    return "claims in a full table, against those in an almost empty one";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    long jobs = options.number(Setting.JOBS, 1_000_000);
    long due = Math.min(5_000, jobs);
    long queues = Math.max(SERVED, jobs / 100);
    JobQueue queue = database.queue(8);
    Cases cases = new Cases(database, queue, due, notes);
    String one = Noop.TYPE.queue();
    String kind = Noop.TYPE.kind();

    cases.measure("warm-up", List.of(one), () -> database.preload(due, quoted(one), kind, "0"));
    cases.rows.clear();
    cases.measure(
        "%,d pending".formatted(jobs),
        List.of(one),
        () -> database.preload(jobs, quoted(one), kind, "0"));
    cases.measure(
        "%,d in the future, of higher priority".formatted(jobs),
        List.of(one),
        () -> {
          database.preload(jobs, quoted(one), kind, "50");
          database.inSchema("UPDATE @jobs SET scheduled_at = scheduled_at + interval '1 day'");
          database.preload(due, quoted(one), kind, "0");
        });
    cases.measure(
        "%,d of a foreign kind ahead".formatted(jobs * 3 / 10),
        List.of(one),
        () -> {
          database.preload(jobs * 3 / 10, quoted(one), "foreign", "0");
          database.inSchema("UPDATE @jobs SET scheduled_at = scheduled_at - interval '1 hour'");
          database.preload(due, quoted(one), kind, "0");
        });
    cases.measure(
        "skewed priorities, %,d pending".formatted(jobs),
        List.of(one),
        () ->
            database.preload(
                jobs, quoted(one), kind, "floor(power(random(), 3) * 201)::integer - 100"));
    List<String> served = IntStream.range(0, SERVED).mapToObj(i -> "q" + i).toList();
    cases.measure(
        "%,d queues, ten served".formatted(queues),
        served,
        () -> {
          database.preload(jobs, "'q' || n % " + queues, kind, "0");
          database.preload(due, "'q' || n % " + SERVED, kind, "0");
        });
    double all = allServed(database, queue, jobs, queues, notes);

    List<Double> ratios = cases.rows.stream().map(Row::ratio).toList();
    Report report =
        new Report("depth", "ratio")
            .put("median", Statistics.median(ratios))
            .put("least", Statistics.least(ratios))
            .put("most", Statistics.most(ratios))
            .put("ratio", Statistics.most(ratios))
            .put("floor", "an almost empty table")
            .put("runs", 1)
            .put("to_reach", MOST)
            .put("reached", Statistics.most(ratios) <= MOST)
            .put("all_queues_served_p50_ms", all);
    cases.rows.forEach(row -> report.row(row.figures()));
    return report;
  }

  private static String quoted(String text) {
    return "'" + text + "'";
  }

  /** Claims from all queues at once, by the store alone: a worker has threads for each queue. */
  private static double allServed(
      BenchmarkDatabase database, JobQueue queue, long jobs, long queues, Consumer<String> notes)
      throws Exception {
    database.empty();
    database.preload(jobs, "'q' || n % " + queues, Noop.TYPE.kind(), "0");
    database.settle();
    JobStore store = queue.store();
    List<LaneShare> lanes = new ArrayList<>();
    for (long i = 0; i < queues; i++) {
      lanes.add(new LaneShare(new Lane("q" + i, 0), HANDLERS, null));
    }
    Latencies latencies = new Latencies();
    for (long i = 0; i < Math.min(CLAIMS_OF_ALL, jobs / HANDLERS); i++) {
      Collections.rotate(lanes, 1);
      ClaimRequest request =
          new ClaimRequest(
              WorkerId.boot("bench"),
              lanes,
              List.of(Noop.TYPE.kind()),
              HANDLERS,
              Duration.ofSeconds(30));
      long begin = System.nanoTime();
      List<ClaimedJob> claimed = store.claim(request);
      latencies.addNanos(System.nanoTime() - begin);
      store.complete(claimed.stream().map(ClaimedJob::execution).toList());
    }
    notes.accept("all queues served: p50 %.2f ms".formatted(latencies.millis(50)));
    return latencies.millis(50);
  }

  private record Row(String name, Latencies empty, Latencies full) {

    double ratio() {
      return full.millis(50) / empty.millis(50);
    }

    Map<String, Object> figures() {
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("case", name);
      figures.put("claims", full.count());
      figures.put("empty_p50_ms", empty.millis(50));
      figures.put("p50_ms", full.millis(50));
      figures.put("p99_ms", full.millis(99));
      figures.put("ratio", ratio());
      return figures;
    }
  }

  /** Writes what a case is about. */
  @FunctionalInterface
  private interface Fill {
    void run() throws Exception;
  }

  private static final class Cases {

    private final BenchmarkDatabase database;
    private final JobQueue queue;
    private final long due;
    private final Consumer<String> notes;
    private final List<Row> rows = new ArrayList<>();

    Cases(BenchmarkDatabase database, JobQueue queue, long due, Consumer<String> notes) {
      this.database = database;
      this.queue = queue;
      this.due = due;
      this.notes = notes;
    }

    void measure(String name, List<String> queues, Fill fill) throws Exception {
      Latencies empty =
          claims(queues, () -> database.preload(due, among(queues), Noop.TYPE.kind(), "0"));
      Latencies full = claims(queues, fill);
      rows.add(new Row(name, empty, full));
      notes.accept(
          "%s: p50 %.2f ms, almost empty %.2f ms"
              .formatted(name, full.millis(50), empty.millis(50)));
    }

    private static String among(List<String> queues) {
      return queues.size() == 1 ? quoted(queues.get(0)) : "'q' || n % " + queues.size();
    }

    private Latencies claims(List<String> queues, Fill fill) throws Exception {
      database.archive(true, queues.toArray(String[]::new));
      database.empty();
      fill.run();
      database.settle();
      Latencies latencies = new Latencies();
      TimedAccess access =
          new TimedAccess(
              queue,
              (jobs, marked, nanos) -> {
                if (jobs > 0) {
                  latencies.addNanos(nanos);
                }
              });
      Finish finish = new Finish(due);
      Worker.Builder worker =
          Worker.on(access)
              .name("bench")
              .config(WorkerConfig.builder().prefetch(0).build())
              .handle(Noop.TYPE.onQueue(queues.get(0)), (payload, context) -> Outcome.completed())
              .listener(finish);
      for (String name : queues) {
        worker.queue(name, Math.max(1, HANDLERS / queues.size()));
      }
      Worker started = worker.start();
      try {
        finish.await();
      } finally {
        started.close();
      }
      return latencies;
    }
  }
}
