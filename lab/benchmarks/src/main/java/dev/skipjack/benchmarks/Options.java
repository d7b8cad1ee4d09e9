package dev.skipjack.benchmarks;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Options of a benchmark, validated. Immutable: every method returns a new instance. */
public final class Options {

  /**
   * The settings of all benchmarks. {@link Benchmarks#check} refuses those that do not apply to a
   * benchmark.
   */
  public enum Setting {
    /** Number of jobs in a run. */
    JOBS(1, 100_000_000),
    /** Number of handler threads, producers or claimers, depending on the benchmark. */
    WORKERS(1, 1_000),
    /** Number of jobs in one statement. */
    BATCH(1, 1_000),
    /** Duration of a run in seconds. */
    SECONDS(1, 86_400),
    /** Number of jobs offered per second. */
    RATE(1, 1_000_000),
    /** Number of measured runs; at least one run before them is discarded. */
    RUNS(1, 1_000),
    /** Whether ended jobs are archived: 1 or 0. */
    ARCHIVE(0, 1),
    /** Folder for tables and plots. */
    OUT(0, 0),
    /** Names of the systems to compare with. */
    WITH(0, 0);

    private final long min;
    private final long max;

    Setting(long min, long max) {
      this.min = min;
      this.max = max;
    }

    /** Returns the option's name on the command line. */
    public String option() {
      return "--" + name().toLowerCase(Locale.ROOT);
    }
  }

  private final Map<Setting, Long> numbers;
  private final Optional<Path> out;
  private final List<String> with;
  private final double divisor;
  private final int warmUps;

  private Options(
      Map<Setting, Long> numbers,
      Optional<Path> out,
      List<String> with,
      double divisor,
      int warmUps) {
    this.with = List.copyOf(with);
    this.divisor = divisor;
    this.warmUps = warmUps;
    this.numbers = new EnumMap<>(Setting.class);
    this.numbers.putAll(numbers);
    this.out = out;
  }

  /** Returns options that set nothing, with which every benchmark uses its defaults. */
  public static Options none() {
    return new Options(Map.of(), Optional.empty(), List.of(), 1, 1);
  }

  /**
   * Sets a number.
   *
   * @throws IllegalArgumentException if it is out of range; the message is meant for the user
   */
  public Options with(Setting setting, long value) {
    if (value < setting.min || value > setting.max) {
      throw new IllegalArgumentException(
          "%s is %d, but must be %d to %d."
              .formatted(setting.option(), value, setting.min, setting.max));
    }
    Options options = new Options(numbers, out, with, divisor, warmUps);
    options.numbers.put(setting, value);
    return options;
  }

  /** Sets whether ended jobs are archived. */
  public Options archive(boolean kept) {
    return with(Setting.ARCHIVE, kept ? 1 : 0);
  }

  /** Sets the folder for tables and plots, which is created if it does not exist. */
  public Options out(Path folder) {
    return new Options(numbers, Optional.of(folder), with, divisor, warmUps);
  }

  /** Sets the names of the systems to compare with. */
  public Options with(List<String> names) {
    return new Options(numbers, out, names, divisor, warmUps);
  }

  /**
   * Divides the duration of all runs by {@code factor} and omits warm-up runs. For tests, which do
   * not measure time.
   */
  Options shortened(double factor) {
    return new Options(numbers, out, with, factor, 0);
  }

  /** Returns the duration of a run. */
  public double seconds(long defaultValue) {
    return number(Setting.SECONDS, defaultValue) / divisor;
  }

  /** Returns the number of rounds or runs to discard before those that count. */
  public int warmUps() {
    return warmUps;
  }

  /** Returns a number, or the benchmark's default if it is not set. */
  public long number(Setting setting, long defaultValue) {
    return numbers.getOrDefault(setting, defaultValue);
  }

  /** Returns a number as {@link #number} does, as an int. */
  public int count(Setting setting, int defaultValue) {
    return Math.toIntExact(number(setting, defaultValue));
  }

  boolean has(Setting setting) {
    return switch (setting) {
      case OUT -> out.isPresent();
      case WITH -> !with.isEmpty();
      default -> numbers.containsKey(setting);
    };
  }

  /** Returns the names of the systems to compare with; empty if none are set. */
  public List<String> with() {
    return with;
  }

  Path folder(Path defaultValue) {
    return out.orElse(defaultValue);
  }

  /**
   * Rejects options that the benchmark would ignore, so that the user does not assume that they
   * were applied.
   *
   * @throws IllegalArgumentException if such an option is set; the message is meant for the user
   */
  void requireOnly(String benchmark, Set<Setting> used) {
    for (Setting setting : Setting.values()) {
      if (has(setting) && !used.contains(setting)) {
        Set<String> names = new TreeSet<>();
        used.forEach(one -> names.add(one.option()));
        throw new IllegalArgumentException(
            "%s does not apply to %s, which takes %s."
                .formatted(
                    setting.option(),
                    benchmark,
                    names.isEmpty() ? "no options" : String.join(", ", names)));
      }
    }
  }

  /** Returns the options that were set, by name, for the report. */
  Map<String, Object> requested() {
    Map<String, Object> requested = new LinkedHashMap<>();
    numbers.forEach(
        (setting, value) -> requested.put(setting.name().toLowerCase(Locale.ROOT), value));
    out.ifPresent(folder -> requested.put("out", folder.toString()));
    if (!with.isEmpty()) {
      requested.put("with", with);
    }
    return requested;
  }
}
