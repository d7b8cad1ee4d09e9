package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Conclusion;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.GiveBack;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Writes endings, one statement for each kind of ending, and acts on the answers. */
final class OutcomeWriter {

  private static final Renewal UNKNOWN = new Renewal(Verdict.LOST, false);

  private final JobStore store;
  private final Duration lease;
  private final RunningJobs running;
  private final Reporter reporter;
  private final RandomGenerator random;

  /** Settled before the call that found them ends. */
  private final List<Stale> stale = new ArrayList<>();

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
  }

  /**
   * Writes what it can; the rest remains unsettled, to be tried again when it is due.
   *
   * @throws StoreException if the database is away, which says nothing about any ending
   */
  void write(List<Unwritten> due) {
    try {
      each(Ending.CompletedByHandler.class::isInstance, due, this::look);
      each(Ending.Completed.PLAIN::equals, due, this::complete);
      each(OutcomeWriter::saysMore, due, this::conclude);
      each(Ending.Failed.class::isInstance, due, this::fail);
      each(Ending.GivenBack.class::isInstance, due, this::giveBack);
    } finally {
      tellLosses(); // behind all that is to be written: it is a question for the report only
    }
  }

  private static boolean saysMore(Ending ending) {
    return ending instanceof Ending.Cancelled
        || (ending instanceof Ending.Completed completed && completed.result() != null);
  }

  private void each(Predicate<Ending> kind, List<Unwritten> due, Consumer<List<Unwritten>> writer) {
    for (List<Unwritten> batch : batches(kind, due)) {
      long began = System.nanoTime();
      try {
        writer.accept(batch);
        reporter.flushTook(System.nanoTime() - began);
      } catch (Throwable thrown) {
        if (mayHaveBeenDone(thrown)) {
          batch.forEach(Unwritten::unanswered);
        }
        if (thrown instanceof StoreException away && DatabaseWatch.isAway(away)) {
          throw away;
        }
        reporter.refused(batch.size(), thrown);
        // One draw for all, so that they stay together for the next try.
        double draw = random.nextDouble();
        batch.forEach(unwritten -> refused(unwritten, draw));
      }
    }
  }

  /** A refusal, or no connection, is an answer: nothing was done. */
  private static boolean mayHaveBeenDone(Throwable thrown) {
    return !(thrown instanceof StoreException refused) || refused.isOutcomeUnknown();
  }

  private static List<List<Unwritten>> batches(Predicate<Ending> kind, List<Unwritten> due) {
    Map<Integer, List<Unwritten>> bySize = new TreeMap<>();
    for (Unwritten unwritten : due) {
      if (kind.test(unwritten.ending()) && !unwritten.isSettled()) {
        bySize.computeIfAbsent(unwritten.largestBatch(), size -> new ArrayList<>()).add(unwritten);
      }
    }
    List<List<Unwritten>> batches = new ArrayList<>();
    bySize.forEach(
        (size, all) -> {
          for (int from = 0; from < all.size(); from += size) {
            batches.add(all.subList(from, Math.min(from + size, all.size())));
          }
        });
    return batches;
  }

  /**
   * A heartbeat is the question that a batch can ask: it tells a row that is gone from one whose
   * transaction is still open, and an attempt that is about to be failed may well keep its lease.
   */
  private void look(List<Unwritten> batch) {
    long sentAt = System.nanoTime();
    List<Renewal> renewals = store.heartbeat(executions(batch), lease);
    for (int i = 0; i < batch.size(); i++) {
      Unwritten unwritten = batch.get(i);
      Ending.CompletedByHandler ending = (Ending.CompletedByHandler) unwritten.ending();
      switch (renewals.get(i).verdict()) {
        case DONE -> {
          unwritten.attempt().renewed(sentAt);
          unwritten.become(ending.otherwise());
        }
        case BUSY -> busy(unwritten);
        case LOST -> stale.add(Stale.unasked(unwritten).with(renewals.get(i)));
      }
    }
  }

  private void complete(List<Unwritten> batch) {
    List<Verdict> verdicts = store.complete(executions(batch));
    for (int i = 0; i < batch.size(); i++) {
      Unwritten unwritten = batch.get(i);
      Attempt attempt = unwritten.attempt();
      act(unwritten, verdicts.get(i), () -> reporter.succeeded(attempt));
    }
  }

  private void conclude(List<Unwritten> batch) {
    List<Conclusion> conclusions = new ArrayList<>(batch.size());
    for (Unwritten unwritten : batch) {
      Execution execution = unwritten.attempt().execution();
      conclusions.add(
          unwritten.ending() instanceof Ending.Cancelled cancelled
              ? Conclusion.cancelled(execution, cancelled.reason())
              : Conclusion.completed(execution, ((Ending.Completed) unwritten.ending()).result()));
    }
    List<Verdict> verdicts = store.conclude(conclusions);
    for (int i = 0; i < batch.size(); i++) {
      Unwritten unwritten = batch.get(i);
      Attempt attempt = unwritten.attempt();
      act(
          unwritten,
          verdicts.get(i),
          () -> {
            if (unwritten.ending() instanceof Ending.Cancelled) {
              reporter.cancelled(attempt);
            } else {
              reporter.succeeded(attempt);
            }
          });
    }
  }

  private void fail(List<Unwritten> batch) {
    List<Failure> failures = new ArrayList<>(batch.size());
    for (Unwritten unwritten : batch) {
      Ending.Failed failed = (Ending.Failed) unwritten.ending();
      failures.add(
          new Failure(
              unwritten.attempt().execution(), failed.error(), failed.delay(), failed.isFinal()));
    }
    List<Ended> answers = store.fail(failures);
    for (int i = 0; i < batch.size(); i++) {
      Unwritten unwritten = batch.get(i);
      Attempt attempt = unwritten.attempt();
      Failure failure = failures.get(i);
      Ended answer = answers.get(i);
      boolean dead =
          answer.status() == JobStatus.DEAD || isLast(attempt, failure, answer.verdict());
      act(
          unwritten,
          answer.verdict(),
          () -> {
            if (answer.status() == JobStatus.CANCELLED) {
              reporter.cancelled(attempt);
            } else if (dead) {
              reporter.dead(attempt, failure.error());
            } else {
              reporter.failed(attempt, failure.error(), failure.delay());
            }
          });
    }
  }

  /** What a lost answer would have said about the failure that it was about. */
  private static boolean isLast(Attempt attempt, Failure failure, Verdict verdict) {
    return verdict == Verdict.LOST
        && (failure.isFinal() || attempt.info().attempt() >= attempt.info().maxAttempts());
  }

  private void giveBack(List<Unwritten> batch) {
    List<GiveBack> attempts = new ArrayList<>(batch.size());
    for (Unwritten unwritten : batch) {
      Ending.GivenBack back = (Ending.GivenBack) unwritten.ending();
      attempts.add(
          new GiveBack(unwritten.attempt().execution(), back.as(), back.delay(), back.until()));
    }
    List<Ended> answers = store.giveBack(attempts);
    for (int i = 0; i < batch.size(); i++) {
      Unwritten unwritten = batch.get(i);
      Attempt attempt = unwritten.attempt();
      Ended answer = answers.get(i);
      act(
          unwritten,
          answer.verdict(),
          () -> {
            if (answer.status() == JobStatus.CANCELLED) {
              reporter.cancelled(attempt);
            } else {
              reportGivenBack(attempt, (Ending.GivenBack) unwritten.ending());
            }
          });
    }
  }

  private static List<Execution> executions(List<Unwritten> batch) {
    return batch.stream().map(unwritten -> unwritten.attempt().execution()).toList();
  }

  private void act(Unwritten unwritten, Verdict verdict, Runnable report) {
    switch (verdict) {
      case DONE -> {
        settle(unwritten);
        report.run();
      }
      case BUSY -> busy(unwritten);
      case LOST -> {
        if (unwritten.wasWrittenUnanswered()) {
          settle(unwritten);
          report.run();
        } else {
          stale.add(Stale.unasked(unwritten));
        }
      }
    }
  }

  /**
   * Asks who has the jobs of stale outcomes, and the audit whether the outcome was written after
   * all, and reports what they say. The database being away, what may have been written is left
   * unsettled, so that it is asked again.
   */
  private void tellLosses() {
    if (stale.isEmpty()) {
      return;
    }
    List<Stale> told = withHolders(List.copyOf(stale));
    stale.clear();
    List<Stale> undecided = new ArrayList<>();
    for (Stale one : told) {
      if (one.isCompleted() || !one.mayHaveBeenWritten()) {
        tell(one, Optional.empty());
      } else {
        undecided.add(one);
      }
    }
    if (undecided.isEmpty()) {
      return;
    }
    List<Optional<ExecutionStatus>> statuses = statuses(undecided);
    for (int i = 0; i < undecided.size(); i++) {
      tell(undecided.get(i), statuses.get(i));
    }
  }

  /** A heartbeat changes nothing here: who has lost a job never owns it again. */
  private List<Stale> withHolders(List<Stale> found) {
    List<Stale> unasked = found.stream().filter(one -> one.renewal() == null).toList();
    if (unasked.isEmpty()) {
      return found;
    }
    List<Renewal> renewals;
    try {
      renewals = store.heartbeat(executions(unwritten(unasked)), lease);
    } catch (RuntimeException unanswered) {
      renewals = Collections.nCopies(unasked.size(), UNKNOWN);
    }
    List<Stale> asked = new ArrayList<>(found);
    asked.removeAll(unasked);
    for (int i = 0; i < unasked.size(); i++) {
      asked.add(unasked.get(i).with(renewals.get(i)));
    }
    return asked;
  }

  private List<Optional<ExecutionStatus>> statuses(List<Stale> undecided) {
    try {
      return store.statuses(executions(unwritten(undecided)));
    } catch (StoreException refused) {
      if (DatabaseWatch.isAway(refused)) {
        throw refused;
      }
      return Collections.nCopies(undecided.size(), Optional.empty());
    }
  }

  private void tell(Stale stale, Optional<ExecutionStatus> audited) {
    Attempt attempt = stale.unwritten().attempt();
    settle(stale.unwritten());
    if (stale.isCompleted() || audited.equals(Optional.of(ExecutionStatus.SUCCEEDED))) {
      if (stale.unwritten().ending() instanceof Ending.CompletedByHandler ending
          && !ending.clean()) {
        reporter.ignoredAfterCompletion(attempt, ending.otherwise().error());
      }
      reporter.succeeded(attempt);
    } else if (audited.isEmpty() || !reportWritten(stale.unwritten(), audited.get())) {
      reporter.lost(attempt, stale.heldBy());
    }
  }

  /** Reports the ending if this is how the audit says that the attempt ended. */
  private boolean reportWritten(Unwritten unwritten, ExecutionStatus audited) {
    Attempt attempt = unwritten.attempt();
    if (unwritten.ending() instanceof Ending.Failed failed) {
      if (audited == ExecutionStatus.DEAD) {
        reporter.dead(attempt, failed.error());
      } else if (audited == ExecutionStatus.FAILED) {
        reporter.failed(attempt, failed.error(), failed.delay());
      } else {
        return false;
      }
      return true;
    } else if (unwritten.ending() instanceof Ending.GivenBack back) {
      if (audited != back.as()) {
        return false;
      }
      reportGivenBack(attempt, back);
      return true;
    } else if (unwritten.ending() instanceof Ending.Cancelled
        && audited == ExecutionStatus.CANCELLED) {
      reporter.cancelled(attempt);
      return true;
    }
    return false;
  }

  private void reportGivenBack(Attempt attempt, Ending.GivenBack back) {
    if (back.as() == ExecutionStatus.SNOOZED) {
      reporter.snoozed(attempt, back.delay(), back.until());
    } else {
      reporter.released(attempt);
    }
  }

  private static List<Unwritten> unwritten(List<Stale> stale) {
    return stale.stream().map(Stale::unwritten).toList();
  }

  /**
   * An ending that came too late, as far as its job's row tells.
   *
   * @param completedByHandler as it was when the database said so: a lease that ends while it is
   *     asked for more changes nothing
   * @param renewal who has the job; null: not asked yet
   */
  private record Stale(Unwritten unwritten, boolean completedByHandler, @Nullable Renewal renewal) {

    static Stale unasked(Unwritten unwritten) {
      return new Stale(unwritten, unwritten.attempt().completedByHandler(), null);
    }

    Stale with(Renewal asked) {
      return new Stale(unwritten, completedByHandler, asked);
    }

    /**
     * Whether the handler's own completion has ended the job: one that is there still, nobody has.
     */
    boolean isCompleted() {
      return completedByHandler && renewal != null && !renewal.jobIsLive();
    }

    /** Whether a write of ours, or the handler's transaction, may have ended the attempt. */
    boolean mayHaveBeenWritten() {
      return unwritten.isUnanswered() || unwritten.attempt().isCompletionWritten();
    }

    @Nullable ExecutionId heldBy() {
      return renewal == null ? null : renewal.heldBy();
    }
  }

  private void busy(Unwritten unwritten) {
    Attempt attempt = unwritten.attempt();
    unwritten.busy(random.nextDouble());
    if (attempt.isCompletionWritten() && !attempt.holdsLease()) {
      settle(unwritten);
      reporter.lostToOpenTransaction(attempt);
    } else {
      giveUpAfterLease(unwritten);
    }
  }

  private void refused(Unwritten unwritten, double draw) {
    if (!unwritten.isSettled()) {
      unwritten.refused(draw);
      giveUpAfterLease(unwritten);
    }
  }

  private void giveUpAfterLease(Unwritten unwritten) {
    if (unwritten.attempt().holdsLease()) {
      return;
    }
    if (unwritten.isUnanswered()) {
      stale.add(Stale.unasked(unwritten).with(UNKNOWN)); // a heartbeat might renew it
    } else {
      settle(unwritten);
      reporter.lost(unwritten.attempt(), null);
    }
  }

  private void settle(Unwritten unwritten) {
    unwritten.settle();
    running.settle(unwritten.attempt());
  }
}
