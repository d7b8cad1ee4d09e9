package dev.skipjack.api;

import org.jspecify.annotations.Nullable;

/** The superclass of the exceptions that a queue throws. */
public class QueueException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates an exception. The message states what happened, the values involved and what to do
   * about it.
   *
   * @param message the message
   * @param cause the cause, or null
   */
  public QueueException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
