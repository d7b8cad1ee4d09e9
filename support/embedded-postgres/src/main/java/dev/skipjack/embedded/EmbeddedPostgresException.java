package dev.skipjack.embedded;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the embedded server cannot be started or stopped, or its folder cannot be used. The
 * message describes the cause. If the server does not start or stop, the message includes the end
 * of its log.
 */
public final class EmbeddedPostgresException extends RuntimeException {

  EmbeddedPostgresException(String message) {
    super(message);
  }

  EmbeddedPostgresException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
