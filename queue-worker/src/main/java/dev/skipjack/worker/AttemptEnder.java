package dev.skipjack.worker;

import dev.skipjack.api.Outcome;
import dev.skipjack.api.spi.Execution;
import java.time.Duration;
import java.util.function.BiConsumer;

/**
 * Ends attempts, according to the results of their runs or by releasing them, and passes their
 * endings on to be written. A lost attempt has no ending. Safe for any number of threads.
 */
final class AttemptEnder {

  private final HandlerRegistry handlers;
  private final EndingRules rules;
  private final LongSnapshots snapshots;
  private final RunningJobs running;
  private final OutcomeFlusher flusher;
  private final BiConsumer<Attempt, Ending> inPlace;
  private final Throttle throttle;
  private final Reporter reporter;

  /**
   * @param inPlace receives the endings of attempts in the threads that ran their handlers
   * @param throttle stops further starts under the limit of an attempt
   */
  AttemptEnder(
      HandlerRegistry handlers,
      EndingRules rules,
      LongSnapshots snapshots,
      RunningJobs running,
      OutcomeFlusher flusher,
      BiConsumer<Attempt, Ending> inPlace,
      Throttle throttle,
      Reporter reporter) {
    this.handlers = handlers;
    this.rules = rules;
    this.snapshots = snapshots;
    this.running = running;
    this.flusher = flusher;
    this.inPlace = inPlace;
    this.throttle = throttle;
    this.reporter = reporter;
  }

  /** Stops further starts under the limit of an attempt. */
  @FunctionalInterface
  interface Throttle {
    /** Stops starts for the given duration, before the attempt ends. */
    void stop(Execution execution, Duration retryAfter);
  }

  /** Ends an attempt that has begun, unless the attempt was lost or released in the meantime. */
  void end(Attempt attempt, RunResult result) {
    end(attempt, result, flusher::offer);
  }

  /**
   * Ends an attempt as {@link #end} does, in the thread that ran its handler. The next job of its
   * ordering key may be {@linkplain Attempt#handOver handed over} to this thread.
   */
  void endInPlace(Attempt attempt, RunResult result) {
    end(attempt, result, inPlace);
  }

  private void end(Attempt attempt, RunResult result, BiConsumer<Attempt, Ending> write) {
    Attempt.Stop stop = attempt.finish();
    long took = System.nanoTime() - attempt.begunAt();
    attempt.queue().ran(attempt, took);
    reporter.ran(attempt, took);
    snapshots.ran(attempt.job().kind(), took);
    switch (stop) {
      case NONE -> {
        if (result.thrown() != null && isForgiven(attempt)) {
          flusher.offer(attempt, Ending.Released.after(Duration.ZERO));
        } else {
          throttle(attempt, result);
          write.accept(attempt, decide(attempt, result));
        }
      }
      case CANCELLED -> offer(attempt, result);
      case TIMED_OUT -> offer(attempt, new RunResult.TimedOut(result));
      case LOST -> running.leave(attempt);
      case RELEASED -> {} // the flusher already has its ending
    }
  }

  /** Stops further starts if the handler asked for it. The job is postponed even if this fails. */
  private void throttle(Attempt attempt, RunResult result) {
    if (result instanceof RunResult.Returned returned
        && returned.outcome() instanceof Outcome.Snoozed snoozed
        && snoozed.throttles()) {
      try {
        throttle.stop(attempt.execution(), snoozed.delay());
      } catch (Throwable failure) {
        reporter.notThrottled(attempt, failure);
      }
    }
  }

  private void offer(Attempt attempt, RunResult result) {
    flusher.offer(attempt, decide(attempt, result));
  }

  private Ending decide(Attempt attempt, RunResult result) {
    return rules.decide(attempt, handlers.typeOf(attempt.job().kind()), result);
  }

  /**
   * Returns whether the attempt failed only because this worker changed the job's row while the
   * handler ran, and the next attempt can avoid that.
   */
  private boolean isForgiven(Attempt attempt) {
    String kind = attempt.job().kind();
    if (attempt.completion().isWritten()
        || !attempt.failedByRenewal()
        || !snapshots.learn(kind, attempt.ran(), attempt.lease().length())) {
      return false;
    }
    Duration next = snapshots.leaseOf(kind);
    if (next != null) {
      reporter.snapshotTooOld(attempt, next);
    }
    return true;
  }

  /**
   * Releases an attempt, even if its handler is still running. Has no effect on an attempt that has
   * ended.
   *
   * @return whether the job was released; false if the attempt had ended, had timed out or was lost
   */
  boolean release(Attempt attempt, Duration delay) {
    Attempt.Stop before = attempt.release();
    if (before == null) {
      return false;
    }
    try {
      switch (before) {
        case NONE, CANCELLED -> {
          flusher.offer(attempt, released(attempt, delay));
          return true;
        }
        case TIMED_OUT -> offer(attempt, new RunResult.TimedOut(null));
        case LOST -> running.leave(attempt);
        case RELEASED -> {} // the flusher already has its ending
      }
      return false;
    } catch (Throwable lastResort) {
      // The attempt has ended, so no later call can release it. Without this, its lease would be
      // renewed forever.
      abandon(attempt);
      throw lastResort;
    }
  }

  private static Ending released(Attempt attempt, Duration delay) {
    return attempt.hasBegun() || !delay.isZero()
        ? Ending.Released.after(delay)
        : Ending.Released.toDueTime(attempt.job().scheduledAt());
  }

  /**
   * Stops an attempt whose job an operator has cancelled. A running handler is interrupted, and its
   * result decides the ending. If the handler has not been called yet, it never will be: the job is
   * released, and the store cancels it.
   */
  void cancel(Attempt attempt) {
    if (attempt.cancel()) {
      reporter.cancelRequested(attempt);
    } else if (attempt.withdraw()) {
      try {
        flusher.offer(attempt, released(attempt, Duration.ZERO));
      } catch (Throwable lastResort) {
        abandon(attempt);
        throw lastResort;
      }
    }
  }

  /**
   * Lets the lease of an attempt expire because its ending could not be passed on, so that the job
   * is rescued.
   */
  void abandon(Attempt attempt) {
    attempt.finish();
    attempt.queue().abandoned(attempt);
    attempt.lease().stopRenewing();
    running.leave(attempt);
  }
}
