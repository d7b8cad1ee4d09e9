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
 * Finishes what the ends of jobs and the sends of signals could not do. Each sweep searches for
 * jobs that a signal did not find, and every second one also does one of the other parts, so it
 * runs one or two short statements. If there are no steps and no handler of this process uses them,
 * four statements run every ten seconds. Safe for any number of threads.
 */
final class StepSweeper implements Sweeper {

  /** The number of sweeps in which all parts run. */
  private static final int CYCLE = 8;

  /** If there are no steps, all parts run in one of this many sweeps, which come every second. */
  private static final int IDLE_TURNS = 10;

  private final StepUse use;
  private final OwnTransactions transactions;
  private final Statement<WakeWaitingStatement.Request, WakeWaitingStatement.Woken> wake;
  private final Statement<NoRequest, Integer> expire;
  private final Statement<List<Long>, String> end;
  private final Optional<OrderedJobs> orderedJobs;
  private final Walk memos;
  private final Walk waits;
  private WakeWaitingStatement.Request afterSignal = WakeWaitingStatement.Request.START;
  private int turn;

  /** The number of sweeps since the last one that found something, or that followed a use. */
  private int quiet = CYCLE;

  /**
   * @param orderedJobs promotes the undos, which have an ordering key
   */
  StepSweeper(StoreParts store, Optional<OrderedJobs> orderedJobs) {
    this.orderedJobs = orderedJobs;
    this.use = StepUse.of(store);
    this.transactions = store.transactions();
    this.wake = Statement.lazily(() -> WakeWaitingStatement.ofAll(store.dialect().get()));
    this.expire = Statement.lazily(() -> ExpireSignalsStatement.of(store.dialect().get()));
    this.end = Statement.lazily(() -> EndStepsStatement.of(store.dialect().get()));
    this.memos =
        new Walk(Statement.lazily(() -> FindEndedStepsStatement.ofMemos(store.dialect().get())));
    this.waits =
        new Walk(Statement.lazily(() -> FindEndedStepsStatement.ofWaits(store.dialect().get())));
  }

  @Override
  public synchronized Swept sweep() {
    if (use.take()) {
      quiet = 0;
    }
    boolean idle = quiet >= CYCLE;
    int part = turn++ % (idle ? IDLE_TURNS : CYCLE);
    if (idle && part > 0) {
      return Swept.NOTHING;
    }
    List<WakeUp> madeDue = new ArrayList<>();
    boolean anySignals = wake(madeDue);
    boolean unfinished = false;
    if (idle || part % 4 == 0) {
      unfinished |= memos.step(madeDue);
    }
    if (idle || part == 2) {
      unfinished |= waits.step(madeDue);
    }
    if (idle || part == 6) {
      unfinished |= expire();
    }
    quiet = anySignals || memos.isInUse || waits.isInUse ? 0 : quiet + 1;
    return new Swept(madeDue, unfinished);
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
