package dev.skipjack.benchmarks;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Runs {@link LatencyProducer} in a separate process, for all measurements of a benchmark. */
public final class LatencyProcess implements AutoCloseable {

  private final BenchmarkDatabase database;
  private final JavaProcess process;

  /** Starts the process; {@link #close} ends it. */
  public LatencyProcess(BenchmarkDatabase database) throws IOException {
    this.database = database;
    this.process = new JavaProcess(LatencyProducer.class, database);
  }

  /**
   * The jobs of one measurement.
   *
   * @param called when each enqueue was called, by job number; warm-up jobs have numbers up to 0
   * @param committed the commit times by job number
   * @param meter a meter that was started at the end of the warm-up
   */
  public record Produced(Map<Long, Instant> called, Map<Long, Instant> committed, Meter meter) {}

  /** Enqueues warm-up jobs, then {@code jobs} jobs, and returns when all are committed. */
  public Produced produce(LatencyProducer.Target target, long jobs, long rate)
      throws IOException, InterruptedException, SQLException {
    process.send(target + " " + jobs + " " + rate);
    Map<Long, Instant> called = new LinkedHashMap<>();
    Map<Long, Instant> committed = new LinkedHashMap<>();
    @Nullable Meter meter = null;
    while (committed.size() < jobs + LatencyProducer.warmUp(jobs)) {
      String[] words = process.read().split(" ", 3);
      long n = Long.parseLong(words[0]);
      called.put(n, Instant.parse(words[1]));
      committed.put(n, Instant.parse(words[2]));
      if (n == 0) {
        meter = Meter.start(database);
      }
    }
    return new Produced(called, committed, Objects.requireNonNull(meter, "no warm-up"));
  }

  @Override
  public void close() {
    process.close();
  }
}
