package dev.skipjack.worker;

/**
 * Removes secrets and personal data from the texts of errors before they are stored with the job,
 * reported to listeners or logged.
 *
 * <p>Called for the message and the stack trace of a handler's exception, and for the reason in a
 * handler's {@link dev.skipjack.api.Outcome}. Also called for the sampled stack of an attempt that
 * has run for longer than a minute, which has no message. It may be called by many threads
 * concurrently. The name of the exception's class is not redacted. If the redactor throws an
 * exception or returns null, a fixed sentence replaces the text.
 *
 * <p>An {@link ExecutionInterceptor} receives the original exception. If the worker cannot end an
 * attempt, for example because it has run out of memory, it logs the exception unredacted.
 */
@FunctionalInterface
public interface ErrorRedactor {

  /** A redactor that returns every text unchanged. */
  ErrorRedactor NONE = text -> text;

  /**
   * {@return the text without the parts that must not be kept} It may be long, because the worker
   * truncates it afterwards.
   *
   * @param text a message, a reason, or a stack trace of many lines
   */
  String redact(String text);
}
