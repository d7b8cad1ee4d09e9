package dev.skipjack.benchmarks;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What the user asked a benchmark for, checked. Immutable: every method answers a new one. */
public final class Options {

  /** What can be asked for; each benchmark takes some of them. */
  public enum Setting {
    /** Jobs. */
    JOBS(1, 100_000_000),
    /** Handler threads, producers or claimers, whichever the benchmark is about. */
    WORKERS(1, 1_000),
    /** Jobs of one statement. */
    BATCH(1, 1_000),
    /** Length of one run. */
    SECONDS(1, 86_400),
    /** Jobs a second. */
    RATE(1, 1_000_000),
    /** Measured runs; one more is thrown away before them. */
    RUNS(1, 1_000),
    /** Whether ended jobs are archived: 0 or 1. */
    ARCHIVE(0, 1),
    /** Where files are written. */
    OUT(0, 0);

    private final long least;
    private final long most;

    Setting(long least, long most) {
      this.least = least;
      this.most = most;
    }

    /** As it is written on the command line. */
    public String option() {
      return "--" + name().toLowerCase(Locale.ROOT);
    }
  }

  private final Map<Setting, Long> numbers;
  private final Optional<Path> out;
  private final double haste;

  private Options(Map<Setting, Long> numbers, Optional<Path> out, double haste) {
    this.haste = haste;
    this.numbers = new EnumMap<>(Setting.class);
    this.numbers.putAll(numbers);
    this.out = out;
  }

  /** Nothing asked for: every benchmark's own values. */
  public static Options none() {
    return new Options(Map.of(), Optional.empty(), 1);
  }

  /**
   * This, with a number.
   *
   * @throws IllegalArgumentException if it is out of range; the message is a sentence for the user
   */
  public Options with(Setting setting, long value) {
    if (value < setting.least || value > setting.most) {
      throw new IllegalArgumentException(
          "%s is %d, but must be %d to %d."
              .formatted(setting.option(), value, setting.least, setting.most));
    }
    Options options = new Options(numbers, out, haste);
    options.numbers.put(setting, value);
    return options;
  }

  /** This, archiving ended jobs or not. */
  public Options archive(boolean kept) {
    return with(Setting.ARCHIVE, kept ? 1 : 0);
  }

  /** This, writing files into {@code folder}, which is made when it is missing. */
  public Options out(Path folder) {
    return new Options(numbers, Optional.of(folder), haste);
  }

  /** This, with runs so many times as short as they are said to be: for tests. */
  Options hasty(double times) {
    return new Options(numbers, out, times);
  }

  /** The length of a run. */
  double seconds(long otherwise) {
    return number(Setting.SECONDS, otherwise) / haste;
  }

  long number(Setting setting, long otherwise) {
    return numbers.getOrDefault(setting, otherwise);
  }

  int count(Setting setting, int otherwise) {
    return Math.toIntExact(number(setting, otherwise));
  }

  boolean has(Setting setting) {
    return setting == Setting.OUT ? out.isPresent() : numbers.containsKey(setting);
  }

  Path folder(Path otherwise) {
    return out.orElse(otherwise);
  }

  /**
   * Refuses what a benchmark has no use for: ignored, it would pass for measured.
   *
   * @throws IllegalArgumentException the message is a sentence for the user
   */
  void requireOnly(String benchmark, Set<Setting> used) {
    for (Setting setting : Setting.values()) {
      if (has(setting) && !used.contains(setting)) {
        Set<String> names = new TreeSet<>();
        used.forEach(one -> names.add(one.option()));
        throw new IllegalArgumentException(
            "%s means nothing to %s, which takes %s."
                .formatted(
                    setting.option(),
                    benchmark,
                    names.isEmpty() ? "no options" : String.join(", ", names)));
      }
    }
  }

  /** What was asked for, by name, for the report. */
  Map<String, Object> asked() {
    Map<String, Object> asked = new LinkedHashMap<>();
    numbers.forEach((setting, value) -> asked.put(setting.name().toLowerCase(Locale.ROOT), value));
    out.ifPresent(folder -> asked.put("out", folder.toString()));
    return asked;
  }
}
