package dev.skipjack.steps.internal;

import dev.skipjack.api.spi.OrderedJobs;
import dev.skipjack.api.spi.Sweeper;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.steps.StoreParts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finishes what the ends of jobs and the sends of signals could not do. Each sweep searches for jobs
 * that a signal did not find, and every second one also does one of the other parts, so it usually
 * runs one or two short statements, or four if there are no steps. Safe for any number of threads.
 */
final class StepSweeper implements Sweeper {

  private final OwnTransactions transactions;
  private final Statement<WakeWaitingStatement.Request, WakeWaitingStatement.Woken> wake;
  private final Statement<NoRequest, Integer> expire;
  private final Statement<List<Long>, String> end;
  private final Optional<OrderedJobs> orderedJobs;
  private final Walk memos;
  private final Walk waits;
  private WakeWaitingStatement.Request afterSignal = WakeWaitingStatement.Request.START;
  private int turn;

  /**
   * @param orderedJobs promotes the undos, which have an ordering key
   */
  StepSweeper(StoreParts store, Optional<OrderedJobs> orderedJobs) {
    this.orderedJobs = orderedJobs;
    this.transactions = store.transactions();
    this.wake = Statement.lazily(() -> WakeWaitingStatement.ofAll(store.dialect().get()));
    this.expire = Statement.lazily(() -> ExpireSignalsStatement.of(store.dialect().get()));
    this.end = Statement.lazily(() -> EndStepsStatement.of(store.dialect().get()));
    this.memos =
        new Walk(
            Statement.lazily(() -> FindEndedStepsStatement.ofMemos(store.dialect().get())));
    this.waits =
        new Walk(
            Statement.lazily(() -> FindEndedStepsStatement.ofWaits(store.dialect().get())));
  }

  @Override
  public synchronized Swept sweep() {
    List<WakeUp> madeDue = new ArrayList<>();
    boolean anySignals = wake(madeDue);
    boolean unfinished = false;
    // Sweeps are rare while nothing was found, so each of them does all parts then.
    boolean all = !memos.isInUse && !waits.isInUse;
    int part = turn++ % 8;
    if (all || part % 4 == 0) {
      unfinished |= memos.step(madeDue);
    }
    if (all || part == 2) {
      unfinished |= waits.step(madeDue);
    }
    if (all || part == 6) {
      unfinished |= expire();
    }
    return new Swept(madeDue, anySignals || memos.isInUse || waits.isInUse, unfinished);
  }

  /** Returns whether there are signals that no job has taken. */
  private boolean wake(List<WakeUp> madeDue) {
    List<WakeWaitingStatement.Woken> woken = transactions.run(wake, afterSignal);
    for (WakeWaitingStatement.Woken each : woken) {
      if (each.job() != null) {
        madeDue.add(each.job());
      }
    }
    WakeWaitingStatement.Woken walked = woken.get(0);
    boolean any = walked.walked() > 0 || !afterSignal.equals(WakeWaitingStatement.Request.START);
    WakeWaitingStatement.Request last = walked.last();
    afterSignal =
        walked.walked() == WakeWaitingStatement.WINDOW && last != null
            ? last
            : WakeWaitingStatement.Request.START;
    return any;
  }

  /** Deletes expired signals. Returns whether there may be more. */
  private boolean expire() {
    return transactions.run(expire).get(0) == ExpireSignalsStatement.WINDOW;
  }

  /** A walk through a table, which ends the steps of the jobs that it finds. */
  private final class Walk {

    private final Statement<Long, FindEndedStepsStatement.Part> find;
    private long after;
    private boolean isInUse;

    Walk(Statement<Long, FindEndedStepsStatement.Part> find) {
      this.find = find;
    }

    /** Walks one part. Returns whether it found jobs that had ended. */
    boolean step(List<WakeUp> madeDue) {
      FindEndedStepsStatement.Part part = transactions.run(find, after).get(0);
      isInUse = part.last().isPresent() || after > 0;
      if (!part.ended().isEmpty()) {
        List<String> undone = transactions.run(end, part.ended());
        orderedJobs.ifPresent(each -> madeDue.addAll(each.promote(undone)));
      }
      after = part.isFull() ? part.last().getAsLong() : 0;
      return !part.ended().isEmpty();
    }
  }
}
