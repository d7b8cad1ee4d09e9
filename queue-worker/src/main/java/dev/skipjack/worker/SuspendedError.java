package dev.skipjack.worker;

/**
 * Ends a handler that suspends its job. It is an error so that a handler that catches exceptions
 * does not catch it, and has no stack trace, because it reports no failure. The worker does not
 * rely on it: it suspends the job even if the handler wraps or catches it.
 */
final class SuspendedError extends Error {

  private static final long serialVersionUID = 1L;

  SuspendedError(String name) {
    super(
        "The job waits for '%s' and continues later. This is not a failure: do not catch it."
            .formatted(name),
        null,
        false,
        false);
  }
}
