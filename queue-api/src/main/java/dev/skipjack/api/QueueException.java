package dev.skipjack.api;

import org.jspecify.annotations.Nullable;

/** Something about the queue went wrong; each child is named for what the caller does next. */
public class QueueException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** With a message that says what happened, with which values, and what to do. */
  public QueueException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
