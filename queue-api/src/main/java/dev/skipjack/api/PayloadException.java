package dev.skipjack.api;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a payload cannot be encoded or decoded, or is rejected. An enqueue that throws it has
 * sent nothing to the database. To recover, fix the payload or its class.
 */
public final class PayloadException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** True if no further attempt can succeed. */
  private final boolean permanent;

  /**
   * Creates an exception. The message names the location in the payload, but never its content.
   *
   * @param message the message
   * @param cause the cause, or null
   */
  public PayloadException(String message, @Nullable Throwable cause) {
    this(message, cause, false);
  }

  private PayloadException(String message, @Nullable Throwable cause, boolean permanent) {
    super(message, cause);
    this.permanent = permanent;
  }

  /**
   * {@return an exception for {@link PayloadCodec#decode} to throw if no payload of the class can
   * be decoded} The worker then makes the job dead without further retries.
   *
   * @param message a message that names the class and the fix, but never the content of the payload
   * @param cause the cause, or null
   */
  public static PayloadException permanent(String message, @Nullable Throwable cause) {
    return new PayloadException(message, cause, true);
  }

  /**
   * {@return whether the payload class, rather than this particular payload, caused the failure} If
   * so, a retry would fail too.
   */
  public boolean isPermanent() {
    return permanent;
  }
}
