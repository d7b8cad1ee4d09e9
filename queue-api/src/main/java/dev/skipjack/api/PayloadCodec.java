package dev.skipjack.api;

/** Converts payloads to JSON and back. Implementations must be safe for any number of threads. */
public interface PayloadCodec {

  /**
   * Returns the payload as one JSON document.
   *
   * @param payload not null
   * @throws PayloadException if it cannot be written
   */
  String encode(Object payload);

  /**
   * Reads a payload from JSON. The class comes from the registered {@link JobType}, never from the
   * document.
   *
   * @throws PayloadException if it does not fit {@code payloadClass}; {@linkplain
   *     PayloadException#permanent permanent} if the class is the cause, so that no further attempt
   *     can succeed
   */
  <T> T decode(String json, Class<T> payloadClass);

  /**
   * Checks that {@link #decode} can read what {@link #encode} writes for a class. Called when a
   * handler is registered and before the first job of a class is enqueued, so that a payload that
   * no attempt could read is refused at once. A codec that cannot decide must accept the class. The
   * default accepts every class.
   *
   * @param payloadClass class of a {@link JobType}'s payload
   * @throws PayloadException if {@code decode} would always fail; the message names the class, the
   *     property where it is known, and the fix
   */
  default void requireReadable(Class<?> payloadClass) {}
}
