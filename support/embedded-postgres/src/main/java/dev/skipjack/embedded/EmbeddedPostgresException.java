package dev.skipjack.embedded;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the embedded server cannot be started or stopped, or its folder cannot be used. The
 * message describes the cause and possible fixes, and includes the end of the server's log if there
 * is one.
 */
public final class EmbeddedPostgresException extends RuntimeException {

  EmbeddedPostgresException(String message) {
    super(message);
  }

  EmbeddedPostgresException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
