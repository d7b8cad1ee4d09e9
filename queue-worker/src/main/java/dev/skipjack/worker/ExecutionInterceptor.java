package dev.skipjack.worker;

import dev.skipjack.api.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Intercepts every call of a worker's handlers, in the handler's thread. Typical uses are tracing,
 * passing context to handlers, and running them in a transaction.
 *
 * <p>The outcome that an interceptor returns, or the exception that it throws, replaces the
 * handler's. An interceptor may return without calling {@link Next#proceed()}, and may call it more
 * than once. The payload is decoded inside {@code proceed()}. For an asynchronous handler, {@code
 * proceed()} returns an {@link Outcome.Async}. Attach actions that must run at the end of the
 * attempt to the stage of that outcome.
 *
 * <p>An interceptor may be called by many threads concurrently.
 */
@FunctionalInterface
public interface ExecutionInterceptor {

  /**
   * Intercepts one attempt.
   *
   * @param context the context that the handler receives
   * @param next calls the remaining interceptors and then the handler
   * @return the outcome of the attempt; null counts as a failure
   * @throws Exception if the attempt failed
   */
  @Nullable Outcome around(JobContext context, Next next) throws Exception;

  /** The remaining interceptors, followed by the handler. */
  @FunctionalInterface
  interface Next {
    /**
     * Calls the remaining interceptors and the handler, and returns the outcome.
     *
     * @return the outcome, which may be null
     * @throws Exception if one of them failed
     */
    @Nullable Outcome proceed() throws Exception;
  }
}
