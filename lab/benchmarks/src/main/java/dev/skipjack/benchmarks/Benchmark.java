package dev.skipjack.benchmarks;

import dev.skipjack.benchmarks.Options.Setting;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A benchmark. It measures one or more variants within one call, checks that all work was done, and
 * returns a report.
 *
 * <p>{@link Benchmarks} also lists the benchmarks that jars on the class path provide as services,
 * under the simple names of their classes in lower case. This lets a separate module provide a
 * benchmark that needs libraries on which this module must not depend.
 */
public interface Benchmark {

  /** Returns a one-line description of the benchmark. */
  String purpose();

  /** Returns the settings that apply to this benchmark. */
  Set<Setting> settings();

  /**
   * Checks options whose valid values depend on the benchmark, before anything is started.
   *
   * @throws IllegalArgumentException if a value is unknown; the message is meant for the user
   */
  default void check(Options options) {}

  /**
   * Runs the benchmark.
   *
   * @param database the database, which may contain rows of earlier benchmarks
   * @param notes receives progress messages
   * @throws IllegalStateException if jobs are missing at the end or were not completed
   */
  Report run(BenchmarkDatabase database, Options options, Consumer<String> notes) throws Exception;
}
