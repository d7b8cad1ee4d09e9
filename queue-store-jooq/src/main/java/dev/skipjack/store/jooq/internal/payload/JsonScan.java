package dev.skipjack.store.jooq.internal.payload;

import org.jspecify.annotations.Nullable;

/**
 * One pass over a JSON document for what PostgreSQL's jsonb would refuse, or would store so that
 * hardly a reader takes it: text that is no JSON (a codec may be anybody's), U+0000, lone
 * surrogates, deep nesting, which exhausts the server's stack, and huge numbers, which jsonb writes
 * out: eight characters of {@code 1e100000} become 100,001 digits. It also adds up how much longer
 * the document becomes when it is written out. Belongs to one thread.
 */
final class JsonScan {

  /** Most arrays and objects inside one another; so the recursion here is shallow too. */
  static final int DEEPEST = 100;

  /** Most digits of a number before its point once it is written out: no double has more. */
  static final int MOST_INTEGER_DIGITS = 309;

  /** Most digits of a number behind its point once it is written out. */
  static final int MOST_FRACTION_DIGITS = 1_000;

  private static final String NO_JSON = "is not JSON";
  private static final String NUL = "holds U+0000";
  private static final String LONE_SURROGATE = "holds a lone surrogate";
  private static final String TOO_DEEP = "is nested deeper than " + DEEPEST;
  private static final String HUGE_NUMBER =
      "holds a number that has, written out, more than %,d digits before its point or %,d behind it"
          .formatted(MOST_INTEGER_DIGITS, MOST_FRACTION_DIGITS);

  /** No JSON has a NUL outside its strings. */
  private static final char END = '\0';

  private static final int NO_NAME_YET = Integer.MIN_VALUE;
  private static final int LONGEST_SEGMENT = 60;
  private static final int LONGEST_POINTER = 300;

  private final String json;
  private int position;

  /** For each open container where we are in it: the start of a name, or -1 - index. */
  private final int[] places = new int[DEEPEST];

  private int depth;
  private boolean inName;
  private boolean isNull;
  private long growth;

  JsonScan(String json) {
    this.json = json;
  }

  /** What is wrong with the document; null when nothing is. */
  @Nullable String problem() {
    String problem = value();
    if (problem == null) {
      skipSpace();
      problem = position == json.length() ? null : NO_JSON;
    }
    return problem;
  }

  /** Whether the whole document is {@code null}. */
  boolean isNull() {
    return isNull;
  }

  /**
   * How many characters, all of them ASCII, the document gains at most when PostgreSQL writes it
   * out: its numbers have no exponents, and a space follows each comma and colon between values.
   * Negative if it loses some, as blanks. Escapes, repeated names and leading zeros make it shorter
   * still.
   */
  long growth() {
    return growth;
  }

  private @Nullable String value() {
    skipSpace();
    return switch (peek()) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true");
      case 'f' -> word("false");
      case 'n' -> {
        isNull = depth == 0;
        yield word("null");
      }
      default -> number();
    };
  }

  private @Nullable String object() {
    if (depth == DEEPEST) {
      return TOO_DEEP;
    }
    places[depth++] = NO_NAME_YET;
    position++;
    skipSpace();
    if (peek() == '}') {
      return close();
    }
    while (true) {
      skipSpace();
      if (peek() != '"') {
        return NO_JSON;
      }
      places[depth - 1] = position + 1;
      inName = true;
      String problem = string();
      if (problem != null) {
        return problem;
      }
      inName = false;
      skipSpace();
      if (peek() != ':') {
        return NO_JSON;
      }
      position++;
      growth++;
      problem = value();
      if (problem != null) {
        return problem;
      }
      skipSpace();
      if (peek() == '}') {
        return close();
      }
      if (peek() != ',') {
        return NO_JSON;
      }
      position++;
      growth++;
    }
  }

  private @Nullable String array() {
    if (depth == DEEPEST) {
      return TOO_DEEP;
    }
    places[depth++] = -1;
    position++;
    skipSpace();
    if (peek() == ']') {
      return close();
    }
    while (true) {
      String problem = value();
      if (problem != null) {
        return problem;
      }
      skipSpace();
      if (peek() == ']') {
        return close();
      }
      if (peek() != ',') {
        return NO_JSON;
      }
      position++;
      growth++;
      places[depth - 1]--;
    }
  }

  private @Nullable String close() {
    position++;
    depth--;
    return null;
  }

  /** Half a character is lone unless the other half follows in the same way, escaped or not. */
  private @Nullable String string() {
    boolean afterHigh = false;
    boolean highEscaped = false;
    position++;
    while (position < json.length()) {
      char unit = json.charAt(position++);
      boolean escaped = false;
      if (unit == '"') {
        return afterHigh ? LONE_SURROGATE : null;
      }
      if (unit == '\\') {
        escaped = true;
        int decoded = escape();
        if (decoded < 0) {
          return NO_JSON;
        }
        unit = (char) decoded;
      } else if (unit < ' ' && unit != '\0') {
        return NO_JSON;
      }
      if (unit == '\0') {
        return NUL;
      }
      boolean low = Character.isLowSurrogate(unit);
      if (afterHigh != low || (low && escaped != highEscaped)) {
        return LONE_SURROGATE;
      }
      afterHigh = Character.isHighSurrogate(unit);
      highEscaped = escaped;
    }
    return NO_JSON;
  }

  /** The character that the escape behind a backslash stands for; -1 if it is none. */
  private int escape() {
    char c = peek();
    position++;
    if (c != 'u') {
      int which = "\"\\/bfnrt".indexOf(c);
      return which < 0 ? -1 : "\"\\/\b\f\n\r\t".charAt(which);
    }
    int unit = 0;
    for (int i = 0; i < 4; i++) {
      char digit = peek();
      int value = digit < 0x80 ? Character.digit(digit, 16) : -1;
      if (value < 0) {
        return -1;
      }
      unit = unit * 16 + value;
      position++;
    }
    return unit;
  }

  private @Nullable String number() {
    int first = position;
    if (peek() == '-') {
      position++;
    }
    boolean zero = peek() == '0';
    int integer = digits();
    int fraction = 0;
    long exponent = 0;
    if (integer == 0 || (zero && integer > 1)) {
      return NO_JSON;
    }
    if (peek() == '.') {
      position++;
      fraction = digits();
      if (fraction == 0) {
        return NO_JSON;
      }
    }
    if (peek() == 'e' || peek() == 'E') {
      position++;
      boolean negative = peek() == '-';
      if (negative || peek() == '+') {
        position++;
      }
      int start = position;
      if (digits() == 0) {
        return NO_JSON;
      }
      exponent = negative ? -exponent(start) : exponent(start);
    }
    long before = integer + exponent;
    long behind = fraction - exponent;
    if (before > MOST_INTEGER_DIGITS || behind > MOST_FRACTION_DIGITS) {
      return HUGE_NUMBER;
    }
    long sign = json.charAt(first) == '-' ? 1 : 0;
    long digits = isZero(first) ? 1 : Math.max(before, 1);
    long written = sign + digits + (behind > 0 ? 1 + behind : 0);
    growth += written - (position - first);
    return null;
  }

  /** An exponent gives a zero no digits before its point. */
  private boolean isZero(int start) {
    for (int i = start; i < position; i++) {
      char c = json.charAt(i);
      if (c == 'e' || c == 'E') {
        return true;
      }
      if (c >= '1' && c <= '9') {
        return false;
      }
    }
    return true;
  }

  /** The digits from {@code start} as a number; a great one instead of one that would overflow. */
  private long exponent(int start) {
    long exponent = 0;
    for (int i = start; i < position; i++) {
      exponent = Math.min(exponent * 10 + (json.charAt(i) - '0'), Integer.MAX_VALUE);
    }
    return exponent;
  }

  private int digits() {
    int start = position;
    while (peek() >= '0' && peek() <= '9') {
      position++;
    }
    return position - start;
  }

  private @Nullable String word(String word) {
    if (!json.startsWith(word, position)) {
      return NO_JSON;
    }
    position += word.length();
    return null;
  }

  private void skipSpace() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') {
      position++;
      growth--;
    }
  }

  private char peek() {
    return position < json.length() ? json.charAt(position) : END;
  }

  /** Where the scan stopped: a JSON pointer, shortened if it is long. */
  String place() {
    StringBuilder pointer = new StringBuilder();
    int segments = inName ? depth - 1 : depth;
    for (int i = 0; i < segments && pointer.length() < LONGEST_POINTER; i++) {
      if (places[i] != NO_NAME_YET) {
        pointer
            .append('/')
            .append(places[i] < 0 ? String.valueOf(-1 - places[i]) : name(places[i]));
      }
    }
    if (pointer.length() >= LONGEST_POINTER) {
      pointer.append("/...");
    }
    String where = pointer.isEmpty() ? "the top level" : "'" + pointer + "'";
    return inName ? "a name in " + where : where;
  }

  /** A name as a segment of a pointer; what would garble a message is replaced. */
  private String name(int start) {
    StringBuilder name = new StringBuilder();
    position = start;
    while (peek() != '"') {
      if (name.length() >= LONGEST_SEGMENT) {
        return name.append("...").toString();
      }
      int c = json.codePointAt(position);
      if (c == '\\') {
        position++;
        c = escape();
      } else {
        position += Character.charCount(c);
      }
      switch (c) {
        case '~' -> name.append("~0");
        case '/' -> name.append("~1");
        default ->
            name.appendCodePoint(
                Character.isISOControl(c) || (c >= 0xD800 && c <= 0xDFFF) ? 0xFFFD : c);
      }
    }
    return name.toString();
  }
}
