package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The attempts that this worker holds: they are claimed, and their outcome is not yet written. */
final class RunningJobs {

  private static final long LOOK = Duration.ofMillis(100).toNanos();

  /**
   * Keyed by the execution alone, because combined hashes of job and execution collide when both
   * ids only rise.
   */
  private final Map<ExecutionId, Attempt> held = new ConcurrentHashMap<>();

  /** Holds an attempt; only the first call counts. */
  void add(Attempt attempt) {
    if (held.putIfAbsent(attempt.execution().id(), attempt) == null) {
      attempt.queue().claimed(attempt.weight());
    }
  }

  /** Removes an attempt; only the first call counts. */
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
   * Waits until only attempts with stuck handlers are left, or until {@code deadline} (a nanoTime),
   * and returns whether that is so.
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
