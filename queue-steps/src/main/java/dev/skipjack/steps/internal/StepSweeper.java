package dev.skipjack.steps.internal;

import dev.skipjack.api.spi.Sweeper;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.steps.StoreParts;
import java.util.ArrayList;
import java.util.List;

/**
 * Finishes what the ends of jobs and the sends of signals could not do. Each sweep searches for jobs
 * that a signal did not find, and every second one also does one of the other parts, so it usually
 * runs one or two short statements. Safe for any number of threads.
 */
final class StepSweeper implements Sweeper {

  private final OwnTransactions transactions;
  private final Statement<WakeWaitingStatement.Request, WakeWaitingStatement.Woken> wake;
  private final Statement<NoRequest, Integer> expire;
  private final Statement<List<Long>, Integer> end;
  private final Walk memos;
  private final Walk waits;
  private WakeWaitingStatement.Request afterSignal = WakeWaitingStatement.Request.START;
  private int turn;

  StepSweeper(StoreParts store) {
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
    switch (turn++ % 8) {
      case 0, 4 -> unfinished = memos.step();
      case 2 -> unfinished = waits.step();
      case 6 -> unfinished = expire();
      default -> {} // only the search for jobs that a signal did not find
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
    boolean step() {
      FindEndedStepsStatement.Part part = transactions.run(find, after).get(0);
      isInUse = part.last().isPresent() || after > 0;
      if (!part.ended().isEmpty()) {
        Integer unused = transactions.run(end, part.ended()).get(0);
      }
      after = part.isFull() ? part.last().getAsLong() : 0;
      return !part.ended().isEmpty();
    }
  }
}
