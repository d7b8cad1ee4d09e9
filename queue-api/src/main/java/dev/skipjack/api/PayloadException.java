package dev.skipjack.api;

import org.jspecify.annotations.Nullable;

/**
 * A payload could not be written, read, or accepted: mend the payload or its class. Nothing was
 * sent to the database.
 */
public final class PayloadException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** With a message that names the place in the payload, never its content. */
  public PayloadException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
