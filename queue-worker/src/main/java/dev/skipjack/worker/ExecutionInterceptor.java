package dev.skipjack.worker;

import dev.skipjack.api.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Runs around every handler of a worker, in the handler's thread: for tracing, context that must
 * reach the handler, or a transaction.
 *
 * <p>Its outcome or exception replaces the handler's. It may return without proceeding, and may
 * proceed more than once. Payloads are decoded inside {@link Next#proceed()}. For an asynchronous
 * handler {@code proceed()} returns an {@link Outcome.Async}; attach to its stage whatever must
 * happen at the end of the attempt.
 *
 * <p>Called by many threads at once.
 */
@FunctionalInterface
public interface ExecutionInterceptor {

  /**
   * Runs one attempt.
   *
   * @param next later interceptors, then the handler
   * @return the outcome of the attempt; null fails it
   */
  @Nullable Outcome around(JobContext context, Next next) throws Exception;

  /** The remaining interceptors and the handler. */
  @FunctionalInterface
  interface Next {
    /** Calls them and returns the handler's outcome. */
    @Nullable Outcome proceed() throws Exception;
  }
}
