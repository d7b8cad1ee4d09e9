package dev.skipjack.worker;

import dev.skipjack.api.spi.OrderedJobs;
import dev.skipjack.api.spi.OrderedJobs.Sweep;
import dev.skipjack.api.spi.WakeUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Promotes waiting jobs that are not preceded by another job of their ordering key: at once if a
 * wake-up names the key, otherwise at the next sweep. Any worker may do this for all others at any
 * time.
 *
 * <p>Wake-ups of concurrent transactions are combined, so sweeps are frequent for a second after a
 * wake-up has named a key, and while jobs are waiting. Otherwise, they run every second if a key
 * was used during the last minute, and every ten seconds if not. If no job is waiting, a sweep
 * reads only one index entry, so its cost is negligible for applications without ordering keys.
 *
 * <p>{@link #expect} is safe for any number of threads. All other methods are confined to the
 * thread of the loop.
 */
final class Promoter implements Loop.Step {

  private static final long AFTER_WAKE_UP = Duration.ofMillis(50).toNanos();
  private static final long WHILE_JOBS_WAIT = Duration.ofMillis(250).toNanos();
  private static final long AFTER_USE = Duration.ofSeconds(1).toNanos();
  private static final long WITHOUT_USE = Duration.ofSeconds(10).toNanos();

  /** How long after a wake-up the sweeps are frequent. */
  private static final long AWAKE = Duration.ofSeconds(1).toNanos();

  /** How long after the use of a key the sweeps run every second. */
  private static final long IN_USE = Duration.ofMinutes(1).toNanos();

  /** Limits sweeps to an eleventh of the time, regardless of the number of keys. */
  private static final int PAUSE_BY_DURATION = 10;

  private final OrderedJobs jobs;
  private final Consumer<WakeUp> promoted;
  private final Wakeup loop;
  private final LongSupplier clock;
  private final RandomGenerator random;
  private final Set<String> heard = new LinkedHashSet<>();
  private long sweepAt;
  private long awakeUntil;
  private long inUseUntil;
  private boolean asked;

  /**
   * @param promoted receives a wake-up for each promoted job that is due
   * @param loop wakes this loop; raised by {@link #expect}
   * @param clock a clock in nanoseconds, such as {@link System#nanoTime()}
   */
  Promoter(
      OrderedJobs jobs,
      Consumer<WakeUp> promoted,
      Wakeup loop,
      LongSupplier clock,
      RandomGenerator random) {
    this.jobs = jobs;
    this.promoted = promoted;
    this.loop = loop;
    this.clock = clock;
    this.random = random;
    this.sweepAt = clock.getAsLong();
    this.awakeUntil = sweepAt;
    this.inUseUntil = sweepAt;
  }

  /** Records that jobs of an ordering key may have to be promoted. */
  void expect(String key) {
    synchronized (heard) {
      heard.add(key);
    }
    loop.raise();
  }

  @Override
  public long run() {
    List<String> keys = take();
    asked = !keys.isEmpty();
    if (!keys.isEmpty()) {
      long now = clock.getAsLong();
      awakeUntil = now + AWAKE;
      inUseUntil = now + IN_USE;
      sweepAt = Math.min(sweepAt, now + Jitter.around(AFTER_WAKE_UP, random));
      jobs.promote(keys).forEach(promoted);
    }
    long now = clock.getAsLong();
    if (now - sweepAt >= 0) {
      // A failed sweep is not repeated at once: the loop has its own pauses after failures.
      sweepAt = now + Jitter.around(AFTER_USE, random);
      asked = true;
      Sweep sweep = jobs.sweep();
      long took = clock.getAsLong() - now;
      sweepAt = now + took + Math.max(pauseAfter(sweep, now), PAUSE_BY_DURATION * took);
      sweep.promoted().forEach(promoted);
    }
    return Math.max(sweepAt - clock.getAsLong(), 1);
  }

  @Override
  public boolean asked() {
    return asked;
  }

  private long pauseAfter(Sweep sweep, long now) {
    if (sweep.unfinished()) {
      return 0;
    }
    if (now - awakeUntil < 0) {
      return Jitter.around(AFTER_WAKE_UP, random);
    }
    if (sweep.waiting()) {
      inUseUntil = now + IN_USE;
      return Jitter.around(WHILE_JOBS_WAIT, random);
    }
    return Jitter.around(now - inUseUntil < 0 ? AFTER_USE : WITHOUT_USE, random);
  }

  private List<String> take() {
    synchronized (heard) {
      List<String> taken = new ArrayList<>(heard);
      heard.clear();
      return taken;
    }
  }
}
