package dev.skipjack.store.jooq.internal.payload;

import dev.skipjack.store.jooq.internal.payload.JsonReader.Token;
import org.jspecify.annotations.Nullable;

/**
 * Scans a JSON document for content that {@code jsonb} would reject, and for huge numbers: {@code
 * jsonb} writes {@code 1e100000} as 100,001 digits. Also computes how much longer the document
 * becomes. Not thread-safe.
 */
final class JsonScan {

  /**
   * The maximum number of digits that a number may have before its point when it is written without
   * an exponent. No double has more.
   */
  static final int MOST_INTEGER_DIGITS = 309;

  /**
   * The maximum number of digits that a number may have after its point when it is written without
   * an exponent.
   */
  static final int MOST_FRACTION_DIGITS = 1_000;

  private static final String HUGE_NUMBER =
      "holds a number that has, written out, more than %,d digits before its point or %,d behind it"
          .formatted(MOST_INTEGER_DIGITS, MOST_FRACTION_DIGITS);

  private final JsonReader reader;
  private final @Nullable String problem;
  private boolean isNull;
  private long numberGrowth;

  JsonScan(String json) {
    reader = new JsonReader(json);
    problem = scan();
  }

  private @Nullable String scan() {
    for (Token token = reader.next(); token != Token.END; token = reader.next()) {
      if (token == Token.INVALID) {
        return reader.problem();
      }
      if (token == Token.NUMBER && !fits()) {
        return HUGE_NUMBER;
      }
      isNull = token == Token.WORD && reader.depth() == 0 && reader.source().equals("null");
    }
    return null;
  }

  /**
   * Returns whether the number has an acceptable length without its exponent, and adds its growth.
   */
  private boolean fits() {
    long before = reader.digitsBefore();
    long behind = reader.digitsBehind();
    if (before > MOST_INTEGER_DIGITS || behind > MOST_FRACTION_DIGITS) {
      return false;
    }
    if (reader.hasExponent()) {
      numberGrowth += growth(reader.source(), before, behind);
    }
    return true;
  }

  /** Returns the number of characters by which a number grows when its exponent is removed. */
  private static long growth(String number, long before, long behind) {
    long sign = number.charAt(0) == '-' ? 1 : 0;
    long digits = isZero(number) ? 1 : Math.max(before, 1);
    return sign + digits + (behind > 0 ? 1 + behind : 0) - number.length();
  }

  /** Returns whether the number is zero, to which an exponent adds no digits before the point. */
  private static boolean isZero(String number) {
    for (int i = 0; i < number.length(); i++) {
      char c = number.charAt(i);
      if (c == 'e' || c == 'E') {
        return true;
      }
      if (c >= '1' && c <= '9') {
        return false;
      }
    }
    return true;
  }

  /** Returns the problem of the document, or null if it has none. */
  @Nullable String problem() {
    return problem;
  }

  /** Returns the position where the scan stopped as a JSON pointer, shortened if it is long. */
  String place() {
    return reader.place();
  }

  /** Returns whether the whole document is {@code null}. */
  boolean isNull() {
    return isNull;
  }

  /**
   * Returns the maximum number of characters, all ASCII, by which the document grows when
   * PostgreSQL prints it: numbers have no exponents, and a space follows each comma and colon
   * between values. The result is negative if the document becomes shorter, for example without its
   * blanks. Ignores that the server also resolves escapes and drops repeated names.
   */
  long growth() {
    return numberGrowth + reader.separators() - reader.blanks();
  }
}
