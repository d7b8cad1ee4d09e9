package dev.skipjack.spring.test;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.spi.NewJob;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Runs jobs when they are enqueued, or after the transaction in which they are. Safe for any number
 * of threads.
 */
final class InlineEnqueues implements EnqueueInterceptor, TransactionExecutionListener, Ordered {

  private final ObjectProvider<TestJobRunner> runner;
  private final ObjectProvider<CallersTransaction> transaction;
  private final Failures failures;
  private final ThreadLocal<Boolean> runs = ThreadLocal.withInitial(() -> false);
  private final ThreadLocal<Boolean> awaitsEnd = ThreadLocal.withInitial(() -> false);

  InlineEnqueues(
      ObjectProvider<TestJobRunner> runner,
      ObjectProvider<CallersTransaction> transaction,
      Failures failures) {
    this.runner = runner;
    this.transaction = transaction;
    this.failures = failures;
  }

  /** Returns the first place, so that all other interceptors have returned when the job runs. */
  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  @Override
  public List<EnqueueResult> enqueue(List<NewJob> jobs, Next next) {
    List<EnqueueResult> results = next.enqueue(jobs);
    if (runs.get()) {
      return results; // the current run finds the job after the handler that has enqueued it
    }
    if (transaction.getObject().connection().isEmpty() || TestTransaction.isActive()) {
      run();
    } else if (!TransactionSynchronizationManager.isSynchronizationActive()) {
      awaitsEnd.set(true); // in a callback after the completion
    } else if (TransactionSynchronizationManager.getSynchronizations().stream()
        .noneMatch(Completion.class::isInstance)) {
      TransactionSynchronizationManager.registerSynchronization(new Completion());
    }
    return results;
  }

  private void run() {
    runs.set(true);
    try {
      failures.clear();
      int unused = runner.getObject().runUntilIdle();
      failures.rethrow();
    } finally {
      runs.remove();
    }
  }

  @Override
  public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
    runAfterEnd();
  }

  @Override
  public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
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
    @Override
    public void afterCompletion(int status) {
      if (status == STATUS_COMMITTED) {
        awaitsEnd.set(true);
      }
    }
  }
}
