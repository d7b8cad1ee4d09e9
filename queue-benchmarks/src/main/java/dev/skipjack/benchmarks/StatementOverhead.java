package dev.skipjack.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skipjack.benchmarks.Recording.Sent;
import dev.skipjack.benchmarks.StoreSteps.Step;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the store costs beside the database's own work: the time of each hot statement through the
 * store, divided by the time of the very same text, values and round trips from a bare JDBC loop.
 *
 * <p>Each round lets the store live through many jobs on empty tables, and repeats on empty tables
 * what it has sent, the one first or the other. The ids are drawn anew from 1, so that the values
 * fit; the rows that both leave are compared. Warm-up rounds are thrown away; the ratio of a step
 * is the median of its rounds'.
 */
public final class StatementOverhead {

  private final BenchmarkDatabase database;
  private final int batches;
  private int discarded;
  private final Map<String, List<Double>> ratios = new LinkedHashMap<>();
  private final Map<String, List<Double>> micros = new LinkedHashMap<>();

  StatementOverhead(BenchmarkDatabase database, int batches) {
    this.database = database;
    this.batches = batches;
  }

  /**
   * Prints one line of JSON.
   *
   * @param args a JDBC URL of a database that may be emptied; without it an embedded server is
   *     started
   */
  public static void main(String... args) throws SQLException, JsonProcessingException {
    try (BenchmarkDatabase database = BenchmarkDatabase.open(args)) {
      System.out.println(
          new ObjectMapper()
              .writeValueAsString(new StatementOverhead(database, 200).measure(2, 12)));
    }
  }

  /** Runs and answers what is to be printed. */
  Map<String, Object> measure(int warmUps, int rounds) throws SQLException {
    try (Connection connection = database.bareConnection()) {
      connection.setAutoCommit(false);
      BareJdbc bare = new BareJdbc(connection);
      for (int round = 0; round < warmUps + rounds; round++) {
        measureRound(bare, round >= warmUps, round % 2 == 0);
      }
    }
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("benchmark", "statement-overhead");
    line.put("rounds", rounds);
    line.put("discarded_rounds", discarded);
    line.put("statements_per_round", batches);
    ratios.forEach((step, values) -> line.put(step, summary(values, micros.get(step))));
    line.put("server", database.settings());
    return line;
  }

  private void measureRound(BareJdbc bare, boolean counts, boolean storeFirst) throws SQLException {
    database.empty();
    Recording recording = new Recording();
    Map<String, List<Sent>> sentBy = new LinkedHashMap<>();
    int before = 0;
    for (Step step : steps(database.queue(recording::noting))) {
      step.work().run();
      sentBy.put(step.name(), recording.sent().subList(before, recording.sent().size()));
      before = recording.sent().size();
    }
    String expected = database.rows();

    // By turns, or whoever goes second would always find the log and the caches of the first.
    Map<String, Long> floor = storeFirst ? Map.of() : floor(bare, sentBy);
    boolean same = storeFirst || database.rows().equals(expected);
    Map<String, Long> store = store();
    same &= database.rows().equals(expected);
    if (storeFirst) {
      floor = floor(bare, sentBy);
      same &= database.rows().equals(expected);
    }
    // A plan that changed meanwhile hands out execution ids in another order, and some do not fit.
    if (!same) {
      discarded++;
    } else if (counts) {
      for (String step : sentBy.keySet()) {
        long ours = store.getOrDefault(step, 0L);
        add(ratios, step, (double) ours / floor.getOrDefault(step, 1L));
        add(micros, step, ours / 1_000.0 / batches);
      }
    }
  }

  private Map<String, Long> store() throws SQLException {
    database.empty();
    Map<String, Long> nanos = new LinkedHashMap<>();
    for (Step step : steps(database.queue(pool -> pool))) {
      nanos.put(step.name(), nanos(step.work()::run));
    }
    return nanos;
  }

  private Map<String, Long> floor(BareJdbc bare, Map<String, List<Sent>> sentBy)
      throws SQLException {
    database.empty();
    Map<String, Long> nanos = new LinkedHashMap<>();
    for (Map.Entry<String, List<Sent>> step : sentBy.entrySet()) {
      nanos.put(step.getKey(), nanos(() -> bare.send(step.getValue())));
    }
    return nanos;
  }

  private List<Step> steps(JobQueue queue) {
    return new StoreSteps(queue, batches).steps();
  }

  @FunctionalInterface
  private interface Work {
    void run() throws SQLException;
  }

  private static long nanos(Work work) throws SQLException {
    long begin = System.nanoTime();
    work.run();
    return System.nanoTime() - begin;
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
