package dev.skipjack.api;

/**
 * Rewrites a payload of an earlier version into the current version of its type, so that jobs
 * enqueued before a deployment can run after it.
 *
 * <p>Implementations must be safe for any number of threads. If one throws, the attempt of that job
 * fails.
 */
@FunctionalInterface
public interface PayloadUpcaster {

  /** Does not change payloads, which must then still fit the class. */
  PayloadUpcaster NONE = (json, version) -> json;

  /**
   * Returns the payload in the current version.
   *
   * @param json one JSON document
   * @param version the version it was written with, lower than the type's
   */
  String upcast(String json, int version);
}
