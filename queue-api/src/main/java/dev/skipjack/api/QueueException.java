package dev.skipjack.api;

import org.jspecify.annotations.Nullable;

/**
 * Base class of the queue's exceptions; each subclass corresponds to a different reaction of the
 * caller.
 */
public class QueueException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates an exception with a message that says what happened, with which values, and what to do.
   */
  public QueueException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
