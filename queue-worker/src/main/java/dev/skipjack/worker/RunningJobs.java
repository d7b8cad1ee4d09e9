package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The attempts that this worker holds: claimed, and their outcome not yet written. */
final class RunningJobs {

  private static final long LOOK = Duration.ofMillis(100).toNanos();

  /** By the execution alone: hashes of job and execution together collide where both only rise. */
  private final Map<ExecutionId, Attempt> held = new ConcurrentHashMap<>();

  /** Holds an attempt; only the first call counts. */
  void add(Attempt attempt) {
    if (held.putIfAbsent(attempt.execution().id(), attempt) == null) {
      attempt.queue().claimed(attempt.weight());
    }
  }

  /** Lets go of an attempt; only the first call counts. */
  void settle(Attempt attempt) {
    if (held.remove(attempt.execution().id()) != null) {
      attempt.queue().settled(attempt.weight(), attempt.isUnwritten());
      if (held.isEmpty()) {
        synchronized (this) {
          notifyAll();
        }
      }
    }
  }

  /** A live view. */
  Collection<Attempt> all() {
    return held.values();
  }

  int size() {
    return held.size();
  }

  /**
   * Returns whether only attempts with stuck handlers are left, waiting until {@code deadline} (a
   * nanoTime) for it.
   */
  synchronized boolean awaitNone(long deadline) throws InterruptedException {
    while (!onlyStuckAreLeft()) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      // No notification comes when a handler becomes stuck.
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(Math.min(left, LOOK), 1_000_000));
    }
    return true;
  }

  private boolean onlyStuckAreLeft() {
    for (Attempt attempt : held.values()) {
      if (!attempt.isStuck()) {
        return false;
      }
    }
    return true;
  }
}
