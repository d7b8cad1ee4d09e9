package dev.skipjack.api;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a payload cannot be written or read, or is refused; fix the payload or its class.
 * Nothing was sent to the database.
 */
public final class PayloadException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Whether another attempt is pointless. */
  private final boolean permanent;

  /** Creates an exception whose message names the location in the payload, never its content. */
  public PayloadException(String message, @Nullable Throwable cause) {
    this(message, cause, false);
  }

  private PayloadException(String message, @Nullable Throwable cause, boolean permanent) {
    super(message, cause);
    this.permanent = permanent;
  }

  /**
   * Creates an exception of {@link PayloadCodec#decode} that no retry can fix, because the class
   * itself cannot be read. A worker marks the job dead after the attempt that threw it.
   *
   * @param message names the class and the fix, never the payload's content
   */
  public static PayloadException permanent(String message, @Nullable Throwable cause) {
    return new PayloadException(message, cause, true);
  }

  /** Whether the payload's class, not the payload, is the cause, so that a retry would fail too. */
  public boolean isPermanent() {
    return permanent;
  }
}
