package dev.skipjack.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Compares variants. Each round runs every variant once, in a rotating order, so that changes in
 * the machine's speed affect all of them. Warm-up rounds are discarded.
 */
public final class Rounds {

  /** A variant. It is never called by two threads at once. */
  @FunctionalInterface
  public interface Variant {
    /**
     * Runs once.
     *
     * @param seconds approximate duration
     */
    Sample run(double seconds) throws Exception;
  }

  private final int warmUps;
  private final int runs;
  private final double seconds;
  private final Consumer<String> notes;
  private final Map<String, Variant> variants = new LinkedHashMap<>();

  /**
   * @param warmUps number of rounds that are discarded
   * @param runs number of rounds that count
   * @param seconds duration of a run; discarded runs take half of it
   */
  public Rounds(int warmUps, int runs, double seconds, Consumer<String> notes) {
    this.warmUps = warmUps;
    this.runs = runs;
    this.seconds = seconds;
    this.notes = notes;
  }

  public Rounds variant(String name, Variant variant) {
    variants.put(name, variant);
    return this;
  }

  /** Runs all rounds and returns the results of each variant. */
  public Results run() throws Exception {
    Map<String, List<Sample>> samples = new LinkedHashMap<>();
    List<String> names = List.copyOf(variants.keySet());
    for (int round = 0; round < warmUps + runs; round++) {
      boolean warmUp = round < warmUps;
      for (int i = 0; i < names.size(); i++) {
        String name = names.get((i + round) % names.size());
        Sample sample =
            Objects.requireNonNull(variants.get(name)).run(warmUp ? seconds / 2 : seconds);
        notes.accept(
            "%s %s: %s"
                .formatted(
                    warmUp ? "warm-up" : "run " + (round - warmUps + 1),
                    name,
                    Report.text(Statistics.rounded(sample.value()))));
        if (!warmUp) {
          samples.computeIfAbsent(name, key -> new ArrayList<>()).add(sample);
        }
      }
    }
    return new Results(samples);
  }

  /** The runs of each variant, without warm-up runs. */
  public record Results(Map<String, List<Sample>> samples) {

    public List<Sample> of(String variant) {
      return Objects.requireNonNull(samples.get(variant), variant);
    }

    List<Double> values(String variant) {
      return of(variant).stream().map(Sample::value).toList();
    }

    /** Returns the ratio of two variants in each round. */
    List<Double> ratios(String variant, String floor) {
      List<Double> ratios = new ArrayList<>();
      for (int i = 0; i < of(variant).size(); i++) {
        ratios.add(of(variant).get(i).value() / of(floor).get(i).value());
      }
      return ratios;
    }
  }
}
