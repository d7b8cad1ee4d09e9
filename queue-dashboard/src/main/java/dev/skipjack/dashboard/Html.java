package dev.skipjack.dashboard;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds pages. All texts are escaped, in elements and in attributes. The only exception is {@link
 * #trusted}; {@code HtmlTest} fails if it is called in more than one place.
 */
final class Html {

  /** Writes nothing. */
  static final Node NOTHING = out -> {};

  private Html() {}

  /** Begins an element. */
  static Element tag(String name) {
    return new Element(name);
  }

  static Element div(String style) {
    return tag("div").style(style);
  }

  static Element span(String style) {
    return tag("span").style(style);
  }

  /** Returns an element that contains only a text. */
  static Node tag(String name, String text) {
    return tag(name).add(text);
  }

  /** Returns an escaped text. Null is nothing. */
  static Node text(@Nullable String text) {
    return text == null ? NOTHING : out -> escape(text, out);
  }

  /** Returns parts in their order. */
  static Node all(Node... parts) {
    return all(List.of(parts));
  }

  /** Returns parts in their order. */
  static Node all(List<? extends Node> parts) {
    return out -> parts.forEach(part -> part.write(out));
  }

  /** Returns HTML that is written as it is. It must be a constant of this program. */
  static Node trusted(String html) {
    return out -> out.append(html);
  }

  /** Returns a part as text. */
  static String render(Node part) {
    StringBuilder out = new StringBuilder(8_192);
    part.write(out);
    return out.toString();
  }

  /**
   * Escapes the characters that have a meaning in HTML. Also replaces characters that no page
   * should contain: control characters, lone surrogates, and those that reverse the direction of
   * text, with which one text can look like another.
   */
  static void escape(String text, StringBuilder out) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> out.append("&amp;");
        case '<' -> out.append("&lt;");
        case '>' -> out.append("&gt;");
        case '"' -> out.append("&quot;");
        case '\'' -> out.append("&#39;");
        case '\n', '\t' -> out.append(c);
        default -> {
          if (Character.isHighSurrogate(c)
              && i + 1 < text.length()
              && Character.isLowSurrogate(text.charAt(i + 1))) {
            out.append(c).append(text.charAt(++i));
          } else {
            out.append(isHarmful(c) ? '\uFFFD' : c);
          }
        }
      }
    }
  }

  private static boolean isHarmful(char c) {
    return Character.isISOControl(c)
        || Character.isSurrogate(c)
        || (c >= '\u202A' && c <= '\u202E')
        || (c >= '\u2066' && c <= '\u2069')
        || c == '\u2028'
        || c == '\u2029';
  }
}
