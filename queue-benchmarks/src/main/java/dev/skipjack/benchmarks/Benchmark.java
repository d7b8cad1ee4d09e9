package dev.skipjack.benchmarks;

import dev.skipjack.benchmarks.Options.Setting;
import java.util.Set;
import java.util.function.Consumer;

/** Compares two or more variants within one call, checks that all work was done, and reports. */
interface Benchmark {

  /** Returns a description of one line. */
  String purpose();

  /** Returns the settings that apply to this benchmark. */
  Set<Setting> settings();

  /**
   * Runs the benchmark.
   *
   * @param database may contain rows of earlier benchmarks
   * @param notes receives progress messages
   * @throws IllegalStateException if jobs are missing at the end or were not completed
   */
  Report run(BenchmarkDatabase database, Options options, Consumer<String> notes) throws Exception;
}
