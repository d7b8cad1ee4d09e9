package dev.skipjack.benchmarks;

import dev.skipjack.api.JobType;
import dev.skipjack.dedup.Unique;
import dev.skipjack.dedup.UniqueJobs;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Measures the cost of unique keys for an enqueue, with 1 and with 100 jobs per call. Compares jobs
 * without a key in the usual schema and in a schema without the index on unique keys. Also compares
 * jobs with fresh keys, and duplicates, with jobs without a key.
 *
 * <p>The variants take turns every few calls, in a rotating order. Each round starts with empty
 * tables. The result is the median ratio over the rounds; warm-up rounds do not count.
 */
final class UniqueOverhead {

  record Webhook(long delivery, String event, String repository, String body) {}

  private static final JobType<Webhook> TYPE = JobType.of("webhook", Webhook.class);
  private static final Unique<Webhook> BY_DELIVERY =
      Unique.by(webhook -> "delivery-" + webhook.delivery());
  private static final String BODY = "x".repeat(90);
  private static final int MANY = 100;
  private static final int CALLS_PER_TURN = 5;

  /**
   * The factor by which more calls are needed to measure CPU time, which the system counts in units
   * of 10 ms.
   */
  private static final int CALLS_FACTOR = 10;

  private final BenchmarkDatabase database;
  private final int turns;
  private final Consumer<String> notes;
  private final Map<String, List<Double>> ratios = new LinkedHashMap<>();
  private final Map<String, List<Double>> micros = new LinkedHashMap<>();
  private long lastDelivery;

  UniqueOverhead(BenchmarkDatabase database, int turns, Consumer<String> notes) {
    this.database = database;
    this.turns = turns;
    this.notes = notes;
  }

  /** Runs all rounds and returns the fields of the report. */
  Map<String, Object> measure(int warmUps, int rounds) throws SQLException {
    for (int round = 0; round < warmUps + rounds; round++) {
      notes.accept("round %d of %d".formatted(round + 1, warmUps + rounds));
      measureRound(1, round >= warmUps);
      measureRound(MANY, round >= warmUps);
    }
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("benchmark", "unique-overhead");
    line.put("rounds", rounds);
    line.put("calls_per_round", turns * CALLS_PER_TURN);
    ratios.forEach(
        (variant, values) ->
            line.put(variant, summary(values, micros.getOrDefault(variant, List.of()))));
    line.put("server", database.settings());
    return line;
  }

  /** Returns the costs of enqueuing a single job with a fresh key. Empties the tables. */
  Costs costs() throws SQLException {
    database.empty();
    UniqueJobs unique = UniqueJobs.on(database.queue(pool -> pool));
    int calls = turns * CALLS_PER_TURN * CALLS_FACTOR;
    Meter meter = Meter.start(database);
    for (int call = 0; call < calls; call++) {
      enqueue(unique, payloads(1));
    }
    return meter.stop(calls);
  }

  private void measureRound(int size, boolean recorded) throws SQLException {
    database.empty();
    JobQueue withoutIndex = database.queueWithoutUniqueIndex(pool -> pool);
    JobQueue queue = database.queue(pool -> pool);
    UniqueJobs unique = UniqueJobs.on(queue);
    List<Webhook> known = payloads(size);
    unique.enqueueAll(TYPE, known, BY_DELIVERY);
    List<Variant> variants =
        List.of(
            new Variant("without-index", () -> enqueue(withoutIndex, payloads(size))),
            new Variant("no-key", () -> enqueue(queue, payloads(size))),
            new Variant("fresh-key", () -> enqueue(unique, payloads(size))),
            new Variant("duplicate", () -> enqueue(unique, known)));
    long[] nanos = new long[variants.size()];
    for (int turn = 0; turn < turns; turn++) {
      for (int i = 0; i < variants.size(); i++) {
        int variant = (i + turn) % variants.size();
        long begin = System.nanoTime();
        for (int call = 0; call < CALLS_PER_TURN; call++) {
          variants.get(variant).once().run();
        }
        nanos[variant] += System.nanoTime() - begin;
      }
    }
    String rows = "jobs pending " + (size + 2L * turns * CALLS_PER_TURN * size);
    if (!database.rows().equals(rows)) {
      throw new IllegalStateException(
          "Expected %s, but the tables contain %s.".formatted(rows, database.rows()));
    }
    if (recorded) {
      add("no-key-" + size, nanos[1], nanos[0]);
      add("fresh-key-" + size, nanos[2], nanos[1]);
      add("duplicate-" + size, nanos[3], nanos[1]);
    }
  }

  private record Variant(String name, Runnable once) {}

  private List<Webhook> payloads(int size) {
    return IntStream.range(0, size)
        .mapToObj(i -> new Webhook(++lastDelivery, "push", "skipjack/queue", BODY))
        .toList();
  }

  private static void enqueue(JobQueue queue, List<Webhook> payloads) {
    if (payloads.size() == 1) {
      queue.enqueue(TYPE, payloads.get(0));
    } else {
      queue.enqueueAll(TYPE, payloads);
    }
  }

  private static void enqueue(UniqueJobs unique, List<Webhook> payloads) {
    if (payloads.size() == 1) {
      unique.enqueue(TYPE, payloads.get(0), BY_DELIVERY);
    } else {
      unique.enqueueAll(TYPE, payloads, BY_DELIVERY);
    }
  }

  private void add(String variant, long nanos, long base) {
    ratios.computeIfAbsent(variant, name -> new ArrayList<>()).add((double) nanos / base);
    micros
        .computeIfAbsent(variant, name -> new ArrayList<>())
        .add(nanos / 1_000.0 / turns / CALLS_PER_TURN);
  }

  private static Map<String, Double> summary(List<Double> ratios, List<Double> micros) {
    List<Double> sorted = ratios.stream().sorted().toList();
    Map<String, Double> summary = new LinkedHashMap<>();
    summary.put("ratio", rounded(sorted.get(sorted.size() / 2)));
    summary.put("least", rounded(sorted.get(0)));
    summary.put("most", rounded(sorted.get(sorted.size() - 1)));
    summary.put("micros", rounded(micros.stream().sorted().toList().get(micros.size() / 2)));
    return summary;
  }

  private static double rounded(double value) {
    return Math.round(value * 1_000) / 1_000.0;
  }
}
