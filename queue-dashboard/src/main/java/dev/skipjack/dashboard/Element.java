package dev.skipjack.dashboard;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An element of a page, to which attributes and content are added. Attributes that could run a
 * script or load something cannot be set: those that contain an address take a {@link Link}.
 */
final class Element implements Node {

  /** Elements without content and end. Those of SVG have an end even if they are empty. */
  private static final Set<String> EMPTY = Set.of("br", "hr", "img", "input", "link", "meta");

  private static final Set<String> ADDRESSES = Set.of("href", "src", "action", "formaction");

  private final String name;
  private final StringBuilder attributes = new StringBuilder();
  private final List<Node> content = new ArrayList<>();

  Element(String name) {
    this.name = name;
  }

  /** Sets the classes of the style sheet. */
  Element style(String classes) {
    return classes.isEmpty() ? this : attribute("class", classes);
  }

  /**
   * Sets an attribute.
   *
   * @throws IllegalArgumentException if the attribute could run a script or load something
   */
  Element set(String attribute, @Nullable String value) {
    if (attribute.startsWith("on") || attribute.equals("style") || ADDRESSES.contains(attribute)) {
      throw new IllegalArgumentException("Attribute %s is not allowed.".formatted(attribute));
    }
    return value == null ? this : attribute(attribute, value);
  }

  Element set(String attribute, long value) {
    return set(attribute, Long.toString(value));
  }

  /** Sets an attribute without a value. */
  Element flag(String attribute, boolean present) {
    return present ? set(attribute, "") : this;
  }

  /** Sets an attribute that contains an address. */
  Element to(String attribute, Link link) {
    return attribute(attribute, link.text());
  }

  private Element attribute(String attribute, String value) {
    attributes.append(' ').append(attribute).append("=\"");
    Html.escape(value, attributes);
    attributes.append('"');
    return this;
  }

  Element add(@Nullable String text) {
    content.add(Html.text(text));
    return this;
  }

  Element add(Node... parts) {
    content.addAll(List.of(parts));
    return this;
  }

  Element add(List<? extends Node> parts) {
    content.addAll(parts);
    return this;
  }

  @Override
  public void write(StringBuilder out) {
    out.append('<').append(name).append(attributes).append('>');
    if (!EMPTY.contains(name)) {
      content.forEach(part -> part.write(out));
      out.append("</").append(name).append('>');
    }
  }
}
