package dev.skipjack.steps;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Session;
import dev.skipjack.store.jooq.internal.QueueExtension;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jooq.DSLContext;

/** Runs the statements of batches in the queue's own transactions, or in that of a caller. */
interface BatchTransactions {

  /** Runs work in a transaction. */
  <R> R run(Work<R> work);

  /** Runs work that writes jobs, and wakes workers for them. */
  List<EnqueueResult> write(List<NewJob> jobs, Work<List<EnqueueResult>> work);

  /** Returns whether the transaction has been committed when a method returns. */
  boolean commits();

  /** The work of a transaction. */
  @FunctionalInterface
  interface Work<R> {
    R run(Session session) throws SQLException;
  }

  /** Returns the queue's own transactions. */
  static BatchTransactions own(QueueExtension queue) {
    return new BatchTransactions() {
      @Override
      public <R> R run(Work<R> work) {
        // Another transaction may add jobs to the same batch.
        return queue.transactions().bounded().inOne(work::run);
      }

      @Override
      public List<EnqueueResult> write(List<NewJob> jobs, Work<List<EnqueueResult>> work) {
        List<EnqueueResult> results = run(work);
        queue.waker().wakeCommitted(jobs, results);
        return results;
      }

      @Override
      public boolean commits() {
        return true;
      }
    };
  }

  /** Returns the transaction that is open on {@code transaction}. */
  static BatchTransactions in(QueueExtension queue, Connection transaction) {
    return new Callers(queue) {
      @Override
      <R> R on(OwnTransactions.ConnectionWork<R> work) {
        try {
          return work.run(transaction);
        } catch (SQLException failure) {
          throw OwnTransactions.refused(failure);
        }
      }
    };
  }

  /** Returns the transaction that is open on {@code transaction}, with jOOQ's exceptions. */
  static BatchTransactions in(QueueExtension queue, DSLContext transaction) {
    return new Callers(queue) {
      @Override
      <R> R on(OwnTransactions.ConnectionWork<R> work) {
        return transaction.connectionResult(work::run);
      }
    };
  }

  /** A transaction of a caller. */
  abstract class Callers implements BatchTransactions {

    private final QueueExtension queue;

    private Callers(QueueExtension queue) {
      this.queue = queue;
    }

    abstract <R> R on(OwnTransactions.ConnectionWork<R> work);

    @Override
    public <R> R run(Work<R> work) {
      return on(connection -> work.run(Session.in(connection)));
    }

    @Override
    public List<EnqueueResult> write(List<NewJob> jobs, Work<List<EnqueueResult>> work) {
      return on(
          connection -> {
            List<EnqueueResult> results = work.run(Session.in(connection));
            queue.waker().wakeWithin(connection, jobs, results);
            return results;
          });
    }

    @Override
    public boolean commits() {
      return false;
    }
  }
}
