package dev.skipjack.benchmarks;

import dev.skipjack.benchmarks.Options.Setting;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Compares two or more variants within one call, checks that all work was done, and reports.
 *
 * <p>{@link Benchmarks} also lists those that a jar on the class path provides as services, under
 * the simple names of their classes in small letters. A benchmark can thus be a module of its own,
 * with libraries that this module must not depend on.
 */
public interface Benchmark {

  /** Returns a description of one line. */
  String purpose();

  /** Returns the settings that apply to this benchmark. */
  Set<Setting> settings();

  /**
   * Refuses options with values that the benchmark does not know, before anything is started.
   *
   * @throws IllegalArgumentException if there is one; the message is meant for the user
   */
  default void check(Options options) {}

  /**
   * Runs the benchmark.
   *
   * @param database may contain rows of earlier benchmarks
   * @param notes receives progress messages
   * @throws IllegalStateException if jobs are missing at the end or were not completed
   */
  Report run(BenchmarkDatabase database, Options options, Consumer<String> notes) throws Exception;
}
