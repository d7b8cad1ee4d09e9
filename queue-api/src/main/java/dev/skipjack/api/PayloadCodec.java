package dev.skipjack.api;

/** Converts payloads to JSON and back. Implementations must be thread-safe. */
public interface PayloadCodec {

  /**
   * Encodes a payload as a JSON document.
   *
   * @param payload the payload; not null
   * @return the payload as JSON
   * @throws PayloadException if the payload cannot be encoded
   */
  String encode(Object payload);

  /**
   * Decodes a payload from a JSON document. The class is that of the registered {@link JobType},
   * and is never taken from the document.
   *
   * @param <T> the type of the payload
   * @param json the payload as JSON
   * @param payloadClass the class of the payload
   * @return the payload
   * @throws PayloadException if the document does not match {@code payloadClass}. The exception is
   *     {@linkplain PayloadException#permanent permanent} if no payload of the class can be decoded
   */
  <T> T decode(String json, Class<T> payloadClass);

  /**
   * Checks that {@link #decode} can read what {@link #encode} writes for a class. The queue calls
   * this method when a handler is registered, and before the first job with a payload of the class
   * is enqueued. A codec that cannot decide must accept the class. The default implementation
   * accepts every class.
   *
   * @param payloadClass the payload class of a {@link JobType}
   * @throws PayloadException if {@code decode} would always fail. The message names the class, the
   *     property (if it is known) and the fix
   */
  default void requireReadable(Class<?> payloadClass) {}

  /**
   * Prepares the codec, so that the first payload takes no longer than later ones. The queue calls
   * this method once, possibly while other threads use the codec. The default implementation does
   * nothing.
   */
  default void prepare() {}
}
