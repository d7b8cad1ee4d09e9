package dev.skipjack.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Paces the faults, and waits until the producers are done or the time is up. Then it cuts the rest
 * short, so that every run ends with a verdict, even on a slow machine. Used by one thread.
 */
final class Production implements FaultInjector.Turns {

  /**
   * Faults are injected in this share of the time, so that the producers can finish without faults.
   */
  private static final double WITH_FAULTS = 0.75;

  /** The share of the load by which the producers may be behind before faults wait for them. */
  private static final double LAG = 0.1;

  /** The time after which producers count as stuck if they do nothing and there is no fault. */
  private static final Duration NO_PROGRESS = Duration.ofSeconds(60);

  private static final long POLL_MILLIS = 100;

  private final Fleet fleet;
  private final Progress progress;
  private final HistoryFile history;
  private final Duration planned;
  private final Duration limit;
  private final long start = System.nanoTime();
  private final List<String> cutShort = new ArrayList<>();

  /**
   * @param planned the time for which the load and the faults are planned
   * @param limit the time after which the producers are stopped
   */
  Production(
      Fleet fleet, Progress progress, HistoryFile history, Duration planned, Duration limit) {
    this.fleet = fleet;
    this.progress = progress;
    this.history = history;
    this.planned = planned;
    this.limit = limit;
  }

  /** Returns the limit of a run that is planned for the given time. */
  static Duration limit(Duration planned) {
    return planned.multipliedBy(3).dividedBy(2).plusMinutes(1);
  }

  /**
   * Waits until a fault is due: at its planned time, but not before the producers have done about
   * as much as was planned until then.
   *
   * @return false if the time for faults is up
   */
  @Override
  public boolean await(PlannedFault fault) throws InterruptedException {
    double share = (double) fault.at().toNanos() / planned.toNanos();
    while (elapsed() < limit.toNanos() * WITH_FAULTS) {
      long ahead = fault.at().toNanos() - elapsed();
      if (ahead > 0) {
        TimeUnit.NANOSECONDS.sleep(ahead);
      } else if (progress.share() >= share - LAG || fleet.producers().isEmpty()) {
        return true;
      } else {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      }
    }
    return false;
  }

  /** Injects the faults, removes them, and returns when the producers are done or stopped. */
  void run(FaultInjector injector, List<PlannedFault> faults) throws InterruptedException {
    int injected = injector.run(faults, this);
    if (injected < faults.size()) {
      cutShort.add("%d of %d faults injected".formatted(injected, faults.size()));
    }
    injector.endAllFaults();
    finish();
  }

  /**
   * Waits until the producers are done, or for the planned time if there is nothing to produce.
   * Stops the producers if the time is up, if they crash repeatedly, or if they are stuck.
   */
  private void finish() throws InterruptedException {
    double share = progress.share();
    double last = -1;
    long lastProgress = System.nanoTime();
    String reason = "";
    while (reason.isEmpty() && !fleet.isProduced()) {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      share = progress.share();
      if (share > last) {
        last = share;
        lastProgress = System.nanoTime();
      }
      if (fleet.areProducersCrashing()) {
        reason = "producers crash repeatedly";
      } else if (isOverdue() && System.nanoTime() - lastProgress > NO_PROGRESS.toNanos()) {
        reason = "producers are stuck";
        history.write(EventType.HUNG, Event.NONE, 0, 0, String.valueOf(NO_PROGRESS.toSeconds()));
      } else if (elapsed() > limit.toNanos()) {
        reason = "the time is up";
      }
    }
    if (!reason.isEmpty()) {
      fleet.stopProducers();
      cutShort.add("%.1f %% of the load produced: %s".formatted(100 * share, reason));
    } else if (planned.toNanos() > elapsed() && progress.isEmpty()) {
      TimeUnit.NANOSECONDS.sleep(planned.toNanos() - elapsed());
    }
  }

  List<String> cutShort() {
    return List.copyOf(cutShort);
  }

  /** Returns whether the production is later than planned by {@link #NO_PROGRESS} or more. */
  private boolean isOverdue() {
    return elapsed() > planned.plus(NO_PROGRESS).toNanos();
  }

  private long elapsed() {
    return System.nanoTime() - start;
  }
}
