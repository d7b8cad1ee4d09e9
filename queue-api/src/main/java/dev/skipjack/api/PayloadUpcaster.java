package dev.skipjack.api;

/**
 * Converts payloads of earlier versions to the current version of their type, so that jobs that
 * were enqueued before a deployment can run after it.
 *
 * <p>Implementations must be thread-safe. If an upcaster throws an exception, the attempt fails.
 */
@FunctionalInterface
public interface PayloadUpcaster {

  /**
   * An upcaster that returns payloads unchanged. Payloads of earlier versions must then still match
   * the payload class.
   */
  PayloadUpcaster NONE = (json, version) -> json;

  /**
   * Converts a payload to the current version.
   *
   * @param json the payload, as a JSON document
   * @param version the version of the payload, which is lower than that of the type
   * @return the converted payload, as a JSON document
   */
  String upcast(String json, int version);
}
