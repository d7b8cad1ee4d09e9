package dev.skipjack.worker;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.FinalOutcome;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.UnknownClaimException;
import dev.skipjack.api.spi.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Writes endings, with one statement for each kind of ending, and settles those that were written.
 * Endings that the database rejected go to the {@link RejectedEndings}. The others remain unsettled
 * and are tried again. Confined to the flusher's thread.
 */
final class OutcomeWriter {

  private final JobStore store;
  private final Duration lease;
  private final RunningJobs running;
  private final Reporter reporter;
  private final RandomGenerator random;
  private final RejectedEndings rejected;
  private final LostClaims lostHandOvers;

  /** Whether the current batch has an ending whose row is locked. */
  private boolean anyBusy;

  /** The time and jitter for all such endings of the batch, so that they are retried together. */
  private long busyAt;

  private double busyDraw;

  OutcomeWriter(
      JobStore store,
      Duration lease,
      RunningJobs running,
      Reporter reporter,
      RandomGenerator random) {
    this.store = store;
    this.lease = lease;
    this.running = running;
    this.reporter = reporter;
    this.random = random;
    this.rejected = new RejectedEndings(store, lease, running, reporter);
    this.lostHandOvers =
        new LostClaims(
            LostClaims.Finder.NONE,
            running,
            store::requeue,
            lease,
            System::nanoTime,
            reporter::releasedLostClaim);
  }

  /**
   * Adds the job that a lost hand-over may have claimed. It is released by the next {@link
   * #releaseLost}.
   */
  void lost(UnknownClaimException handOver) {
    lostHandOvers.add(handOver);
  }

  /** Releases the jobs of lost hand-overs, as {@link LostClaims#release} does. */
  boolean releaseLost() {
    return lostHandOvers.release();
  }

  /**
   * Returns the nanoseconds until {@link #releaseLost} must be called, but at most {@code most}.
   */
  long pause(long most) {
    return lostHandOvers.pause(most);
  }

  /**
   * Writes as many endings as possible. The others remain unsettled and are tried again when they
   * are due.
   *
   * @throws StoreException if the database is unavailable; endings of earlier statements may have
   *     been settled
   */
  void write(List<UnwrittenEnding> due) {
    try {
      for (Ending.Statement statement : Ending.Statement.values()) {
        each(statement, due, writer(statement));
      }
    } finally {
      rejected.settle(); // called last, because only the report depends on it
    }
  }

  private Consumer<List<UnwrittenEnding>> writer(Ending.Statement statement) {
    return switch (statement) {
      case CHECK_COMPLETION -> this::checkCompletions;
      case COMPLETE -> this::complete;
      case END_WITH_DATA -> this::endWithData;
      case FAIL -> this::fail;
      case REQUEUE -> this::requeue;
    };
  }

  private void each(
      Ending.Statement statement,
      List<UnwrittenEnding> due,
      Consumer<List<UnwrittenEnding>> writer) {
    for (List<UnwrittenEnding> batch : batches(statement, due)) {
      long began = System.nanoTime();
      anyBusy = false;
      try {
        writer.accept(batch);
        reporter.flushTook(System.nanoTime() - began);
      } catch (Throwable thrown) {
        if (mayBeExecuted(thrown)) {
          batch.forEach(UnwrittenEnding::answerLost);
        }
        if (thrown instanceof StoreException unavailable && DatabaseWatch.isAway(unavailable)) {
          throw unavailable;
        }
        reporter.refused(batch.size(), thrown);
        // All wait for the same time, so that they stay together in the next try.
        long now = System.nanoTime();
        double draw = random.nextDouble();
        batch.forEach(unwritten -> refused(unwritten, now, draw));
      }
    }
  }

  /**
   * Returns whether the statement may have been executed. Returns false if it was rejected or if no
   * connection was available.
   */
  static boolean mayBeExecuted(Throwable thrown) {
    return !(thrown instanceof StoreException refused) || refused.isOutcomeUnknown();
  }

  private static List<List<UnwrittenEnding>> batches(
      Ending.Statement statement, List<UnwrittenEnding> due) {
    Map<Integer, List<UnwrittenEnding>> bySize = new TreeMap<>();
    for (UnwrittenEnding unwritten : due) {
      if (unwritten.ending().statement() == statement && !unwritten.isSettled()) {
        bySize.computeIfAbsent(unwritten.largestBatch(), size -> new ArrayList<>()).add(unwritten);
      }
    }
    List<List<UnwrittenEnding>> batches = new ArrayList<>();
    bySize.forEach(
        (size, all) -> {
          for (int from = 0; from < all.size(); from += size) {
            batches.add(all.subList(from, Math.min(from + size, all.size())));
          }
        });
    return batches;
  }

  /**
   * Checks with a heartbeat whether handlers committed their completions. The heartbeat
   * distinguishes a row that is gone from a row whose transaction is still open. It may renew the
   * lease of an attempt that is about to fail.
   */
  private void checkCompletions(List<UnwrittenEnding> batch) {
    long sentAt = System.nanoTime();
    List<Renewal> renewals = store.heartbeat(executions(batch), lease);
    for (int i = 0; i < batch.size(); i++) {
      UnwrittenEnding unwritten = batch.get(i);
      switch (renewals.get(i).verdict()) {
        case DONE -> {
          unwritten.attempt().renewed(sentAt);
          unwritten.become(((Ending.CompletedByHandler) unwritten.ending()).otherwise());
        }
        case BUSY -> busy(unwritten);
        case LOST -> rejected.add(unwritten, renewals.get(i));
      }
    }
  }

  private void complete(List<UnwrittenEnding> batch) {
    List<Verdict> verdicts = store.complete(executions(batch));
    for (int i = 0; i < batch.size(); i++) {
      act(batch.get(i), verdicts.get(i), ExecutionStatus.SUCCEEDED);
    }
  }

  private void endWithData(List<UnwrittenEnding> batch) {
    List<Verdict> verdicts = store.endWithData(batch.stream().map(OutcomeWriter::outcome).toList());
    for (int i = 0; i < batch.size(); i++) {
      boolean cancelled = batch.get(i).ending() instanceof Ending.Cancelled;
      act(
          batch.get(i),
          verdicts.get(i),
          cancelled ? ExecutionStatus.CANCELLED : ExecutionStatus.SUCCEEDED);
    }
  }

  private static FinalOutcome outcome(UnwrittenEnding unwritten) {
    Execution execution = unwritten.attempt().execution();
    return unwritten.ending() instanceof Ending.Cancelled cancelled
        ? FinalOutcome.cancelled(execution, cancelled.reason())
        : FinalOutcome.completed(execution, ((Ending.Completed) unwritten.ending()).result());
  }

  private void fail(List<UnwrittenEnding> batch) {
    List<Ended> answers = store.fail(batch.stream().map(OutcomeWriter::failure).toList());
    for (int i = 0; i < batch.size(); i++) {
      UnwrittenEnding unwritten = batch.get(i);
      Ended answer = answers.get(i);
      boolean dead =
          answer.status() == JobStatus.DEAD
              || (answer.verdict() == Verdict.LOST && isLast(unwritten));
      act(unwritten, answer, dead ? ExecutionStatus.DEAD : ExecutionStatus.FAILED);
    }
  }

  private static Failure failure(UnwrittenEnding unwritten) {
    Ending.Failed failed = (Ending.Failed) unwritten.ending();
    return new Failure(
        unwritten.attempt().execution(), failed.error(), failed.delay(), failed.isFinal());
  }

  /** Returns whether the job became dead, provided that this failure ended the attempt. */
  private static boolean isLast(UnwrittenEnding unwritten) {
    AttemptInfo info = unwritten.attempt().info();
    return ((Ending.Failed) unwritten.ending()).isFinal() || info.attempt() >= info.maxAttempts();
  }

  private void requeue(List<UnwrittenEnding> batch) {
    List<Requeue> requeued = batch.stream().map(OutcomeWriter::requeued).toList();
    List<Ended> answers = store.requeue(requeued);
    for (int i = 0; i < batch.size(); i++) {
      act(batch.get(i), answers.get(i), requeued.get(i).as());
    }
  }

  private static Requeue requeued(UnwrittenEnding unwritten) {
    Execution execution = unwritten.attempt().execution();
    if (unwritten.ending() instanceof Ending.Snoozed snoozed) {
      return new Requeue(
          execution,
          ExecutionStatus.SNOOZED,
          snoozed.delay(),
          snoozed.until(),
          snoozed.suspension());
    }
    Ending.Released released = (Ending.Released) unwritten.ending();
    return new Requeue(execution, ExecutionStatus.RELEASED, released.delay(), released.until());
  }

  private static List<Execution> executions(List<UnwrittenEnding> batch) {
    return batch.stream().map(unwritten -> unwritten.attempt().execution()).toList();
  }

  /**
   * Acts on the result of the write. If cancellation was requested, the store cancels a job instead
   * of making it pending or dead.
   */
  private void act(UnwrittenEnding unwritten, Ended answer, ExecutionStatus otherwise) {
    boolean cancelled = answer.status() == JobStatus.CANCELLED;
    act(unwritten, answer.verdict(), cancelled ? ExecutionStatus.CANCELLED : otherwise);
  }

  private void act(UnwrittenEnding unwritten, Verdict verdict, ExecutionStatus status) {
    switch (verdict) {
      case DONE -> settle(unwritten, status);
      case BUSY -> busy(unwritten);
      case LOST -> {
        if (unwritten.isWritten()) {
          settle(unwritten, status);
        } else {
          rejected.add(unwritten);
        }
      }
    }
  }

  private void settle(UnwrittenEnding unwritten, ExecutionStatus status) {
    unwritten.settle(running);
    reporter.ended(unwritten.attempt(), unwritten.ending(), status);
  }

  private void busy(UnwrittenEnding unwritten) {
    Attempt attempt = unwritten.attempt();
    if (!anyBusy) {
      anyBusy = true;
      busyAt = System.nanoTime();
      busyDraw = random.nextDouble();
    }
    unwritten.busy(busyAt, busyDraw);
    if (attempt.completion().isWritten() && !attempt.lease().isHeld()) {
      unwritten.settle(running);
      reporter.lostToOpenTransaction(attempt);
    } else {
      giveUpAfterLease(unwritten);
    }
  }

  private void refused(UnwrittenEnding unwritten, long now, double draw) {
    if (!unwritten.isSettled()) {
      unwritten.refused(now, draw);
      giveUpAfterLease(unwritten);
    }
  }

  private void giveUpAfterLease(UnwrittenEnding unwritten) {
    if (unwritten.attempt().lease().isHeld()) {
      return;
    }
    if (unwritten.mayBeWritten()) {
      rejected.addExpired(unwritten);
    } else {
      unwritten.settle(running);
      reporter.lost(unwritten.attempt(), null);
    }
  }
}
