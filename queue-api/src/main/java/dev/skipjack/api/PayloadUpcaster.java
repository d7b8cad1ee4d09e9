package dev.skipjack.api;

/**
 * Rewrites a payload of an earlier version into the shape that its type reads today, so that jobs
 * which were enqueued before a deployment run after it.
 *
 * <p>Safe for any number of threads. What it throws is a failed attempt of that job alone.
 */
@FunctionalInterface
public interface PayloadUpcaster {

  /** Leaves payloads as they are: what fits still fits. */
  PayloadUpcaster NONE = (json, version) -> json;

  /**
   * The payload in today's shape.
   *
   * @param json one JSON document
   * @param version the version it was written with, below the type's
   */
  String upcast(String json, int version);
}
