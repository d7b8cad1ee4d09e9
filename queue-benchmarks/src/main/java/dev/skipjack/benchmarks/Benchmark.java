package dev.skipjack.benchmarks;

import dev.skipjack.benchmarks.Options.Setting;
import java.util.Set;
import java.util.function.Consumer;

/** A benchmark: compares inside one call, checks that the work was done, and reports. */
interface Benchmark {

  /** What it is about, in one line. */
  String purpose();

  /** What it can be asked for. */
  Set<Setting> settings();

  /**
   * Runs it.
   *
   * @param database may hold whatever earlier benchmarks left
   * @param notes hears how far it is
   * @throws IllegalStateException if the queue did not do what it was given
   */
  Report run(BenchmarkDatabase database, Options options, Consumer<String> notes) throws Exception;
}
