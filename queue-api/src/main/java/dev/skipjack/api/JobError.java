package dev.skipjack.api;

import dev.skipjack.api.spi.SafeText;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The error of an unsuccessful attempt, in a form that PostgreSQL can store. NUL and lone
 * surrogates are replaced. The message is limited to 8,192 characters and the stack trace to
 * 32,768.
 *
 * @param errorClass the class of the exception; null if there was none
 * @param message a description of the error
 * @param stack the stack trace of the exception; null if there was none
 */
public record JobError(@Nullable String errorClass, String message, @Nullable String stack) {

  private static final int LONGEST_CLASS = 512;
  private static final int LONGEST_MESSAGE = 8_192;
  private static final int LONGEST_STACK = 32_768;

  /**
   * Sanitizes and truncates all components.
   *
   * @param errorClass the name of the exception's class, or null
   * @param message a description of the error
   * @param stack the stack trace of the exception, or null
   */
  public JobError {
    errorClass = errorClass == null ? null : SafeText.of(errorClass, LONGEST_CLASS);
    message = SafeText.of(message, LONGEST_MESSAGE);
    stack = stack == null ? null : SafeText.of(stack, LONGEST_STACK);
  }

  /**
   * {@return an error that has a reason instead of an exception}
   *
   * @param reason why the attempt did not succeed
   */
  public static JobError of(String reason) {
    return new JobError(null, reason, null);
  }

  /**
   * {@return an error that describes an exception, even if reading its message or stack trace
   * throws another exception}
   *
   * @param thrown the exception
   */
  public static JobError of(Throwable thrown) {
    return of(thrown, UnaryOperator.identity());
  }

  /**
   * {@return an error that describes an exception} The message and the stack trace are transformed
   * by {@code edit} before they are truncated.
   *
   * @param thrown the exception
   * @param edit changes a text, for example by removing secrets
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
