package dev.skipjack.outbox;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.SafeText;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Prepares the texts about a publisher's failures for the database and the log: redacts and
 * truncates them, and replaces control and format characters other than newlines and tabs, because
 * these could disturb a terminal.
 */
record ErrorTexts(UnaryOperator<String> redactor) {

  static final String WITHHELD = "The text is withheld, because it could not be redacted.";

  static final int LONGEST_REASON = 2_000;

  private static final int LONGEST_TRACE = 10_000;

  /** The maximum number of causes to read. Causes may form a cycle. */
  private static final int MOST_CAUSES = 100;

  String reason(String reason) {
    return safe(redacted(reason), LONGEST_REASON);
  }

  /**
   * Returns an exception with its stack trace for the log. For a database error, returns only the
   * messages, because the detail of its causes may quote a row.
   */
  String trace(Throwable thrown) {
    StringWriter trace = new StringWriter();
    try {
      String messages = storeMessages(thrown);
      if (messages != null) {
        return safe(redacted(messages), LONGEST_TRACE);
      }
      thrown.printStackTrace(new PrintWriter(trace));
    } catch (Throwable broken) {
      return thrown.getClass().getName(); // the exception's own methods may throw
    }
    return safe(redacted(trace.toString().stripTrailing()), LONGEST_TRACE);
  }

  /** Returns the messages up to the first {@link StoreException}; null if there is none. */
  private static @Nullable String storeMessages(Throwable thrown) {
    StringBuilder messages = new StringBuilder();
    Throwable each = thrown;
    for (int depth = 0; each != null && depth < MOST_CAUSES; depth++) {
      messages.append(depth == 0 ? "" : "\nCaused by: ").append(each);
      if (each instanceof StoreException) {
        return messages.toString();
      }
      each = each.getCause();
    }
    return null;
  }

  /**
   * Returns the text of an exception without its stack trace, or only its class if {@code toString}
   * throws.
   */
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
              || Character.getType(c) == Character.FORMAT // such as direction marks
              || c == '\u2028'
              || c == '\u2029';
      safe.append(isUnsafe && !isLayout ? '\uFFFD' : c);
    }
    return safe.toString();
  }
}
