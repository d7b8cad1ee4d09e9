package dev.skipjack.dedup;

import dev.skipjack.api.spi.UniqueKey;
import dev.skipjack.api.spi.UniqueUntil;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The stored form of a key: {@code kind/<kind>/<key>} when the key has at most 200 bytes in UTF-8,
 * else {@code kind/<kind>#<SHA-256 of the key in hex>}. A kind holds neither '/' nor '#', so no two
 * keys share a form.
 */
final class UniqueKeys {

  private static final int LONGEST_READABLE = 200;
  private static final int LONGEST = 1_000_000;
  private static final int LABEL_OF_HASHED = 60;

  private UniqueKeys() {}

  static UniqueKey ofKind(String kind, String key) {
    if (key.isEmpty() || key.length() > LONGEST) {
      throw new IllegalArgumentException(
          "Unique key of kind '%s' has %,d characters; 1 to %,d are allowed."
              .formatted(kind, key.length(), LONGEST));
    }
    byte[] bytes = utf8(kind, key);
    if (bytes.length <= LONGEST_READABLE) {
      return new UniqueKey("kind/" + kind + "/" + key, key, UniqueUntil.DEAD);
    }
    int end =
        Character.isHighSurrogate(key.charAt(LABEL_OF_HASHED - 1))
            ? LABEL_OF_HASHED - 1
            : LABEL_OF_HASHED;
    return new UniqueKey(
        "kind/" + kind + "#" + sha256(bytes), key.substring(0, end) + "...", UniqueUntil.DEAD);
  }

  private static byte[] utf8(String kind, String key) {
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
          "Unique key of kind '%s' holds U+0000 or a lone surrogate, which PostgreSQL refuses."
              .formatted(kind),
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
