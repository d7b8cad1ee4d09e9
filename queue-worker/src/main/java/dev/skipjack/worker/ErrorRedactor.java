package dev.skipjack.worker;

/**
 * Removes secrets and personal data, which exceptions may quote, from the text of an error before
 * it is stored with the job, reported to listeners or logged.
 *
 * <p>Called for the message and the stack trace of a handler's exception, and for the reasons in
 * its {@link dev.skipjack.api.Outcome}; by many threads at once. The class of the exception is kept
 * unchanged. If the redactor throws or returns null, a fixed sentence replaces the text.
 *
 * <p>{@link ExecutionInterceptor}s see the exception itself, and so does the log if an attempt
 * could not be ended at all, for example when out of memory.
 */
@FunctionalInterface
public interface ErrorRedactor {

  /** Leaves every text unchanged. */
  ErrorRedactor NONE = text -> text;

  /**
   * Returns the text to keep. It may be long; it is truncated afterwards.
   *
   * @param text a message, a reason, or a stack trace of many lines
   */
  String redact(String text);
}
