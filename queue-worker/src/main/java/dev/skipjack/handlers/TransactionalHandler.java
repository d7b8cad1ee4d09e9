package dev.skipjack.handlers;

import dev.skipjack.api.Outcome;
import dev.skipjack.worker.Handler;
import dev.skipjack.worker.JobContext;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** Calls a handler in a transaction that also completes its job. */
record TransactionalHandler<T>(HandlerTransactions transactions, Handler<T> handler)
    implements Handler<T> {

  @Override
  @SuppressWarnings("NullAway") // A worker treats null as a failed attempt.
  public Outcome handle(T payload, JobContext context) throws Exception {
    context
        .extension()
        .refuseSuspension(
            "The handler of kind '%s' is transactional, so its job cannot be suspended: the transaction would be rolled back. Make the handler not transactional, and use runIn for the steps that write rows."
                .formatted(context.kind()));
    Run<T> run = new Run<>(handler, payload, context);
    transactions.run(run::call, run::complete);
    return run.outcome(transactions);
  }

  /** One call of the handler. */
  private static final class Run<T> {
    private final Handler<T> handler;
    private final T payload;
    private final JobContext context;
    private @Nullable Outcome outcome;
    private boolean completed;

    Run(Handler<T> handler, T payload, JobContext context) {
      this.handler = handler;
      this.payload = payload;
      this.context = context;
    }

    boolean call() throws Exception {
      outcome = handler.handle(payload, context);
      if (outcome instanceof Outcome.Async) {
        throw new IllegalStateException(
            "The transactional handler of kind '%s' returned an asynchronous outcome. Its transaction ends when it returns: wait for the outcome in the handler, or make the handler not transactional."
                .formatted(context.kind()));
      }
      return outcome instanceof Outcome.Completed;
    }

    void complete(Connection connection) {
      Object result = outcome instanceof Outcome.Completed done ? done.result() : null;
      context.completeIn(connection, result);
      completed = true;
    }

    @Nullable Outcome outcome(HandlerTransactions transactions) {
      if (!(outcome instanceof Outcome.Completed)) {
        return outcome;
      }
      if (!completed) {
        // Otherwise the worker would complete the job, although the handler's rows may be missing.
        throw new IllegalStateException(
            "%s neither completed the job nor threw an exception. It must call its second argument before it commits."
                .formatted(transactions.getClass().getName()));
      }
      return Outcome.completed();
    }
  }
}
