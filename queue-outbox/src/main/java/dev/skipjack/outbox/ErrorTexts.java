package dev.skipjack.outbox;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.SafeText;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * The texts about what a publisher returned or threw, as they are stored and logged. The user's
 * redactor has removed what must not be kept, and no control character is left that could move the
 * cursor of a terminal.
 */
record ErrorTexts(UnaryOperator<String> redactor) {

  static final String WITHHELD = "The text is withheld, because it could not be redacted.";

  /** The maximum length of a stored reason. */
  static final int LONGEST_REASON = 2_000;

  private static final int LONGEST_TRACE = 10_000;

  /** Returns a reason as it is stored. */
  String reason(String reason) {
    return safe(redacted(reason), LONGEST_REASON);
  }

  /** Returns an exception with its stack trace as it is logged. */
  String trace(Throwable thrown) {
    StringWriter trace = new StringWriter();
    try {
      thrown.printStackTrace(new PrintWriter(trace));
    } catch (Throwable broken) {
      return thrown.getClass().getName(); // its methods are the application's
    }
    return safe(redacted(trace.toString().stripTrailing()), LONGEST_TRACE);
  }

  /** Returns an exception on one line, or only its class if it cannot be described. */
  static String describe(Throwable thrown) {
    try {
      return String.valueOf(thrown);
    } catch (Throwable broken) {
      return thrown.getClass().getName();
    }
  }

  /**
   * Returns the error of a relay's own work without its causes, because the detail of a database
   * error may quote a row.
   */
  static String own(Throwable failure) {
    return failure instanceof StoreException
        ? String.valueOf(failure.getMessage())
        : describe(failure);
  }

  private String redacted(String text) {
    try {
      return Objects.requireNonNull(redactor.apply(text));
    } catch (Throwable failed) {
      return WITHHELD;
    }
  }

  private static String safe(String text, int longest) {
    String cut = SafeText.of(text, longest);
    StringBuilder safe = new StringBuilder(cut.length());
    for (int i = 0; i < cut.length(); i++) {
      char c = cut.charAt(i);
      boolean isLayout = c == '\n' || c == '\t';
      boolean isUnsafe =
          Character.isISOControl(c)
              || Character.getType(c) == Character.FORMAT // such as the marks of direction
              || c == '\u2028'
              || c == '\u2029';
      safe.append(isUnsafe && !isLayout ? '\uFFFD' : c);
    }
    return safe.toString();
  }
}
