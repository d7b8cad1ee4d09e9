package dev.skipjack.worker;

import dev.skipjack.api.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Runs around every handler of a worker, in the handler's thread: for tracing, context that must
 * reach the handler, or a transaction.
 *
 * <p>What it answers or throws stands for the handler's. It may answer without proceeding, and may
 * proceed more than once. Payloads are decoded inside {@link Next#proceed()}. An asynchronous
 * handler has answered {@link Outcome.Async} by then; what is to happen at its end is composed onto
 * that stage.
 *
 * <p>Called by many threads at once.
 */
@FunctionalInterface
public interface ExecutionInterceptor {

  /**
   * Runs one attempt.
   *
   * @param next the rest: later interceptors, then the handler
   * @return what became of it; null is a failed attempt
   */
  @Nullable Outcome around(JobContext context, Next next) throws Exception;

  /** The rest of the way to the handler. */
  @FunctionalInterface
  interface Next {
    /** Goes it, and answers what the handler did. */
    @Nullable Outcome proceed() throws Exception;
  }
}
