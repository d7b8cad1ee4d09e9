package dev.skipjack.spring.test;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.spi.NewJob;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Runs jobs when they are enqueued, or after the end of the transaction that enqueues them. Safe
 * for any number of threads.
 */
final class InlineEnqueues implements EnqueueInterceptor, TransactionExecutionListener, Ordered {

  private final ObjectProvider<TestJobRunner> runner;
  private final ObjectProvider<CallersTransaction> transaction;
  private final Failures failures;
  private final ReentrantLock running = new ReentrantLock();
  private final AtomicBoolean enqueued = new AtomicBoolean();
  private final ThreadLocal<Boolean> awaitsEnd = ThreadLocal.withInitial(() -> false);

  /** The number of open transactions that were begun within the transaction of the test. */
  private final ThreadLocal<Integer> inner = ThreadLocal.withInitial(() -> 0);

  InlineEnqueues(
      ObjectProvider<TestJobRunner> runner,
      ObjectProvider<CallersTransaction> transaction,
      Failures failures) {
    this.runner = runner;
    this.transaction = transaction;
    this.failures = failures;
  }

  /** Precedes all other interceptors, so that they have returned when the job runs. */
  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  @Override
  public List<EnqueueResult> enqueue(List<NewJob> jobs, Next next) {
    List<EnqueueResult> results = next.enqueue(jobs);
    if (running.isHeldByCurrentThread()) {
      return results; // the current run finds the job after the handler has returned
    }
    if (transaction.getObject().connection().isEmpty()
        || (TestTransaction.isActive() && inner.get() == 0)) {
      run();
    } else if (!TransactionSynchronizationManager.isSynchronizationActive()) {
      awaitsEnd.set(true); // in a callback after the completion
    } else if (TransactionSynchronizationManager.getSynchronizations().stream()
        .noneMatch(Completion.class::isInstance)) {
      TransactionSynchronizationManager.registerSynchronization(new Completion());
    }
    return results;
  }

  /**
   * Runs all due jobs. If another thread is doing so, that thread also runs the jobs of this one,
   * because its handler may be waiting for this thread.
   */
  private void run() {
    enqueued.set(true);
    while (enqueued.get() && running.tryLock()) {
      try {
        enqueued.set(false);
        failures.clear();
        int unused = runner.getObject().runUntilIdle();
        failures.rethrow();
      } finally {
        running.unlock();
      }
    }
  }

  @Override
  public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
    if (failure == null && TestTransaction.isActive() && !transaction.isNested()) {
      inner.set(inner.get() + 1);
    }
  }

  @Override
  public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
    ended(transaction);
  }

  @Override
  public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
    ended(transaction);
  }

  private void ended(TransactionExecution transaction) {
    if (inner.get() > 0 && !transaction.isNested()) {
      inner.set(inner.get() - 1);
    }
    runAfterEnd();
  }

  /**
   * Runs the jobs in another thread, because the ended transaction is still bound to this one, and
   * handlers would join it.
   */
  private void runAfterEnd() {
    if (!awaitsEnd.get()) {
      return;
    }
    awaitsEnd.remove();
    FutureTask<Void> task = new FutureTask<>(this::run, null);
    Thread thread = new Thread(task, "skipjack-inline");
    thread.start();
    try {
      task.get();
    } catch (InterruptedException stop) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    } catch (ExecutionException failure) {
      if (failure.getCause() instanceof RuntimeException thrown) {
        throw thrown;
      }
      throw new IllegalStateException(failure.getCause());
    }
  }

  private final class Completion implements TransactionSynchronization {
    // Jobs run after a rollback too, because a job may have been enqueued in a transaction of its
    // own.
    @Override
    public void afterCompletion(int status) {
      awaitsEnd.set(true);
    }
  }
}
