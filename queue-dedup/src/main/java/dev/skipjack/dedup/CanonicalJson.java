package dev.skipjack.dedup;

import dev.skipjack.api.spi.StoredKey;
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
 * JSON as PostgreSQL writes {@code jsonb}: the text of {@code '...'::jsonb::text}, letter by
 * letter. So two documents have one text when the server takes them for equal, but for zeros at the
 * end of a fraction; and a key made of it here meets one made in SQL.
 *
 * <p>Names are sorted, short ones first (in UTF-8), of equal names the last stays; numbers are
 * written out; after a comma and a colon comes one space. Belongs to one thread.
 */
final class CanonicalJson {

  private static final Comparator<byte[]> SHORT_NAMES_FIRST =
      Comparator.<byte[]>comparingInt(name -> name.length).thenComparing(Arrays::compareUnsigned);

  private final String json;
  private int position;

  private CanonicalJson(String json) {
    this.json = json;
  }

  /**
   * The canonical text of a document.
   *
   * @param json one JSON document that the queue has accepted as a payload: well-formed, not deeply
   *     nested, without huge numbers
   */
  static String of(String json) {
    return new CanonicalJson(json).value();
  }

  /**
   * The canonical text of a document as a unique key: its SHA-256 instead, in hex after {@code
   * sha256:}, where it is longer than a key may be. Only a queue with a greater {@code
   * payloadLimit} takes such a payload. No canonical text begins like that, so the two never meet.
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

  /** A text as a JSON string. */
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

  /** A number written out. */
  static String number(BigDecimal number) {
    return number.toPlainString();
  }

  private String value() {
    skipSpace();
    return switch (json.charAt(position)) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string(text());
      case 't', 'n' -> word(4);
      case 'f' -> word(5);
      default -> number();
    };
  }

  private String object() {
    Map<byte[], String> members = new TreeMap<>(SHORT_NAMES_FIRST);
    position++;
    while (!ends('}')) {
      String name = text();
      skipSpace();
      position++; // the colon
      members.put(name.getBytes(StandardCharsets.UTF_8), string(name) + ": " + value());
    }
    return "{" + String.join(", ", members.values()) + "}";
  }

  private String array() {
    StringBuilder elements = new StringBuilder("[");
    position++;
    while (!ends(']')) {
      elements.append(elements.length() == 1 ? "" : ", ").append(value());
    }
    return elements.append(']').toString();
  }

  /** Steps over space, a comma, and the end of a container if it is there. */
  private boolean ends(char closing) {
    skipSpace();
    if (json.charAt(position) == ',') {
      position++;
      skipSpace();
    }
    if (json.charAt(position) != closing) {
      return false;
    }
    position++;
    return true;
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    position++;
    while (json.charAt(position) != '"') {
      char c = json.charAt(position++);
      text.append(c == '\\' ? escaped() : c);
    }
    position++;
    return text.toString();
  }

  private char escaped() {
    char c = json.charAt(position++);
    return switch (c) {
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        position += 4;
        yield (char) Integer.parseInt(json.substring(position - 4, position), 16);
      }
      default -> c;
    };
  }

  private String word(int length) {
    position += length;
    return json.substring(position - length, position);
  }

  private String number() {
    int start = position;
    while (position < json.length() && "+-.eE0123456789".indexOf(json.charAt(position)) >= 0) {
      position++;
    }
    return number(new BigDecimal(json.substring(start, position)));
  }

  private void skipSpace() {
    while (" \t\n\r".indexOf(json.charAt(position)) >= 0) {
      position++;
    }
  }
}
