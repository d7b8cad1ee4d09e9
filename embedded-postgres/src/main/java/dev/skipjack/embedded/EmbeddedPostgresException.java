package dev.skipjack.embedded;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the embedded server cannot be started, stopped or kept. The message describes the
 * cause, with the end of the server's log if there is one, and possible fixes.
 */
public final class EmbeddedPostgresException extends RuntimeException {

  EmbeddedPostgresException(String message) {
    super(message);
  }

  EmbeddedPostgresException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
