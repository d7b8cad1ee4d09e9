package dev.skipjack.benchmarks;

import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Consumer;

/** Gives the tests access to non-public parts of the benchmarks. */
public final class TinyRuns {

  private TinyRuns() {}

  /** Opens a database with only two partitions, which are created faster. */
  public static BenchmarkDatabase open(String url) throws SQLException {
    return BenchmarkDatabase.open(Optional.of(url), 2);
  }

  /** Runs a benchmark without warm-up, in a twentieth of the time that the options set. */
  public static Report run(
      String name, Options options, BenchmarkDatabase database, Consumer<String> notes)
      throws Exception {
    return Benchmarks.run(name, options.shortened(20), database, notes);
  }

  /** Closes the pools that a test opened. */
  public static void closePools(BenchmarkDatabase database) {
    database.closePools();
  }
}
