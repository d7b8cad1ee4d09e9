package dev.skipjack.worker;

import java.util.Objects;

/**
 * Calls the user's {@link ErrorRedactor}. If the redactor fails, the text is not revealed and the
 * outcome is not lost.
 */
record Redaction(ErrorRedactor redactor) {

  static final String WITHHELD = "The text is withheld, because it could not be redacted.";

  String of(String text) {
    try {
      return Objects.requireNonNull(redactor.redact(text));
    } catch (Throwable failed) {
      return WITHHELD;
    }
  }
}
