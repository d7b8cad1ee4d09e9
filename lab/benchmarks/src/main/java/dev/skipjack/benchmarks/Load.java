package dev.skipjack.benchmarks;

import dev.skipjack.benchmarks.Options.Setting;

/**
 * Determines the number of jobs in a run: as requested, or derived from the rate of the last run.
 */
public final class Load {

  private static final long MIN_JOBS = 100;

  private final long requested;
  private volatile double rate;

  /**
   * @param firstGuess jobs per second, for the first run
   */
  public Load(Options options, double firstGuess) {
    requested = options.number(Setting.JOBS, 0);
    rate = firstGuess;
  }

  /** Returns the number of jobs for a run that takes about the given time. */
  public long jobs(double seconds) {
    return requested > 0 ? requested : Math.max(MIN_JOBS, Math.round(rate * seconds));
  }

  /** Derives the number of jobs for the next run from a sample, and returns the sample. */
  public Sample adjust(Sample sample) {
    rate = sample.value();
    return sample;
  }
}
