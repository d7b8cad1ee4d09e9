package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Settles the endings that the database rejected because the attempt no longer holds its job. It
 * determines and reports the reason: an earlier statement whose response was lost has written the
 * ending, the handler's own transaction has completed the job, or the attempt has lost the job.
 *
 * <p>Confined to the flusher's thread.
 */
final class RejectedEndings {

  private static final Renewal UNKNOWN = new Renewal(Verdict.LOST, false);

  private final JobStore store;
  private final Duration lease;
  private final RunningJobs running;
  private final Reporter reporter;
  private final List<Rejected> unsettled = new ArrayList<>();

  RejectedEndings(JobStore store, Duration lease, RunningJobs running, Reporter reporter) {
    this.store = store;
    this.lease = lease;
    this.running = running;
    this.reporter = reporter;
  }

  /** Adds an ending; {@link #settle} determines which execution holds its job. */
  void add(UnwrittenEnding ending) {
    unsettled.add(Rejected.of(ending, null));
  }

  /** Adds an ending for which a heartbeat has already reported which execution holds its job. */
  void add(UnwrittenEnding ending, Renewal renewal) {
    unsettled.add(Rejected.of(ending, renewal));
  }

  /** Adds an ending whose job must not be checked with a heartbeat, which might renew the lease. */
  void addExpired(UnwrittenEnding ending) {
    unsettled.add(Rejected.of(ending, UNKNOWN));
  }

  /**
   * Determines which executions hold the jobs, reads from the audit which of the endings were
   * written, and reports the results. If the database is unavailable, an ending that may have been
   * written remains unsettled and is checked again.
   *
   * @throws StoreException if the database is unavailable
   */
  void settle() {
    if (unsettled.isEmpty()) {
      return;
    }
    List<Rejected> all = withRenewals(List.copyOf(unsettled));
    unsettled.clear();
    List<Rejected> inAudit = new ArrayList<>();
    for (Rejected one : all) {
      if (one.isCompleted() || !one.mayBeWritten()) {
        settle(one, Optional.empty());
      } else {
        inAudit.add(one);
      }
    }
    if (inAudit.isEmpty()) {
      return;
    }
    List<Optional<ExecutionStatus>> statuses = statuses(inAudit);
    for (int i = 0; i < inAudit.size(); i++) {
      settle(inAudit.get(i), statuses.get(i));
    }
  }

  /**
   * Sends a heartbeat for the endings whose renewal is not known yet, and adds the results to them.
   * The heartbeat renews nothing here, because an execution that has lost its job never holds it
   * again.
   */
  private List<Rejected> withRenewals(List<Rejected> all) {
    List<Rejected> unasked = all.stream().filter(one -> one.renewal() == null).toList();
    if (unasked.isEmpty()) {
      return all;
    }
    List<Renewal> renewals;
    try {
      renewals = store.heartbeat(executions(unasked), lease);
    } catch (RuntimeException unanswered) {
      renewals = Collections.nCopies(unasked.size(), UNKNOWN);
    }
    List<Rejected> asked = new ArrayList<>(all);
    asked.removeAll(unasked);
    for (int i = 0; i < unasked.size(); i++) {
      asked.add(unasked.get(i).with(renewals.get(i)));
    }
    return asked;
  }

  private List<Optional<ExecutionStatus>> statuses(List<Rejected> inAudit) {
    try {
      return store.statuses(executions(inAudit));
    } catch (StoreException refused) {
      if (DatabaseWatch.isAway(refused)) {
        throw refused;
      }
      return Collections.nCopies(inAudit.size(), Optional.empty());
    }
  }

  private static List<Execution> executions(List<Rejected> rejected) {
    return rejected.stream().map(one -> one.unwritten().attempt().execution()).toList();
  }

  private void settle(Rejected one, Optional<ExecutionStatus> audited) {
    Attempt attempt = one.unwritten().attempt();
    Ending ending = one.unwritten().ending();
    one.unwritten().settle(running);
    if (one.isCompleted() || audited.equals(Optional.of(ExecutionStatus.SUCCEEDED))) {
      if (ending instanceof Ending.CompletedByHandler completed && !completed.clean()) {
        reporter.ignoredAfterCompletion(attempt, completed.otherwise().error());
      }
      reporter.ended(attempt, ending, ExecutionStatus.SUCCEEDED);
    } else if (audited.isPresent() && ending.isWrittenAs(audited.get())) {
      reporter.ended(attempt, ending, audited.get());
    } else {
      reporter.lost(attempt, one.heldBy());
    }
  }

  /**
   * One rejected ending.
   *
   * @param completedByHandler whether the handler's completion had been committed when the database
   *     rejected the ending
   * @param renewal reports which execution holds the job; null if not known yet
   */
  private record Rejected(
      UnwrittenEnding unwritten, boolean completedByHandler, @Nullable Renewal renewal) {

    static Rejected of(UnwrittenEnding unwritten, @Nullable Renewal renewal) {
      return new Rejected(unwritten, unwritten.attempt().completion().isCommitted(), renewal);
    }

    Rejected with(Renewal asked) {
      return new Rejected(unwritten, completedByHandler, asked);
    }

    /** Returns whether the job is gone because the handler's own completion ended it. */
    boolean isCompleted() {
      return completedByHandler && renewal != null && !renewal.jobIsLive();
    }

    /**
     * Returns whether a write of this worker, or the handler's transaction, may have ended the
     * attempt.
     */
    boolean mayBeWritten() {
      return unwritten.mayBeWritten() || unwritten.attempt().completion().isWritten();
    }

    @Nullable ExecutionId heldBy() {
      return renewal == null ? null : renewal.heldBy();
    }
  }
}
