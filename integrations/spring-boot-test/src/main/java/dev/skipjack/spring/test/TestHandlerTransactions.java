package dev.skipjack.spring.test;

import dev.skipjack.handlers.HandlerTransactions;
import java.sql.Connection;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.springframework.transaction.UnexpectedRollbackException;

/** Calls transactional handlers in the transaction of the test, if there is one. */
final class TestHandlerTransactions implements HandlerTransactions {

  private final HandlerTransactions own;
  private final CallersTransaction transaction;

  TestHandlerTransactions(HandlerTransactions own, CallersTransaction transaction) {
    this.own = own;
    this.transaction = transaction;
  }

  @Override
  public void run(Callable<Boolean> handler, Consumer<Connection> completion) throws Exception {
    if (transaction.connection().isEmpty()) {
      own.run(handler, completion);
      return;
    }
    boolean doomed = transaction.isRollbackOnly();
    boolean unused =
        transaction.inSavepoint(
            () -> {
              boolean complete = handler.call();
              if (complete) {
                requireNotMarked(doomed);
                transaction.flush();
                completion.accept(transaction.connection().orElseThrow());
              }
              return complete;
            },
            complete -> complete);
  }

  private void requireNotMarked(boolean before) {
    if (!before && transaction.isRollbackOnly()) {
      throw new UnexpectedRollbackException(
          "The handler returned normally, but its transaction was marked as rollback-only. Let the"
              + " exception of the called method propagate, or call it in a transaction of its"
              + " own.");
    }
  }
}
