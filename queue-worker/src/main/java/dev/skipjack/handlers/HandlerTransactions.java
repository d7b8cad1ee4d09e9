package dev.skipjack.handlers;

import dev.skipjack.worker.Handler;
import dev.skipjack.worker.JobContext;
import java.sql.Connection;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/**
 * Runs transactional handlers, so that the rows of a handler and the completion of its job commit
 * together or not at all. The integration of a framework implements this interface with the
 * framework's transactions.
 */
@FunctionalInterface
public interface HandlerTransactions {

  /**
   * Calls a handler in a new transaction of the queue's database, as follows:
   *
   * <ol>
   *   <li>Begins a transaction, and calls {@code handler}, whose code uses the transaction.
   *   <li>If {@code handler} returns true, passes the connection of the transaction to {@code
   *       completion}, and then commits.
   *   <li>If it returns false, rolls back.
   *   <li>If {@code handler} or {@code completion} throws an exception, rolls back and throws that
   *       exception.
   * </ol>
   *
   * <p>If {@code handler} returns true, but the transaction can only be rolled back, the method
   * rolls back and throws an exception that states this.
   *
   * @param handler calls the handler, and returns whether to complete its job
   * @param completion completes the job in the transaction of a connection
   * @throws Exception the exception of {@code handler} or {@code completion}, or the reason why the
   *     transaction could not be begun or committed
   */
  void run(Callable<Boolean> handler, Consumer<Connection> completion) throws Exception;

  /**
   * {@return a handler that calls {@code handler} in a transaction}
   *
   * <p>If {@code handler} returns {@code Outcome.completed()}, with or without a result, the job is
   * completed with {@link JobContext#completeIn} as the last statement of the transaction. After
   * any other outcome or an exception, the transaction is rolled back, and the worker writes the
   * outcome as usual. An asynchronous outcome fails the attempt.
   *
   * @param <T> the type of the payload
   * @param handler runs the jobs
   */
  default <T> Handler<T> transactional(Handler<T> handler) {
    return new TransactionalHandler<>(this, handler);
  }
}
