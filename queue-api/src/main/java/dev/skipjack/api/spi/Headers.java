package dev.skipjack.api.spi;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Validates the headers of jobs, and converts them to and from the JSON in which they are stored.
 *
 * <p>A header has a name of lowercase HTTP token characters and a text without control characters.
 * All headers of a job have at most {@value #MOST_BYTES} bytes as JSON, because every claim returns
 * them. Names that begin with {@value #RESERVED} are set by Skipjack only.
 */
public final class Headers {

  /** The maximum size of all headers of a job, as JSON in UTF-8. */
  public static final int MOST_BYTES = 4096;

  /** The start of the names that Skipjack sets itself. */
  public static final String RESERVED = "skipjack-";

  /** The header that holds the W3C traceparent. */
  public static final String TRACEPARENT = "traceparent";

  /** The header that names the schedule that enqueued a job, and the planned time. */
  public static final String SCHEDULE = RESERVED + "schedule";

  /** The header that holds the owner of a job, as {@link NewJob#ownedBy} sets it. */
  public static final String OWNER = RESERVED + "owner";

  private static final Pattern OWNER_ID = Pattern.compile("[1-9][0-9]{0,17}");

  private static final Pattern NAME = Pattern.compile("[a-z0-9!#$%&'*+.^_`|~-]+");

  private Headers() {}

  /**
   * {@return {@code headers} with another header, which replaces one of the same name}
   *
   * @param headers the headers, by name
   * @param name the name of the header
   * @param value the text of the header
   * @throws IllegalArgumentException if the name is reserved or contains a character that is not
   *     allowed, if the value contains control characters or lone surrogates, if the traceparent is
   *     invalid, or if the headers become too large
   */
  public static Map<String, String> with(Map<String, String> headers, String name, String value) {
    require(name, value);
    return add(headers, Map.of(name, value));
  }

  /**
   * {@return {@code headers} with all of {@code more}; see {@link #with(Map, String, String)}}
   *
   * @param headers the headers, by name
   * @param more the headers to add
   */
  public static Map<String, String> with(Map<String, String> headers, Map<String, String> more) {
    more.forEach(Headers::require);
    return more.isEmpty() ? headers : add(headers, more);
  }

  /**
   * {@return {@code headers} without the one of this name, if there is one}
   *
   * @param headers the headers, by name
   * @param name the name of the header
   */
  public static Map<String, String> without(Map<String, String> headers, String name) {
    if (!headers.containsKey(name)) {
      return headers;
    }
    Map<String, String> rest = new LinkedHashMap<>(headers);
    rest.remove(name);
    return Collections.unmodifiableMap(rest);
  }

  /**
   * {@return the owner of a job with these headers, or null if it has none or the header holds
   * anything but an id}
   *
   * @param headers the headers, by name
   */
  public static @Nullable Long owner(Map<String, String> headers) {
    String owner = headers.get(OWNER);
    return owner != null && OWNER_ID.matcher(owner).matches() ? (Long) Long.parseLong(owner) : null;
  }

  /** Returns {@code headers} with a header that has a reserved name. */
  static Map<String, String> withReserved(Map<String, String> headers, String name, String value) {
    return add(headers, Map.of(name, value));
  }

  private static void require(String name, String value) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "Header name '%s' is not allowed. Use a-z, 0-9 and !#$%%&'*+.^_`|~-."
              .formatted(SafeText.of(name, 80)));
    }
    if (name.startsWith(RESERVED)) {
      throw new IllegalArgumentException(
          "Header name '%s' is not allowed. Skipjack sets the headers that begin with '%s'."
              .formatted(SafeText.of(name, 80), RESERVED));
    }
    if (name.equals(TRACEPARENT)) {
      Traceparent.require(value);
    } else if (value.codePoints().anyMatch(Headers::isForbidden)) {
      throw new IllegalArgumentException(
          "The value of header '%s' is not allowed. It must contain no control characters and no half of a surrogate pair."
              .formatted(SafeText.of(name, 80)));
    }
  }

  private static Map<String, String> add(Map<String, String> headers, Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.putAll(more);
    if (size(all) > MOST_BYTES) {
      throw tooLarge(headers, more);
    }
    return Collections.unmodifiableMap(all);
  }

  /**
   * {@return the number of bytes of {@code headers} as JSON in UTF-8}
   *
   * @param headers the headers, by name
   */
  public static int size(Map<String, String> headers) {
    return json(headers).getBytes(StandardCharsets.UTF_8).length;
  }

  /** Returns an exception that names the first of {@code more} that exceeds the limit. */
  private static IllegalArgumentException tooLarge(
      Map<String, String> headers, Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    String last = "";
    for (Map.Entry<String, String> header : more.entrySet()) {
      last = header.getKey();
      all.put(last, header.getValue());
      if (size(all) > MOST_BYTES) {
        break;
      }
    }
    return new IllegalArgumentException(
        "Header '%s' is too large: with it, the headers have %d bytes as JSON; at most %d are allowed."
            .formatted(SafeText.of(last, 80), size(all), MOST_BYTES));
  }

  /**
   * {@return the headers that Skipjack did not set}
   *
   * @param headers the headers, by name
   */
  public static Map<String, String> withoutReserved(Map<String, String> headers) {
    if (headers.keySet().stream().noneMatch(name -> name.startsWith(RESERVED))) {
      return headers;
    }
    Map<String, String> rest = new LinkedHashMap<>(headers);
    rest.keySet().removeIf(name -> name.startsWith(RESERVED));
    return Collections.unmodifiableMap(rest);
  }

  /**
   * {@return the headers as a JSON object, or null if there are none}
   *
   * @param headers the headers, by name
   */
  public static @Nullable String text(Map<String, String> headers) {
    return headers.isEmpty() ? null : json(headers);
  }

  /** Returns the text that PostgreSQL returns for the headers, apart from their order. */
  private static String json(Map<String, String> headers) {
    StringBuilder json = new StringBuilder("{");
    headers.forEach(
        (name, value) -> {
          json.append(json.length() == 1 ? "" : ", ");
          quote(name, json);
          json.append(": ");
          quote(value, json);
        });
    return json.append('}').toString();
  }

  private static void quote(String text, StringBuilder json) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\');
      }
      json.append(c);
    }
    json.append('"');
  }

  /**
   * {@return the headers in a JSON object of strings, in its order}
   *
   * @param json the object, or null for no headers
   * @throws IllegalArgumentException if {@code json} is anything else
   */
  public static Map<String, String> parse(@Nullable String json) {
    return json == null ? Map.of() : new Parser(json).object();
  }

  private static boolean isForbidden(int codePoint) {
    return Character.isISOControl(codePoint)
        || (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE);
  }

  /** Reads a JSON object of strings. This module has no JSON library. */
  private static final class Parser {

    private final String json;
    private int at;

    Parser(String json) {
      this.json = json;
    }

    Map<String, String> object() {
      Map<String, String> headers = new LinkedHashMap<>();
      expect('{');
      if (peek() == '}') {
        at++;
      } else {
        do {
          String name = string();
          expect(':');
          headers.put(name, string());
        } while (hasNext());
      }
      if (peek() != 0) {
        throw malformed();
      }
      return Collections.unmodifiableMap(headers);
    }

    private boolean hasNext() {
      char next = take();
      if (next != ',' && next != '}') {
        throw malformed();
      }
      return next == ',';
    }

    private String string() {
      expect('"');
      StringBuilder text = new StringBuilder();
      for (char c = raw(); c != '"'; c = raw()) {
        text.append(c == '\\' ? escaped() : c);
      }
      return text.toString();
    }

    private char escaped() {
      char c = raw();
      return switch (c) {
        case '"', '\\', '/' -> c;
        case 'b' -> '\b';
        case 'f' -> '\f';
        case 'n' -> '\n';
        case 'r' -> '\r';
        case 't' -> '\t';
        case 'u' -> (char) (digit() << 12 | digit() << 8 | digit() << 4 | digit());
        default -> throw malformed();
      };
    }

    private int digit() {
      int digit = Character.digit(raw(), 16);
      if (digit < 0) {
        throw malformed();
      }
      return digit;
    }

    private void expect(char wanted) {
      if (take() != wanted) {
        throw malformed();
      }
    }

    private char take() {
      peek();
      return raw();
    }

    /** Skips white space, and returns the next character, or 0 at the end. */
    private char peek() {
      while (at < json.length() && " \t\n\r".indexOf(json.charAt(at)) >= 0) {
        at++;
      }
      return at < json.length() ? json.charAt(at) : 0;
    }

    private char raw() {
      if (at == json.length()) {
        throw malformed();
      }
      return json.charAt(at++);
    }

    /** The values may be secrets, so the message does not contain them. */
    private IllegalArgumentException malformed() {
      return new IllegalArgumentException(
          "Headers are not a JSON object of strings, at character %d.".formatted(at));
    }
  }
}
