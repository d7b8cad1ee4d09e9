package dev.skipjack.benchmarks;

import dev.skipjack.benchmarks.Recording.Sent;
import dev.skipjack.benchmarks.StoreSteps.Step;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Measures the overhead of the store: the time that each hot statement takes through the store,
 * divided by its time in a bare JDBC loop. The loop sends the same values in the same number of
 * round trips, but without the store's settings. Its session has the store's planner settings from
 * the start, because with other plans the statements would assign other execution ids than the
 * recorded ones.
 *
 * <p>Each round first records the statements that the store sends while it enqueues, claims and
 * completes many jobs. Then the store and the bare loop repeat these statements in separate schemas
 * with empty tables. They alternate after every statement, so a slow disk affects both. Ids restart
 * at 1, so the recorded values are valid again; a round that leaves different rows in the two
 * schemas is discarded.
 *
 * <p>The ratio of a round is the ratio of the two median times. The result is the median ratio over
 * the rounds. Warm-up rounds do not count.
 */
final class StatementOverhead {

  private static final String PLANNER_SETTINGS =
      "SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan";

  private final BenchmarkDatabase database;
  private final int times;
  private final Consumer<String> notes;
  private int discarded;
  private final Map<String, List<Double>> ratios = new LinkedHashMap<>();
  private final Map<String, List<Double>> micros = new LinkedHashMap<>();

  StatementOverhead(BenchmarkDatabase database, int times, Consumer<String> notes) {
    this.database = database;
    this.times = times;
    this.notes = notes;
  }

  /**
   * Runs all rounds and returns the fields of the report.
   *
   * @throws IllegalStateException if all rounds were discarded
   */
  Map<String, Object> measure(int warmUps, int rounds) throws SQLException {
    database.createFloor();
    try (Connection connection = database.bareConnection()) {
      try (Statement settings = connection.createStatement()) {
        settings.execute(PLANNER_SETTINGS);
      }
      BareJdbc bare = new BareJdbc(connection);
      for (int round = 0; round < warmUps + rounds; round++) {
        notes.accept("round %d of %d".formatted(round + 1, warmUps + rounds));
        measureRound(bare, round >= warmUps);
      }
    }
    if (ratios.isEmpty()) {
      throw new IllegalStateException(
          "In each of the %d rounds, store and bare loop left different rows. Repeat the benchmark with other --jobs."
              .formatted(warmUps + rounds));
    }
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("benchmark", "statement-overhead");
    line.put("rounds", rounds);
    line.put("discarded_rounds", discarded);
    line.put("statements_per_round", times);
    ratios.forEach((step, values) -> line.put(step, summary(values, micros.get(step))));
    line.put("server", database.settings());
    return line;
  }

  /** Returns the costs per job of all steps through the store. Empties the tables. */
  Costs costs() throws SQLException {
    database.empty();
    List<Step> steps = new StoreSteps(database.queue(pool -> pool)).steps();
    Meter meter = Meter.start(database);
    for (Step step : steps) {
      for (int i = 0; i < times; i++) {
        step.statement().accept(i);
      }
    }
    return meter.stop(StoreSteps.jobs(times));
  }

  private void measureRound(BareJdbc bare, boolean recorded) throws SQLException {
    database.emptyBoth();
    Recording recording = new Recording();
    for (Step step : new StoreSteps(database.queue(recording::wrap)).steps()) {
      for (int i = 0; i < times; i++) {
        step.statement().accept(i);
      }
    }
    List<Sent> forFloor = database.forFloor(recording.sent());
    // Run everything once: the driver prepares a statement only after several executions.
    bare.send(forFloor);
    Iterator<Sent> sent = forFloor.iterator();
    database.emptyBoth();
    Map<String, List<Long>> store = new LinkedHashMap<>();
    Map<String, List<Long>> floor = new LinkedHashMap<>();
    for (Step step : new StoreSteps(database.queue(pool -> pool)).steps()) {
      for (int i = 0; i < times; i++) {
        int turn = i;
        List<Sent> same = List.of(sent.next());
        // Both go first equally often: the second one finds a log that was just flushed.
        if (i % 2 == 0) {
          time(store, step, () -> step.statement().accept(turn));
          time(floor, step, () -> bare.send(same));
        } else {
          time(floor, step, () -> bare.send(same));
          time(store, step, () -> step.statement().accept(turn));
        }
      }
    }
    if (!database.rows().equals(database.rowsOfFloor())) {
      // A different plan assigned execution ids in another order, so recorded ids did not match.
      discarded++;
    } else if (recorded) {
      store.forEach(
          (step, storeNanos) -> {
            double median = median(storeNanos.stream().map(Long::doubleValue).sorted().toList());
            List<Long> floorNanos = floor.getOrDefault(step, List.of(1L));
            add(
                ratios,
                step,
                median / median(floorNanos.stream().map(Long::doubleValue).sorted().toList()));
            add(micros, step, median / 1_000);
          });
    }
  }

  @FunctionalInterface
  private interface Work {
    void run() throws SQLException;
  }

  private static void time(Map<String, List<Long>> times, Step step, Work work)
      throws SQLException {
    long begin = System.nanoTime();
    work.run();
    times.computeIfAbsent(step.name(), name -> new ArrayList<>()).add(System.nanoTime() - begin);
  }

  private static void add(Map<String, List<Double>> values, String step, double value) {
    values.computeIfAbsent(step, name -> new ArrayList<>()).add(value);
  }

  private static Map<String, Double> summary(
      List<Double> ratios, @Nullable List<Double> microseconds) {
    List<Double> sorted = ratios.stream().sorted().toList();
    Map<String, Double> summary = new LinkedHashMap<>();
    summary.put("ratio", rounded(median(sorted)));
    summary.put("least", rounded(sorted.get(0)));
    summary.put("most", rounded(sorted.get(sorted.size() - 1)));
    if (microseconds != null) {
      summary.put("micros", rounded(median(microseconds.stream().sorted().toList())));
    }
    return summary;
  }

  private static double median(List<Double> sorted) {
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  private static double rounded(double value) {
    return Math.round(value * 100) / 100.0;
  }
}
