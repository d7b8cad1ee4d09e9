package dev.skipjack.worker;

import java.util.Objects;

/** The user's {@link ErrorRedactor}, which may fail and yet must neither tell nor cost anything. */
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
