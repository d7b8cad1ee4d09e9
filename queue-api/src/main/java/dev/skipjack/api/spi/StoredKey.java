package dev.skipjack.api.spi;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A unique key or idempotency key in the form in which the database stores and compares it. The
 * form is {@code <scope>/<key>} if the key has at most 200 bytes in UTF-8, and {@code
 * <scope>#<SHA-256 of the key in hex>} otherwise. The schema's function {@code enqueue} uses the
 * same form, so keys from SQL and Java match.
 *
 * @param text the text that is compared; different for any two keys of the same scope
 * @param label the key in readable form, truncated if it is long
 */
public record StoredKey(String text, String label) {

  /** The maximum number of characters (Unicode code points) of a key. */
  public static final int LONGEST = 1_000_000;

  private static final int LONGEST_READABLE = 200;
  private static final int LABEL_OF_HASHED = 60;

  /**
   * {@return the stored form of a key}
   *
   * @param what the term for the key in error messages
   * @param scope the scope within which keys are compared; at most 100 bytes, without {@code '#'}
   * @param key the key
   * @throws IllegalArgumentException if {@code key} is not valid; see {@link #require}
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
   * Validates a key whose scope is not known yet.
   *
   * @param what what the text is, for the message
   * @param key the key
   * @return {@code key}
   * @throws IllegalArgumentException if {@code key} is empty, is longer than {@link #LONGEST}, or
   *     contains characters that PostgreSQL rejects
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
          "%s contains U+0000 or a lone surrogate, which PostgreSQL refuses.".formatted(what),
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
