package dev.skipjack.worker;

/**
 * Takes out of an error's text what nobody but the handler should see, before the text is kept with
 * the job, told to listeners or logged: passwords, addresses, whatever an exception quotes.
 *
 * <p>Called for the message and for the stack trace of what a handler threw, and for the reasons in
 * its {@link dev.skipjack.api.Outcome}; by many threads at once. The class of the exception is kept
 * as it is. What it throws, and null, costs no outcome: a fixed sentence takes the text's place.
 *
 * <p>{@link ExecutionInterceptor}s see the exception itself, and so does the log in the one case
 * that an attempt could not even be ended, for want of memory say.
 */
@FunctionalInterface
public interface ErrorRedactor {

  /** Leaves every text as it is. */
  ErrorRedactor NONE = text -> text;

  /**
   * The text to keep. It may be long, and is cut afterwards.
   *
   * @param text a message, a reason, or a stack trace of many lines
   */
  String redact(String text);
}
