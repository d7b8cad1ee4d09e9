package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Holds the attempts of this worker from their claim until their outcome is written. */
final class RunningJobs {

  private static final long LOOK = Duration.ofMillis(100).toNanos();

  /**
   * The attempts by execution id. The key does not include the job, because combined hashes of job
   * and execution collide if both ids only increase.
   */
  private final Map<ExecutionId, Attempt> held = new ConcurrentHashMap<>();

  private final AtomicInteger ordered = new AtomicInteger();
  private volatile Consumer<Attempt> settled = attempt -> {};

  /** Calls {@code listener} for each attempt that is removed from now on, after its removal. */
  void whenSettled(Consumer<Attempt> listener) {
    settled = listener;
  }

  /** Adds an attempt, unless it was added before. */
  void add(Attempt attempt) {
    if (held.putIfAbsent(attempt.execution().id(), attempt) == null) {
      attempt.queue().claimed(attempt.weight());
      if (attempt.execution().isOrdered()) {
        ordered.incrementAndGet();
      }
    }
  }

  /** Removes an attempt, unless it was removed before. */
  void settle(Attempt attempt) {
    if (held.remove(attempt.execution().id()) != null) {
      attempt.queue().settled(attempt.weight(), attempt.isUnwritten());
      if (attempt.execution().isOrdered()) {
        ordered.decrementAndGet();
      }
      settled.accept(attempt);
      if (held.isEmpty()) {
        synchronized (this) {
          notifyAll();
        }
      }
    }
  }

  /** Returns a live view of all attempts. */
  Collection<Attempt> all() {
    return held.values();
  }

  int size() {
    return held.size();
  }

  /** Returns the number of attempts of jobs with an ordering key. */
  int ordered() {
    return ordered.get();
  }

  /**
   * Waits until {@code deadline} (a nanoTime) for all attempts except those with stuck handlers to
   * end. Returns whether they have.
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
