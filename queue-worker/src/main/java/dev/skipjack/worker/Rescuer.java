package dev.skipjack.worker;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Rescued;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/** Rescues jobs whose lease has expired. Any worker may do this at any time, for all workers. */
final class Rescuer implements Loop.Step {

  /**
   * The duration over which the due times of rescued jobs are spread, so that the jobs of a killed
   * worker do not all start at once.
   */
  private static final Duration SPREAD = Duration.ofSeconds(1);

  private static final int BATCH = 200;

  private final JobStore store;
  private final long interval;
  private final Reporter reporter;
  private final Runnable ended;
  private final RandomGenerator random;

  /**
   * @param ended called after a rescue that has ended jobs, which became dead or were cancelled
   */
  Rescuer(
      JobStore store,
      Duration interval,
      Reporter reporter,
      Runnable ended,
      RandomGenerator random) {
    this.store = store;
    this.interval = interval.toNanos();
    this.reporter = reporter;
    this.ended = ended;
    this.random = random;
  }

  @Override
  public long run() {
    List<Rescued> rescued = store.rescue(SPREAD, BATCH);
    rescued.forEach(reporter::rescued);
    if (rescued.stream().anyMatch(job -> job.status() != JobStatus.PENDING)) {
      ended.run();
    }
    return rescued.size() >= BATCH ? 0 : Jitter.around(interval, random);
  }
}
