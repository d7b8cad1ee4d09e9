package dev.skipjack.worker;

/**
 * Removes secrets and personal data, which exceptions may quote, from the text of an error before
 * it is stored with the job, reported to listeners or logged.
 *
 * <p>Many threads call it at once: for the message and the stack trace of a handler's exception,
 * and for the reason in a handler's {@link dev.skipjack.api.Outcome}. The class of the exception is
 * kept unchanged. If the redactor throws or returns null, a fixed sentence replaces the text.
 *
 * <p>{@link ExecutionInterceptor}s receive the original exception. The log also shows an exception
 * unredacted if the worker could not end the attempt, for example because memory ran out.
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
