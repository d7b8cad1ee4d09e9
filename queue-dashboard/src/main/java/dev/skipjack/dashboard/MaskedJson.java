package dev.skipjack.dashboard;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A JSON document, indented, in which the values of masked fields are replaced. Numbers stay
 * exactly as they are written. The document is one that PostgreSQL has returned; if it is not
 * well-formed, the result contains it as far as possible.
 */
final class MaskedJson {

  /** How many characters of a document are shown. */
  static final int LONGEST = 100_000;

  /** Follows the beginning of a document whose rest is not shown. No JSON document ends with it. */
  static final String CUT = "…";

  private static final int DEEPEST_INDENT = 40;

  private final String json;
  private final PayloadView view;
  private final List<Token> tokens = new ArrayList<>();
  private int position;
  private int depth;

  /** A part of the document, with the class that gives it its colour; empty for none. */
  private record Token(String style, String text) {}

  private MaskedJson(String json, PayloadView view) {
    this.json = json.length() > LONGEST ? json.substring(0, LONGEST) : json;
    this.view = view;
  }

  static MaskedJson of(String json, PayloadView view) {
    MaskedJson masked = new MaskedJson(json, view);
    masked.read();
    if (json.length() > LONGEST) {
      masked.tokens.add(new Token("", CUT));
    }
    return masked;
  }

  /** Returns the document as text. */
  String text() {
    StringBuilder text = new StringBuilder();
    tokens.forEach(token -> text.append(token.text()));
    return text.toString();
  }

  /** Returns the document with colours. */
  Node node() {
    return Html.all(
        tokens.stream()
            .map(
                token ->
                    token.style().isEmpty()
                        ? Html.text(token.text())
                        : Html.span(token.style()).add(token.text()))
            .toList());
  }

  private void read() {
    while (position < json.length()) {
      char c = json.charAt(position);
      switch (c) {
        case '{', '[' -> open(c);
        case '}', ']' -> {
          depth--;
          line();
          put("", c);
        }
        case ',' -> {
          put("", c);
          line();
        }
        case ':' -> {
          put("", c);
          tokens.add(new Token("", " "));
        }
        case '"' -> string();
        case ' ', '\n', '\t', '\r' -> position++;
        default -> word();
      }
    }
  }

  private void put(String style, char c) {
    tokens.add(new Token(style, String.valueOf(c)));
    position++;
  }

  private void open(char c) {
    put("", c);
    int next = afterSpace(position);
    if (next < json.length() && (json.charAt(next) == '}' || json.charAt(next) == ']')) {
      position = next;
      put("", json.charAt(next));
      return;
    }
    depth++;
    line();
  }

  private void line() {
    int indent = Math.max(0, Math.min(depth, DEEPEST_INDENT));
    tokens.add(new Token("", "\n" + "  ".repeat(indent)));
  }

  private void string() {
    int end = endOfString(position);
    String text = json.substring(position, end);
    position = end;
    int next = afterSpace(end);
    boolean isName = next < json.length() && json.charAt(next) == ':';
    tokens.add(new Token(isName ? "j-name" : "j-text", text));
    if (isName && view.masks(PayloadView.plain(unescaped(text)))) {
      tokens.add(new Token("", ": "));
      tokens.add(new Token("j-mask", '"' + Redaction.MASK + '"'));
      position = endOfValue(afterSpace(next + 1));
    }
  }

  private void word() {
    int end = endOfWord(position);
    String text = json.substring(position, end);
    tokens.add(new Token(Character.isLetter(text.charAt(0)) ? "j-word" : "j-number", text));
    position = end;
  }

  private int afterSpace(int start) {
    int end = start;
    while (end < json.length() && Character.isWhitespace(json.charAt(end))) {
      end++;
    }
    return end;
  }

  private int endOfWord(int start) {
    int end = start + 1;
    while (end < json.length() && ",:]}{[\" \n\t\r".indexOf(json.charAt(end)) < 0) {
      end++;
    }
    return end;
  }

  private int endOfString(int start) {
    int end = start + 1;
    while (end < json.length() && json.charAt(end) != '"') {
      end += json.charAt(end) == '\\' ? 2 : 1;
    }
    return Math.min(json.length(), end + 1);
  }

  /** Returns the end of a value of any kind. */
  private int endOfValue(int start) {
    int open = 0;
    int end = start;
    do {
      if (end >= json.length()) {
        return json.length();
      }
      char c = json.charAt(end);
      switch (c) {
        case '{', '[' -> {
          open++;
          end++;
        }
        case '}', ']' -> {
          open--;
          end++;
        }
        case '"' -> end = endOfString(end);
        case ',', ':', ' ', '\n', '\t', '\r' -> end++;
        default -> end = endOfWord(end);
      }
    } while (open > 0);
    return end;
  }

  /** Returns the name of a field without its quotes and escapes. */
  private static String unescaped(String quoted) {
    StringBuilder name = new StringBuilder();
    int i = 1;
    while (i < quoted.length() - 1) {
      char c = quoted.charAt(i);
      Character escaped = c == '\\' ? escape(quoted, i) : null;
      name.append(escaped == null ? c : escaped);
      i += escaped == null ? 1 : quoted.charAt(i + 1) == 'u' ? 6 : 2;
    }
    return name.toString();
  }

  private static @Nullable Character escape(String quoted, int start) {
    char kind = quoted.charAt(start + 1);
    if (kind != 'u') {
      return kind;
    }
    String digits = quoted.substring(start + 2, Math.min(start + 6, quoted.length()));
    return digits.matches("[0-9A-Fa-f]{4}") ? (char) Integer.parseInt(digits, 16) : null;
  }
}
