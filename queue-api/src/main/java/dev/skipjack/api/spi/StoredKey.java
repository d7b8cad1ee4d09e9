package dev.skipjack.api.spi;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A key as the database compares it: {@code <scope>/<key>} when the key has at most 200 bytes in
 * UTF-8, else {@code <scope>#<SHA-256 of the key in hex>}. Every kind of key has this form, whether
 * it makes a job unique or a repeat safe, and so has the schema's function {@code enqueue}: a key
 * given in SQL meets one given in Java.
 *
 * @param text what is compared; no two keys of a scope share one
 * @param label the key as people read it, its end cut off if it is long
 */
public record StoredKey(String text, String label) {

  /** Most characters (Unicode code points) of a key as it is given. */
  public static final int LONGEST = 1_000_000;

  private static final int LONGEST_READABLE = 200;
  private static final int LABEL_OF_HASHED = 60;

  /**
   * The stored form of a key.
   *
   * @param what the key's name in messages
   * @param scope within which keys are compared; holds no {@code '#'}, at most 100 bytes
   * @throws IllegalArgumentException as {@link #require}
   */
  public static StoredKey of(String what, String scope, String key) {
    byte[] bytes = utf8(what, key);
    if (bytes.length <= LONGEST_READABLE) {
      return new StoredKey(scope + '/' + key, key);
    }
    int end =
        key.codePointCount(0, key.length()) <= LABEL_OF_HASHED
            ? key.length()
            : key.offsetByCodePoints(0, LABEL_OF_HASHED);
    return new StoredKey(scope + '#' + sha256(bytes), key.substring(0, end) + "...");
  }

  /**
   * Checks a key whose scope is not known yet.
   *
   * @return {@code key}
   * @throws IllegalArgumentException if it is empty, longer than {@link #LONGEST}, or holds what
   *     PostgreSQL refuses
   */
  public static String require(String what, String key) {
    utf8(what, key);
    return key;
  }

  private static byte[] utf8(String what, String key) {
    int length = key.codePointCount(0, key.length());
    if (length < 1 || length > LONGEST) {
      throw new IllegalArgumentException(
          "%s has %,d characters; 1 to %,d are allowed.".formatted(what, length, LONGEST));
    }
    try {
      if (key.indexOf('\0') >= 0) {
        throw new CharacterCodingException();
      }
      ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(key));
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      return copy;
    } catch (CharacterCodingException refused) {
      throw new IllegalArgumentException(
          "%s holds U+0000 or a lone surrogate, which PostgreSQL refuses.".formatted(what),
          refused);
    }
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java platform has SHA-256.", impossible);
    }
  }
}
