package dev.skipjack.api;

import dev.skipjack.api.spi.SafeText;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Error of an unsuccessful attempt, in a form that PostgreSQL can store: without NUL or lone
 * surrogates, and with at most 8,192 characters of message and 32,768 of stack trace.
 *
 * @param errorClass class of the exception, if there was one
 * @param message what went wrong
 * @param stack stack trace, if there was an exception
 */
public record JobError(@Nullable String errorClass, String message, @Nullable String stack) {

  private static final int LONGEST_CLASS = 512;
  private static final int LONGEST_MESSAGE = 8_192;
  private static final int LONGEST_STACK = 32_768;

  /** Sanitises and truncates the texts. */
  public JobError {
    errorClass = errorClass == null ? null : SafeText.of(errorClass, LONGEST_CLASS);
    message = SafeText.of(message, LONGEST_MESSAGE);
    stack = stack == null ? null : SafeText.of(stack, LONGEST_STACK);
  }

  /** An error with a reason instead of an exception. */
  public static JobError of(String reason) {
    return new JobError(null, reason, null);
  }

  /** Describes what a handler threw, even if its message or stack trace throws in turn. */
  public static JobError of(Throwable thrown) {
    return of(thrown, UnaryOperator.identity());
  }

  /**
   * Like {@link #of(Throwable)}, after {@code edit} has processed message and stack trace, which
   * are truncated afterwards.
   */
  public static JobError of(Throwable thrown, UnaryOperator<String> edit) {
    String stack = stackOf(thrown);
    return new JobError(
        thrown.getClass().getName(),
        edit.apply(messageOf(thrown)),
        stack == null ? null : edit.apply(stack));
  }

  private static String messageOf(Throwable thrown) {
    try {
      String message = thrown.getMessage();
      return message == null ? thrown.getClass().getName() : message;
    } catch (RuntimeException broken) {
      return thrown.getClass().getName() + " (its message could not be read)";
    }
  }

  private static @Nullable String stackOf(Throwable thrown) {
    try {
      StringWriter text = new StringWriter();
      thrown.printStackTrace(new PrintWriter(text));
      return text.toString();
    } catch (RuntimeException broken) {
      return null;
    }
  }
}
