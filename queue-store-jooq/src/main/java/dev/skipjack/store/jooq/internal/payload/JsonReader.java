package dev.skipjack.store.jooq.internal.payload;

import org.jspecify.annotations.Nullable;

/**
 * Reads a JSON document token by token. Accepts only documents that PostgreSQL's {@code jsonb}
 * accepts: JSON as in RFC 8259 without U+0000 and lone surrogates. Also rejects more than 100
 * levels of nesting, which could exhaust the server's stack. Not thread-safe.
 */
public final class JsonReader {

  /** A token of a document. */
  public enum Token {
    /** The opening brace of an object. */
    BEGIN_OBJECT,
    /** The closing brace of an object. */
    END_OBJECT,
    /** The opening bracket of an array. */
    BEGIN_ARRAY,
    /** The closing bracket of an array. */
    END_ARRAY,
    /** The name of a member, including its colon. */
    NAME,
    /** A string that is a value. */
    STRING,
    /** A number. */
    NUMBER,
    /** The word {@code true}, {@code false} or {@code null}. */
    WORD,
    /** The end of a valid document. */
    END,
    /** No token, because the document is invalid. {@link JsonReader#problem} returns the reason. */
    INVALID
  }

  /** The parts of a document that may follow at the current position. */
  private enum Next {
    VALUE,
    ELEMENT_OR_END,
    MEMBER,
    MEMBER_OR_END,
    SEPARATOR
  }

  /** The maximum nesting depth of arrays and objects. */
  static final int DEEPEST = 100;

  private static final String NO_JSON = "is not JSON";
  private static final String NUL = "holds U+0000";
  private static final String LONE_SURROGATE = "holds a lone surrogate";
  private static final String TOO_DEEP = "is nested deeper than " + DEEPEST;

  /** Marks the end of the document, because JSON has no NUL outside of strings. */
  private static final char NOTHING = '\0';

  /** The value for an open object whose first name has not been read. */
  private static final int NO_NAME_YET = Integer.MIN_VALUE;

  private static final int LONGEST_SEGMENT = 60;
  private static final int LONGEST_POINTER = 300;

  private final String json;
  private int position;

  /** The start of the last token. */
  private int start;

  /** The end of the last token. */
  private int end;

  private Next next = Next.VALUE;
  private @Nullable String problem;

  /**
   * The position in each open container: the start of a name in an object, or -1 - index in an
   * array.
   */
  private final int[] places = new int[DEEPEST];

  private final boolean[] isObject = new boolean[DEEPEST];
  private int depth;
  private boolean inName;

  private long digitsBefore;
  private long digitsBehind;
  private boolean hasExponent;
  private long blanks;
  private long separators;

  /** Creates a reader at the start of {@code json}. */
  public JsonReader(String json) {
    this.json = json;
  }

  /** Reads the next token. */
  public Token next() {
    if (problem != null) {
      return Token.INVALID;
    }
    skipBlanks();
    if (next == Next.SEPARATOR) {
      if (depth == 0) {
        return position == json.length() ? Token.END : invalid(NO_JSON);
      }
      if (peek() == closing()) {
        return close();
      }
      if (peek() != ',') {
        return invalid(NO_JSON);
      }
      position++;
      separators++;
      skipBlanks();
      if (isObject[depth - 1]) {
        next = Next.MEMBER;
      } else {
        places[depth - 1]--;
        next = Next.VALUE;
      }
    } else if (next != Next.VALUE && next != Next.MEMBER && peek() == closing()) {
      return close();
    }
    start = position;
    return next == Next.VALUE || next == Next.ELEMENT_OR_END ? value() : name();
  }

  /** Returns the last token, a number or a word, as it appears in the document. */
  public String source() {
    return json.substring(start, end);
  }

  /** Returns the last token, a name or a string, without its quotes and escapes. */
  public String text() {
    StringBuilder text = new StringBuilder(end - start);
    int resume = position;
    position = start + 1;
    while (peek() != '"') {
      text.append((char) unit());
    }
    position = resume;
    return text.toString();
  }

  /**
   * Returns the problem, in words that follow the name of the document, or null if none was found.
   */
  public @Nullable String problem() {
    return problem;
  }

  /** Returns the number of open containers. */
  int depth() {
    return depth;
  }

  /**
   * Returns the number of digits that the last token, a number, would have before its point if it
   * were written without an exponent: 3 for {@code 1e2}.
   */
  long digitsBefore() {
    return digitsBefore;
  }

  /**
   * Returns the number of digits that the last token, a number, would have after its point if it
   * were written without an exponent. The result can be negative and cannot overflow.
   */
  long digitsBehind() {
    return digitsBehind;
  }

  /** Returns whether the last token, a number, has an exponent. */
  boolean hasExponent() {
    return hasExponent;
  }

  /** Returns the number of blanks between tokens so far. */
  long blanks() {
    return blanks;
  }

  /** Returns the number of commas and colons between tokens so far. */
  long separators() {
    return separators;
  }

  private Token invalid(String what) {
    problem = what;
    return Token.INVALID;
  }

  private Token value() {
    next = Next.SEPARATOR;
    Token token =
        switch (peek()) {
          case '{' -> open(true);
          case '[' -> open(false);
          case '"' -> string() ? Token.STRING : Token.INVALID;
          case 't' -> word("true");
          case 'f' -> word("false");
          case 'n' -> word("null");
          default -> number() ? Token.NUMBER : invalid(NO_JSON);
        };
    end = position;
    return token;
  }

  private Token open(boolean object) {
    if (depth == DEEPEST) {
      return invalid(TOO_DEEP);
    }
    position++;
    isObject[depth] = object;
    places[depth] = object ? NO_NAME_YET : -1;
    depth++;
    next = object ? Next.MEMBER_OR_END : Next.ELEMENT_OR_END;
    return object ? Token.BEGIN_OBJECT : Token.BEGIN_ARRAY;
  }

  private char closing() {
    return isObject[depth - 1] ? '}' : ']';
  }

  private Token close() {
    position++;
    depth--;
    next = Next.SEPARATOR;
    return isObject[depth] ? Token.END_OBJECT : Token.END_ARRAY;
  }

  private Token name() {
    if (peek() != '"') {
      return invalid(NO_JSON);
    }
    places[depth - 1] = position + 1;
    inName = true;
    if (!string()) {
      return Token.INVALID;
    }
    inName = false;
    end = position;
    skipBlanks();
    if (peek() != ':') {
      return invalid(NO_JSON);
    }
    position++;
    separators++;
    next = Next.VALUE;
    return Token.NAME;
  }

  /**
   * Reads a string. The two halves of a surrogate pair must be written in the same form, both
   * escaped or both not; otherwise they count as lone surrogates.
   */
  private boolean string() {
    boolean afterHigh = false;
    boolean highEscaped = false;
    position++;
    while (position < json.length()) {
      char first = json.charAt(position);
      if (first == '"') {
        position++;
        problem = afterHigh ? LONE_SURROGATE : null;
        return !afterHigh;
      }
      boolean escaped = first == '\\';
      int unit = first < ' ' && first != '\0' ? -1 : unit();
      if (unit < 0) {
        break;
      }
      if (unit == 0) {
        problem = NUL;
        return false;
      }
      boolean low = Character.isLowSurrogate((char) unit);
      if (afterHigh != low || (low && escaped != highEscaped)) {
        problem = LONE_SURROGATE;
        return false;
      }
      afterHigh = Character.isHighSurrogate((char) unit);
      highEscaped = escaped;
    }
    problem = NO_JSON;
    return false;
  }

  /** Returns the next character of a string, unescaped, or -1 for an invalid escape. */
  private int unit() {
    char c = json.charAt(position++);
    if (c != '\\') {
      return c;
    }
    char escape = peek();
    position++;
    if (escape != 'u') {
      int which = "\"\\/bfnrt".indexOf(escape);
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

  private boolean number() {
    if (peek() == '-') {
      position++;
    }
    boolean zero = peek() == '0';
    digitsBefore = digits();
    digitsBehind = 0;
    hasExponent = false;
    if (digitsBefore == 0 || (zero && digitsBefore > 1)) {
      return false;
    }
    if (peek() == '.') {
      position++;
      digitsBehind = digits();
      if (digitsBehind == 0) {
        return false;
      }
    }
    if (peek() == 'e' || peek() == 'E') {
      hasExponent = true;
      position++;
      boolean negative = peek() == '-';
      if (negative || peek() == '+') {
        position++;
      }
      int first = position;
      if (digits() == 0) {
        return false;
      }
      long exponent = negative ? -exponent(first) : exponent(first);
      digitsBefore += exponent;
      digitsBehind -= exponent;
    }
    return true;
  }

  /** Returns the digits from {@code first} as a number, limited so that it cannot overflow. */
  private long exponent(int first) {
    long value = 0;
    for (int i = first; i < position; i++) {
      value = Math.min(value * 10 + (json.charAt(i) - '0'), Integer.MAX_VALUE);
    }
    return value;
  }

  private int digits() {
    int first = position;
    while (peek() >= '0' && peek() <= '9') {
      position++;
    }
    return position - first;
  }

  private Token word(String word) {
    if (!json.startsWith(word, position)) {
      return invalid(NO_JSON);
    }
    position += word.length();
    return Token.WORD;
  }

  private void skipBlanks() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') {
      position++;
      blanks++;
    }
  }

  private char peek() {
    return position < json.length() ? json.charAt(position) : NOTHING;
  }

  /** Returns the reader's position as a JSON pointer, shortened if it is long. */
  String place() {
    StringBuilder pointer = new StringBuilder();
    int segments = inName ? depth - 1 : depth;
    for (int i = 0; i < segments && pointer.length() < LONGEST_POINTER; i++) {
      if (places[i] != NO_NAME_YET) {
        pointer
            .append('/')
            .append(places[i] < 0 ? String.valueOf(-1 - places[i]) : segment(places[i]));
      }
    }
    if (pointer.length() >= LONGEST_POINTER) {
      pointer.append("/...");
    }
    String where = pointer.isEmpty() ? "the top level" : "'" + pointer + "'";
    return inName ? "a name in " + where : where;
  }

  /**
   * Returns the name at {@code first} for a pointer, without characters that make a message
   * unreadable.
   */
  private String segment(int first) {
    StringBuilder segment = new StringBuilder();
    int resume = position;
    position = first;
    while (peek() != '"' && segment.length() < LONGEST_SEGMENT) {
      int c = json.codePointAt(position);
      if (c == '\\') {
        c = unit();
      } else {
        position += Character.charCount(c);
      }
      switch (c) {
        case '~' -> segment.append("~0");
        case '/' -> segment.append("~1");
        default ->
            segment.appendCodePoint(
                Character.isISOControl(c) || (c >= 0xD800 && c <= 0xDFFF) ? 0xFFFD : c);
      }
    }
    if (peek() != '"') {
      segment.append("...");
    }
    position = resume;
    return segment.toString();
  }
}
