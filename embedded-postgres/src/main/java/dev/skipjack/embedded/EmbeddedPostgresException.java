package dev.skipjack.embedded;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the embedded server cannot be started, stopped or kept. The message says what
 * happened, with the end of the server's log where there is one, and the ways out.
 */
public final class EmbeddedPostgresException extends RuntimeException {

  EmbeddedPostgresException(String message) {
    super(message);
  }

  EmbeddedPostgresException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
