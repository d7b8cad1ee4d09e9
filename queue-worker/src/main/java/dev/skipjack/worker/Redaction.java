package dev.skipjack.worker;

import java.util.Objects;

/**
 * The user's {@link ErrorRedactor}, called so that its failure neither reveals the text nor costs
 * the outcome.
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
