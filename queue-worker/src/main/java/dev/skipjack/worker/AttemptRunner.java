package dev.skipjack.worker;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.StoreException;
import dev.skipjack.worker.HandlerRegistry.Registration;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs attempts in the calling thread and hands what became of them to the flusher. */
final class AttemptRunner implements Slots.Runner {

  /** A worker without threads should not claim the same job again at once. */
  private static final Duration WITHOUT_THREAD = Duration.ofSeconds(1);

  private static final String ENDED = "The attempt was ended.";

  private final Invocation invocation;
  private final Sparer sparer;
  private final LongSnapshots snapshots;
  private final HandlerRegistry handlers;
  private final ContextFactory contexts;
  private final EndingRules rules;
  private final RunningJobs running;
  private final OutcomeFlusher flusher;
  private final ScheduledExecutorService timer;
  private final WorkerThreads threads;
  private final Reporter reporter;

  AttemptRunner(
      Invocation invocation,
      Sparer sparer,
      LongSnapshots snapshots,
      HandlerRegistry handlers,
      ContextFactory contexts,
      EndingRules rules,
      RunningJobs running,
      OutcomeFlusher flusher,
      ScheduledExecutorService timer,
      WorkerThreads threads,
      Reporter reporter) {
    this.invocation = invocation;
    this.sparer = sparer;
    this.snapshots = snapshots;
    this.handlers = handlers;
    this.contexts = contexts;
    this.rules = rules;
    this.running = running;
    this.flusher = flusher;
    this.timer = timer;
    this.threads = threads;
    this.reporter = reporter;
  }

  /** Gives an attempt one long lease instead of renewals. */
  @FunctionalInterface
  interface Sparer {
    /** Waits for the database; never throws because of it. May end the attempt. */
    void spare(Attempt attempt, Duration lease);
  }

  /** Makes what a handler sees of its attempt. */
  @FunctionalInterface
  interface ContextFactory {
    /**
     * The context of one attempt.
     *
     * @param deadline nanoTime; null: none
     */
    JobContext of(Attempt attempt, @Nullable Long deadline);
  }

  /** Runs the handler, unless the attempt was ended while it waited. */
  @Override
  public boolean run(Attempt attempt, Runnable later) {
    try {
      if (attempt.holdsLease()) {
        spareIfNeeded(attempt);
      }
      if (!attempt.holdsLease()) {
        // Heartbeats failed for a whole lease, or the process was frozen: another worker may run
        // it.
        giveBack(attempt);
        return true;
      }
      return !attempt.begin() || runBound(attempt, later);
    } catch (Throwable lastResort) {
      abandon(attempt);
      throw lastResort;
    }
  }

  /** Not even its failure could be noted. Let the lease run out, so that others rescue it. */
  private void abandon(Attempt attempt) {
    attempt.finish();
    attempt.queue().abandoned(attempt);
    attempt.stopRenewing();
    running.settle(attempt);
  }

  @Override
  public void refused(Attempt attempt, Throwable why) {
    reporter.noThread(attempt, why);
    boolean unused = giveBack(attempt, WITHOUT_THREAD);
  }

  @Override
  public void notBegun(Attempt attempt) {
    if (giveBack(attempt, WITHOUT_THREAD)) {
      reporter.notBegun(attempt);
    }
  }

  /** Ends an attempt early, for the shutdown; an attempt that has ended by itself is left alone. */
  @Override
  public void giveBack(Attempt attempt) {
    boolean unused = giveBack(attempt, Duration.ZERO);
  }

  /**
   * Ends an attempt whose job somebody wants cancelled. A handler that runs is interrupted and has
   * its say; one that was not called yet never is, and the store cancels the job as it comes back.
   */
  void cancel(Attempt attempt) {
    if (attempt.cancel()) {
      reporter.cancelRequested(attempt);
    } else if (attempt.withdraw()) {
      try {
        flusher.offer(attempt, unused(attempt, Duration.ZERO));
      } catch (Throwable lastResort) {
        abandon(attempt);
        throw lastResort;
      }
    }
  }

  /** Answers whether the job is given back: it is not if the attempt was over. */
  private boolean giveBack(Attempt attempt, Duration delay) {
    Attempt.Stop before = attempt.release();
    if (before == null) {
      return false;
    }
    try {
      return giveBack(attempt, before, delay);
    } catch (Throwable lastResort) {
      // Being over for this worker, it would be renewed for ever: no second try reaches it.
      abandon(attempt);
      throw lastResort;
    }
  }

  private boolean giveBack(Attempt attempt, Attempt.Stop before, Duration delay) {
    if (before == Attempt.Stop.LOST) {
      running.settle(attempt);
    } else if (before == Attempt.Stop.TIMED_OUT) {
      conclude(attempt, null, null, true);
    } else if (before == Attempt.Stop.NONE || before == Attempt.Stop.CANCELLED) {
      flusher.offer(attempt, unused(attempt, delay));
      return true;
    }
    return false;
  }

  private static Ending unused(Attempt attempt, Duration delay) {
    return attempt.hasBegun() || !delay.isZero()
        ? Ending.GivenBack.after(ExecutionStatus.RELEASED, delay)
        : Ending.GivenBack.toItsPlace(attempt.job().scheduledAt());
  }

  private boolean runBound(Attempt attempt, Runnable later) {
    long began = attempt.begunAt();
    attempt.queue().began(attempt);
    reporter.started(attempt);
    Future<?> timeout = null;
    Outcome outcome = null;
    Throwable thrown = null;
    try {
      Long deadline = null;
      Registration<?> registration = handlers.of(attempt.job().kind());
      Duration limit = registration == null ? null : registration.type().timeout().orElse(null);
      if (limit != null) {
        deadline = began + limit.toNanos();
        timeout = scheduleTimeout(attempt, limit);
      }
      requirePayload(attempt);
      outcome = invocation.call(attempt, contexts.of(attempt, deadline));
    } catch (Throwable failure) {
      thrown = failure;
    }
    if (outcome instanceof Outcome.Async async) {
      follow(attempt, async.stage(), began, timeout, later);
      return false;
    }
    end(attempt, outcome, thrown, began, timeout);
    return true;
  }

  private void requirePayload(Attempt attempt) {
    Throwable unread = attempt.unread();
    if (unread != null) {
      reporter.unread(attempt, unread);
      throw new PayloadException(
          "The payload could not be fetched, not even alone: %s. Give workers more memory, or replace the payload."
              .formatted(
                  unread instanceof StoreException ? unread.getMessage() : unread.toString()),
          unread);
    }
  }

  /** Lets the thread go and ends the attempt when the stage answers, or has to. */
  private void follow(
      Attempt attempt,
      CompletionStage<? extends @Nullable Outcome> stage,
      long began,
      @Nullable Future<?> timeout,
      Runnable later) {
    CompletableFuture<@Nullable Outcome> answer = new CompletableFuture<>();
    CompletableFuture<?> unused =
        answer.whenComplete(
            (outcome, thrown) -> {
              try {
                end(attempt, outcome, causeOf(thrown), began, timeout);
              } catch (Throwable lastResort) {
                abandon(attempt);
                reporter.notEnded(lastResort);
              } finally {
                later.run();
              }
            });
    attempt.detach(() -> elsewhere(() -> cancel(stage, answer), answer));
    try {
      CompletionStage<?> ignored =
          stage.whenComplete(
              (outcome, thrown) -> {
                if (thrown != null) {
                  answer.completeExceptionally(thrown);
                } else {
                  answer.complete(outcome);
                }
              });
    } catch (Throwable broken) { // a stage of the user's own making
      answer.completeExceptionally(broken);
    }
  }

  /** Cancelling runs what the user hung on the stage, which must not hold up who found it due. */
  private void elsewhere(Runnable cancel, CompletableFuture<@Nullable Outcome> answer) {
    try {
      threads.start("canceller", cancel);
    } catch (Throwable noThread) {
      answer.completeExceptionally(new CancellationException(ENDED));
    }
  }

  private static void cancel(
      CompletionStage<?> stage, CompletableFuture<@Nullable Outcome> answer) {
    try {
      stage.toCompletableFuture().cancel(true);
    } catch (Throwable notPossible) {
      // Whether it can be cancelled or not, nobody waits for it any more.
    }
    answer.completeExceptionally(new CancellationException(ENDED));
  }

  private static @Nullable Throwable causeOf(@Nullable Throwable thrown) {
    return thrown instanceof CompletionException && thrown.getCause() != null
        ? thrown.getCause()
        : thrown;
  }

  private void end(
      Attempt attempt,
      @Nullable Outcome outcome,
      @Nullable Throwable thrown,
      long began,
      @Nullable Future<?> timeout) {
    Attempt.Stop stop = attempt.finish();
    if (timeout != null) {
      timeout.cancel(false);
    }
    long took = System.nanoTime() - began;
    attempt.queue().ran(attempt, took);
    reporter.ran(attempt, took);
    snapshots.ran(attempt.job().kind(), took);
    if (stop == Attempt.Stop.LOST) {
      running.settle(attempt);
    } else if (stop == Attempt.Stop.NONE && thrown != null && isForgiven(attempt)) {
      flusher.offer(attempt, Ending.GivenBack.after(ExecutionStatus.RELEASED, Duration.ZERO));
    } else if (stop != Attempt.Stop.RELEASED) { // released: already in the flusher's hands
      conclude(attempt, outcome, thrown, stop == Attempt.Stop.TIMED_OUT);
    }
  }

  /** Whether it failed only because its own worker renewed its lease, and need not again. */
  private boolean isForgiven(Attempt attempt) {
    String kind = attempt.job().kind();
    if (attempt.isCompletionWritten()
        || !attempt.failedByRenewal()
        || !snapshots.learn(kind, attempt.ran(), attempt.lease())) {
      return false;
    }
    Duration next = snapshots.leaseOf(kind);
    if (next != null) {
      reporter.snapshotTooOld(attempt, next);
    }
    return true;
  }

  /**
   * Before the attempt begins, so that a cancel or a loss met here keeps the handler from running.
   */
  private void spareIfNeeded(Attempt attempt) {
    Duration lease = snapshots.leaseOf(attempt.job().kind());
    if (lease != null) {
      sparer.spare(attempt, lease);
    }
  }

  private Future<?> scheduleTimeout(Attempt attempt, Duration timeout) {
    return timer.schedule(
        () -> {
          if (attempt.timeOut()) {
            reporter.timedOut(attempt);
          }
        },
        timeout.toNanos(),
        TimeUnit.NANOSECONDS);
  }

  private void conclude(
      Attempt attempt, @Nullable Outcome outcome, @Nullable Throwable thrown, boolean timedOut) {
    Registration<?> registration = handlers.of(attempt.job().kind());
    flusher.offer(
        attempt,
        rules.decide(
            attempt, registration == null ? null : registration.type(), outcome, thrown, timedOut));
  }
}
