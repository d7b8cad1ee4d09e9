package dev.skipjack.handlers;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.worker.Handler;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A checked handler method.
 *
 * @param type the type of the jobs that it runs
 * @param instance supplies the object for each attempt
 * @param parameters what the method takes
 * @param transactions calls the method in a transaction; null if it is not transactional
 * @param schedule enqueues jobs of the type; null if there is none
 */
record HandlerMethod<T>(
    JobType<T> type,
    Method method,
    Supplier<?> instance,
    HandlerParameters parameters,
    ReturnKind returns,
    @Nullable HandlerTransactions transactions,
    @Nullable Schedule schedule,
    String name) {

  void addTo(Worker.Builder worker) {
    Handler<T> handler = this::run;
    worker.handle(type, transactions == null ? handler : transactions.transactional(handler));
    if (schedule != null) {
      worker.schedule(schedule);
    }
  }

  @SuppressWarnings("NullAway") // A worker treats null as a failed attempt.
  private Outcome run(T payload, JobContext context) throws Exception {
    return returns.outcome(invoke(parameters.arguments(payload, context)));
  }

  private @Nullable Object invoke(Object[] arguments) throws Exception {
    try {
      return method.invoke(instance.get(), arguments);
    } catch (InvocationTargetException thrown) {
      throw failure(thrown);
    }
  }

  /**
   * Returns the exception that the method threw, because the rules of the job type refer to its
   * class. A proxy wraps checked exceptions that its interface does not declare.
   */
  private static Exception failure(InvocationTargetException thrown) {
    Throwable cause = thrown.getCause();
    while (cause instanceof UndeclaredThrowableException undeclared
        && undeclared.getUndeclaredThrowable() != null) {
      cause = undeclared.getUndeclaredThrowable();
    }
    if (cause instanceof Error error) {
      throw error;
    }
    return cause instanceof Exception exception ? exception : thrown;
  }
}
