package dev.skipjack.worker;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs attempts in the calling thread.
 *
 * <p>The result of an attempt reaches the database in four steps: the {@link Invocation} calls the
 * handler, the {@link AttemptEnder} turns the {@link RunResult} into an {@link Ending}, the {@link
 * OutcomeFlusher} collects endings, and the {@link OutcomeWriter} writes them.
 */
final class AttemptRunner implements Slots.Runner {

  /**
   * The delay after which a job is due again if there was no thread to run it. It prevents the
   * worker from reclaiming the job immediately.
   */
  private static final Duration WITHOUT_THREAD = Duration.ofSeconds(1);

  private final Invocation invocation;
  private final Sparer sparer;
  private final LongSnapshots snapshots;
  private final HandlerRegistry handlers;
  private final ContextFactory contexts;
  private final ScheduledExecutorService timer;
  private final StageFollower stages;
  private final AttemptEnder ender;
  private final Reporter reporter;

  AttemptRunner(
      Invocation invocation,
      Sparer sparer,
      LongSnapshots snapshots,
      HandlerRegistry handlers,
      ContextFactory contexts,
      ScheduledExecutorService timer,
      StageFollower stages,
      AttemptEnder ender,
      Reporter reporter) {
    this.invocation = invocation;
    this.sparer = sparer;
    this.snapshots = snapshots;
    this.handlers = handlers;
    this.contexts = contexts;
    this.timer = timer;
    this.stages = stages;
    this.ender = ender;
    this.reporter = reporter;
  }

  /** Gives an attempt one long lease instead of renewals. */
  @FunctionalInterface
  interface Sparer {
    /**
     * Requests the long lease and waits for the response. Database errors are not thrown. May end
     * the attempt.
     */
    void spare(Attempt attempt, Duration lease);
  }

  /** Creates the context of a handler. */
  @FunctionalInterface
  interface ContextFactory {
    /**
     * Returns the context of an attempt.
     *
     * @param deadline the nanoTime of the timeout, or null for none
     */
    JobContext of(Attempt attempt, @Nullable Long deadline);
  }

  /** Runs the handler, unless the attempt has ended or its lease has expired. */
  @Override
  public boolean run(Attempt attempt, Runnable later) {
    try {
      spareIfNeeded(attempt);
      if (!attempt.lease().isHeld()) {
        // Heartbeats failed for a whole lease, or the process was frozen: another worker may hold
        // the job.
        release(attempt);
        return true;
      }
      return !attempt.begin() || runBegun(attempt, later);
    } catch (Throwable lastResort) {
      ender.abandon(attempt);
      throw lastResort;
    }
  }

  /**
   * Requests the long lease if the kind needs one. Runs before the attempt begins, so that a
   * cancellation or loss found here prevents the handler from running.
   */
  private void spareIfNeeded(Attempt attempt) {
    Duration lease = attempt.lease().isHeld() ? snapshots.leaseOf(attempt.job().kind()) : null;
    if (lease != null) {
      sparer.spare(attempt, lease);
    }
  }

  private boolean runBegun(Attempt attempt, Runnable later) {
    attempt.queue().began(attempt);
    reporter.started(attempt);
    Timeout timeout = Timeout.NONE;
    RunResult result;
    try {
      timeout = startTimeout(attempt);
      requirePayload(attempt);
      JobContext context = contexts.of(attempt, timeout.deadline());
      result = new RunResult.Returned(invocation.call(attempt, context));
    } catch (Throwable thrown) {
      result = new RunResult.Threw(thrown);
    }
    if (result instanceof RunResult.Returned returned
        && returned.outcome() instanceof Outcome.Async async) {
      Timeout started = timeout;
      stages.follow(attempt, async.stage(), late -> endLater(attempt, late, started, later));
      return false;
    }
    timeout.stop();
    ender.endInPlace(attempt, result);
    return true;
  }

  private void endLater(
      Attempt attempt, Supplier<RunResult> result, Timeout timeout, Runnable later) {
    try {
      timeout.stop();
      ender.end(attempt, result.get());
    } catch (Throwable lastResort) {
      ender.abandon(attempt);
      reporter.notEnded(lastResort);
    } finally {
      later.run();
    }
  }

  private void requirePayload(Attempt attempt) {
    Throwable unread = attempt.unread();
    if (unread != null) {
      reporter.unread(attempt, unread);
      throw new PayloadException(
          "The payload could not be fetched, not even in a claim of its own: %s. Give workers more memory, or replace the payload."
              .formatted(
                  unread instanceof StoreException ? unread.getMessage() : unread.toString()),
          unread);
    }
  }

  private Timeout startTimeout(Attempt attempt) {
    JobType<?> type = handlers.typeOf(attempt.job().kind());
    Duration limit = type == null ? null : type.timeout().orElse(null);
    if (limit == null) {
      return Timeout.NONE;
    }
    Future<?> action =
        timer.schedule(
            () -> {
              if (attempt.timeOut()) {
                reporter.timedOut(attempt);
              }
            },
            limit.toNanos(),
            TimeUnit.NANOSECONDS);
    return new Timeout(attempt.begunAt() + limit.toNanos(), action);
  }

  /**
   * The timeout of a running attempt.
   *
   * @param deadline the nanoTime of the timeout, or null for none
   */
  private record Timeout(@Nullable Long deadline, @Nullable Future<?> action) {

    static final Timeout NONE = new Timeout(null, null);

    void stop() {
      if (action != null) {
        action.cancel(false);
      }
    }
  }

  @Override
  public void release(Attempt attempt) {
    boolean unused = ender.release(attempt, Duration.ZERO);
  }

  @Override
  public void refused(Attempt attempt, Throwable why) {
    reporter.noThread(attempt, why);
    boolean unused = ender.release(attempt, WITHOUT_THREAD);
  }

  @Override
  public void notBegun(Attempt attempt) {
    if (ender.release(attempt, WITHOUT_THREAD)) {
      reporter.notBegun(attempt);
    }
  }
}
