package dev.skipjack.dedup;

import dev.skipjack.api.spi.StoredKey;
import dev.skipjack.store.jooq.internal.payload.JsonReader;
import dev.skipjack.store.jooq.internal.payload.JsonReader.Token;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes JSON exactly as PostgreSQL prints {@code jsonb}: the text of {@code '...'::jsonb::text},
 * character by character. A key that is computed here therefore equals a key that is computed in
 * SQL. Documents that the server considers equal have the same text, except for trailing zeros of a
 * fraction.
 *
 * <p>Names are sorted, shorter ones first (by their length in UTF-8). If a name is repeated, the
 * last member is kept. Numbers are written without exponents, and one space follows each comma and
 * colon. Instances are not thread-safe.
 */
final class CanonicalJson {

  private static final Comparator<byte[]> SHORT_NAMES_FIRST =
      Comparator.<byte[]>comparingInt(name -> name.length).thenComparing(Arrays::compareUnsigned);

  private final JsonReader reader;

  private CanonicalJson(String json) {
    this.reader = new JsonReader(json);
  }

  /**
   * Returns the canonical text of a document.
   *
   * @param json a JSON document that the queue has accepted as a payload, which ensures that its
   *     numbers can be written without exponents
   */
  static String of(String json) {
    CanonicalJson document = new CanonicalJson(json);
    return document.value(document.reader.next());
  }

  /**
   * Returns the canonical text of a document as a unique key. If the text exceeds the maximum
   * length of a key, the key is {@code sha256:} followed by the SHA-256 hash of the text in hex. No
   * canonical text begins with this prefix.
   */
  static String key(String json) {
    String text = of(json);
    if (text.codePointCount(0, text.length()) <= StoredKey.LONGEST) {
      return text;
    }
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return "sha256:" + HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java platform has SHA-256.", impossible);
    }
  }

  /** Returns a text as a JSON string. */
  static String string(String text) {
    StringBuilder escaped = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> escaped.append('\\').append(c);
        case '\b' -> escaped.append("\\b");
        case '\f' -> escaped.append("\\f");
        case '\n' -> escaped.append("\\n");
        case '\r' -> escaped.append("\\r");
        case '\t' -> escaped.append("\\t");
        default -> {
          if (c < ' ') {
            escaped.append("\\u%04x".formatted((int) c));
          } else {
            escaped.append(c);
          }
        }
      }
    }
    return escaped.append('"').toString();
  }

  /** Returns a number without an exponent. */
  static String number(BigDecimal number) {
    return number.toPlainString();
  }

  private String value(Token first) {
    return switch (first) {
      case BEGIN_OBJECT -> object();
      case BEGIN_ARRAY -> array();
      case STRING -> string(reader.text());
      case NUMBER -> number(new BigDecimal(reader.source()));
      case WORD -> reader.source();
      case NAME, END_OBJECT, END_ARRAY, END, INVALID -> throw refused();
    };
  }

  private IllegalArgumentException refused() {
    return new IllegalArgumentException("The document %s.".formatted(reader.problem()));
  }

  private String object() {
    Map<byte[], String> members = new TreeMap<>(SHORT_NAMES_FIRST);
    for (Token next = reader.next(); next != Token.END_OBJECT; next = reader.next()) {
      if (next != Token.NAME) {
        throw refused();
      }
      String name = reader.text();
      members.put(
          name.getBytes(StandardCharsets.UTF_8), string(name) + ": " + value(reader.next()));
    }
    return "{" + String.join(", ", members.values()) + "}";
  }

  private String array() {
    StringBuilder elements = new StringBuilder("[");
    for (Token next = reader.next(); next != Token.END_ARRAY; next = reader.next()) {
      elements.append(elements.length() == 1 ? "" : ", ").append(value(next));
    }
    return elements.append(']').toString();
  }
}
