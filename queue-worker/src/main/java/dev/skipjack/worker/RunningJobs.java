package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.spi.Execution;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Holds the attempts of this worker from their claim until their outcome is written. */
final class RunningJobs {

  private static final long LOOK = Duration.ofMillis(100).toNanos();

  /**
   * The attempts by execution id. The key does not include the job, because combined hashes of job
   * and execution collide if both ids only increase.
   */
  private final Map<ExecutionId, Attempt> held = new ConcurrentHashMap<>();

  /** How long an execution in {@link #givenUp} is remembered, in multiples of its lease. */
  private static final int MEMORY = 4;

  /** The number of remembered executions at which expired ones are removed. */
  private static final int MANY = 1_000;

  /**
   * The executions that were given up or left to the rescue. After a failover, the server may use
   * their ids for other executions.
   */
  private final Map<ExecutionId, GivenUp> givenUp = new ConcurrentHashMap<>();

  private volatile int many = MANY;

  /**
   * An execution that must not run.
   *
   * @param until the nanoTime until which it is remembered
   */
  private record GivenUp(Execution execution, long until) {}

  private final AtomicLong latest = new AtomicLong();
  private final AtomicInteger ordered = new AtomicInteger();
  private volatile Consumer<Attempt> settled = attempt -> {};

  /** Calls {@code listener} for each attempt that is removed from now on, after its removal. */
  void whenSettled(Consumer<Attempt> listener) {
    settled = listener;
  }

  /**
   * Adds an attempt, unless it was added before.
   *
   * @return false if the attempt must not run, because it was given up
   */
  boolean add(Attempt attempt) {
    ExecutionId id = attempt.execution().id();
    latest.accumulateAndGet(id.value(), Math::max);
    boolean[] isNew = {false};
    Attempt known =
        held.compute(
            id,
            (same, before) -> {
              isNew[0] = before == null && !isGivenUp(attempt.execution());
              return isNew[0] ? attempt : before;
            });
    if (isNew[0]) {
      attempt.queue().claimed(attempt.weight());
      if (attempt.execution().isOrdered()) {
        ordered.incrementAndGet();
      }
    }
    return known != null;
  }

  /** Returns the latest execution that was added, or an id before all others if there was none. */
  ExecutionId latest() {
    return new ExecutionId(latest.get());
  }

  boolean holds(ExecutionId id) {
    return held.containsKey(id);
  }

  /**
   * Gives up an execution, unless it is held. It can then no longer be added, so its job can be
   * released.
   *
   * @param lease the duration of its lease in nanoseconds
   * @return whether it was given up by this call
   */
  boolean giveUp(Execution execution, long lease) {
    boolean[] isNew = {false};
    Attempt holder =
        held.compute(
            execution.id(),
            (same, before) -> {
              isNew[0] = before == null && !isGivenUp(execution);
              if (isNew[0]) {
                remember(execution, lease);
              }
              return before;
            });
    return isNew[0] && holder == null;
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

  /**
   * Removes an attempt that may not have ended in the database. It is left to the rescue, which
   * counts it, and cannot be {@linkplain #giveUp given up} as if it had never begun.
   */
  void leave(Attempt attempt) {
    remember(attempt.execution(), attempt.lease().length().toNanos());
    settle(attempt);
  }

  private void remember(Execution execution, long lease) {
    long now = System.nanoTime();
    if (givenUp.size() >= many) {
      givenUp.values().removeIf(each -> now - each.until() > 0);
      many = Math.max(MANY, 2 * givenUp.size());
    }
    givenUp.put(execution.id(), new GivenUp(execution, now + MEMORY * lease));
  }

  private boolean isGivenUp(Execution execution) {
    GivenUp same = givenUp.get(execution.id());
    return same != null
        && same.execution().equals(execution)
        && System.nanoTime() - same.until() <= 0;
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
