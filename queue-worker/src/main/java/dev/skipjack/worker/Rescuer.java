package dev.skipjack.worker;

import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Rescued;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Keeps the tables in order for everybody: takes back jobs whose lease ran out, and creates the
 * partitions of the days to come. Any worker may do it at any time.
 */
final class Rescuer implements Loop.Step {

  static final Duration PARTITIONS_AHEAD = Duration.ofDays(14);

  private static final long PARTITIONS_EVERY = Duration.ofHours(1).toNanos();

  /** Rescued jobs come back over this time, so that a dead worker's jobs are no stampede. */
  private static final Duration SPREAD = Duration.ofSeconds(1);

  private static final int BATCH = 200;

  private final JobStore store;
  private final long interval;
  private final Reporter reporter;
  private final RandomGenerator random;
  private long partitionsCreatedAt = System.nanoTime() - PARTITIONS_EVERY;

  Rescuer(JobStore store, Duration interval, Reporter reporter, RandomGenerator random) {
    this.store = store;
    this.interval = interval.toNanos();
    this.reporter = reporter;
    this.random = random;
  }

  @Override
  public long run() {
    List<Rescued> rescued = store.rescue(SPREAD, BATCH);
    rescued.forEach(reporter::rescued);
    if (rescued.size() >= BATCH) {
      return 0;
    }
    // After the rescue: partitions that cannot be created must not keep jobs from coming back.
    if (System.nanoTime() - partitionsCreatedAt >= PARTITIONS_EVERY) {
      store.createPartitions(PARTITIONS_AHEAD);
      partitionsCreatedAt = System.nanoTime();
    }
    return Jitter.around(interval, random);
  }
}
