package dev.skipjack.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Lets several ways of doing something take turns: one round is thrown away, then each round runs
 * every way once, in an order that rotates, so that all meet the same machine.
 */
final class Rounds {

  /** One way; not called by two threads at once. */
  @FunctionalInterface
  interface Way {
    /**
     * Runs once.
     *
     * @param seconds about how long
     */
    Sample run(double seconds) throws Exception;
  }

  private final int runs;
  private final double seconds;
  private final Consumer<String> notes;
  private final Map<String, Way> ways = new LinkedHashMap<>();

  /**
   * @param runs how many rounds count
   * @param seconds length of one run; the one that is thrown away takes half of it
   */
  Rounds(int runs, double seconds, Consumer<String> notes) {
    this.runs = runs;
    this.seconds = seconds;
    this.notes = notes;
  }

  Rounds way(String name, Way way) {
    ways.put(name, way);
    return this;
  }

  /** Runs all; answers what came of each way. */
  Results run() throws Exception {
    Map<String, List<Sample>> samples = new LinkedHashMap<>();
    List<String> names = List.copyOf(ways.keySet());
    for (int round = 0; round <= runs; round++) {
      for (int i = 0; i < names.size(); i++) {
        String name = names.get((i + round) % names.size());
        Sample sample =
            Objects.requireNonNull(ways.get(name)).run(round == 0 ? seconds / 2 : seconds);
        notes.accept(
            "%s %s: %s"
                .formatted(
                    round == 0 ? "warm-up" : "run " + round,
                    name,
                    Report.text(Statistics.rounded(sample.value()))));
        if (round > 0) {
          samples.computeIfAbsent(name, key -> new ArrayList<>()).add(sample);
        }
      }
    }
    return new Results(samples);
  }

  /** The runs that count, by way. */
  record Results(Map<String, List<Sample>> samples) {

    List<Sample> of(String way) {
      return Objects.requireNonNull(samples.get(way), way);
    }

    List<Double> values(String way) {
      return of(way).stream().map(Sample::value).toList();
    }

    /** One for each round. */
    List<Double> ratios(String way, String floor) {
      List<Double> ratios = new ArrayList<>();
      for (int i = 0; i < of(way).size(); i++) {
        ratios.add(of(way).get(i).value() / of(floor).get(i).value());
      }
      return ratios;
    }
  }
}
