package dev.skipjack.worker;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Finds handlers that are still running long after they were interrupted because of a timeout or a
 * lost lease, reports them and replaces their slots. Their leases are no longer renewed, so their
 * jobs are rescued. A handler that ignores only a cancellation is not stuck, and its job keeps its
 * lease.
 *
 * <p>It also releases attempts that an executor does not begin, and attempts that wait too long for
 * a slot.
 */
final class StuckHandlers implements Loop.Step {

  /**
   * The maximum pause between two runs, so that waiting attempts do not wait longer because of a
   * long interrupt grace.
   */
  private static final long LONGEST_PAUSE = Duration.ofMillis(500).toNanos();

  private final RunningJobs running;
  private final long grace;
  private final Consumer<Attempt> replace;
  private final Runnable takeBack;
  private final Reporter reporter;

  StuckHandlers(
      RunningJobs running,
      Duration grace,
      Consumer<Attempt> replace,
      Runnable takeBack,
      Reporter reporter) {
    this.running = running;
    this.grace = grace.toNanos();
    this.replace = replace;
    this.takeBack = takeBack;
    this.reporter = reporter;
  }

  @Override
  public long run() {
    for (Attempt attempt : running.all()) {
      if (attempt.becameStuck(grace)) {
        reporter.stuck(attempt);
        replace.accept(attempt);
      }
    }
    takeBack.run();
    return Math.min(Math.max(grace / 4, Duration.ofMillis(10).toNanos()), LONGEST_PAUSE);
  }

  @Override
  public boolean asked() {
    return false;
  }
}
