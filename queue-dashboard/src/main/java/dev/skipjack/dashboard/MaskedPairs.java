package dev.skipjack.dashboard;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Masks values in a text without a fixed form: what follows the name of a masked field and a colon
 * or an equals sign, as in {@code password=x}, {@code "password": "x"} and {@code Token: x}.
 */
final class MaskedPairs {

  /** A name and what separates it from its value. Quotes around the name may be escaped. */
  private static final Pattern NAME =
      Pattern.compile("([\\p{L}\\p{N}_-]{1,80})[\\\\\"']{0,2}\\s{0,3}[:=]\\s{0,3}");

  /** The first word of a credential, which names its kind. */
  private static final Pattern SCHEME =
      Pattern.compile("(?:bearer|basic|digest)\\s+", Pattern.CASE_INSENSITIVE);

  private static final String SEPARATORS = ",;&)}]<>";

  private MaskedPairs() {}

  static String in(String text, PayloadView view) {
    StringBuilder masked = new StringBuilder(text.length());
    int copied = 0;
    for (Value value : values(text, view)) {
      masked.append(text, copied, value.start()).append(Redaction.MASK);
      copied = value.end();
    }
    return masked.append(text, copied, text.length()).toString();
  }

  /** The position of a masked value, which may be empty. */
  record Value(int start, int end) {}

  /** Returns the masked values in the order of the text. */
  static List<Value> values(String text, PayloadView view) {
    List<Value> values = new ArrayList<>();
    Matcher names = NAME.matcher(text);
    int end = 0;
    while (names.find()) {
      if (names.start() >= end && view.masks(PayloadView.plain(names.group(1)))) {
        end = endOfValue(text, names.end());
        values.add(new Value(names.end(), end));
      }
    }
    return values;
  }

  private static int endOfValue(String text, int start) {
    if (start == text.length()) {
      return start;
    }
    return switch (text.charAt(start)) {
      case '"', '\'' -> endOfQuoted(text, start + 1, text.substring(start, start + 1));
      case '\\' -> endOfQuoted(text, Math.min(start + 2, text.length()), "\\\"");
      case '{', '[' -> text.length();
      default -> endOfWord(text, start);
    };
  }

  /**
   * A value whose closing quote is missing extends to the end of the text, because long messages
   * are cut off.
   */
  private static int endOfQuoted(String text, int start, String quote) {
    int end = start;
    while (end < text.length()) {
      if (text.startsWith(quote, end)) {
        return end + quote.length();
      }
      end += text.charAt(end) == '\\' && quote.length() == 1 ? 2 : 1;
    }
    return text.length();
  }

  private static int endOfWord(String text, int start) {
    Matcher scheme = SCHEME.matcher(text).region(start, text.length());
    int end = scheme.lookingAt() ? scheme.end() : start;
    while (end < text.length()
        && !Character.isWhitespace(text.charAt(end))
        && SEPARATORS.indexOf(text.charAt(end)) < 0) {
      end++;
    }
    return end;
  }
}
