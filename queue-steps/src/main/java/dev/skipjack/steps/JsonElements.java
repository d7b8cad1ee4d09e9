package dev.skipjack.steps;

import java.util.ArrayList;
import java.util.List;

/** Joins and splits the elements of a JSON array, because a codec decodes only whole documents. */
final class JsonElements {

  private JsonElements() {}

  /** Returns an array of JSON values. */
  static String join(List<String> elements) {
    return "[" + String.join(",", elements) + "]";
  }

  /**
   * Returns the elements of an array as PostgreSQL writes it.
   *
   * @throws IllegalArgumentException if {@code array} is not an array
   */
  static List<String> split(String array) {
    String text = array.strip();
    if (text.length() < 2 || text.charAt(0) != '[' || text.charAt(text.length() - 1) != ']') {
      throw new IllegalArgumentException("The JSON value is not an array.");
    }
    List<String> elements = new ArrayList<>();
    int depth = 0;
    boolean quoted = false;
    int begin = 1;
    for (int i = 1; i < text.length() - 1; i++) {
      char c = text.charAt(i);
      if (quoted) {
        quoted = c != '"';
        i += c == '\\' ? 1 : 0;
      } else if (c == '"') {
        quoted = true;
      } else if (c == '[' || c == '{') {
        depth++;
      } else if (c == ']' || c == '}') {
        depth--;
      } else if (c == ',' && depth == 0) {
        elements.add(text.substring(begin, i).strip());
        begin = i + 1;
      }
    }
    String last = text.substring(begin, text.length() - 1).strip();
    if (!last.isEmpty() || !elements.isEmpty()) {
      elements.add(last);
    }
    return elements;
  }
}
