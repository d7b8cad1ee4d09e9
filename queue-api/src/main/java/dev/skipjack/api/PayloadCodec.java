package dev.skipjack.api;

/** Turns payloads into JSON and back. Implementations are safe for any number of threads. */
public interface PayloadCodec {

  /**
   * The payload as one JSON document.
   *
   * @param payload not null
   * @throws PayloadException if it cannot be written
   */
  String encode(Object payload);

  /**
   * The payload read from JSON. The class comes from the registered {@link JobType}, never from the
   * document.
   *
   * @throws PayloadException if it does not fit {@code payloadClass}
   */
  <T> T decode(String json, Class<T> payloadClass);
}
