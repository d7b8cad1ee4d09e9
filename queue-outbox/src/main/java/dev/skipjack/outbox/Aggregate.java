package dev.skipjack.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The entity that an event is about. The events of an aggregate are published in order; those of
 * different aggregates are independent.
 *
 * @param type the type of the aggregate, 1 to 200 characters of {@code a-z A-Z 0-9 _ . : / -}
 * @param id the id of the aggregate, 1 to 512 bytes in UTF-8
 */
public record Aggregate(String type, String id) {

  /**
   * The bits of a hash that number the shard. There are 32 shards, each with a row in the schema.
   */
  private static final int SHARD_BITS = 31;

  private static final int LONGEST_ID = 512;

  /**
   * @param type the type of the aggregate
   * @param id the id of the aggregate among those of its type
   * @throws IllegalArgumentException if the type or the id is not allowed
   */
  public Aggregate {
    Event.requireName("Aggregate type", type);
    int length = id.getBytes(UTF_8).length;
    if (length < 1 || length > LONGEST_ID || id.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "Aggregate id has %d bytes; use 1 to %d, without a NUL character."
              .formatted(length, LONGEST_ID));
    }
  }

  /** Returns the shard of the aggregate, as the schema's function {@code outbox_record} does. */
  int shard() {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest((type + "/" + id).getBytes(UTF_8));
      return hash[0] & SHARD_BITS;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JVM has SHA-256.", e);
    }
  }
}
