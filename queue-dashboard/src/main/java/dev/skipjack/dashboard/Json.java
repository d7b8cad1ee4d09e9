package dev.skipjack.dashboard;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Writes the model of a page as JSON. Records become objects, enums their names in lower case,
 * times ISO 8601, and durations seconds. Ids, which may be larger than 2^53, are strings.
 */
final class Json {

  private static final double MILLIS = 1_000;

  private final StringBuilder out = new StringBuilder();

  private Json() {}

  /**
   * A document that is written as it is or, if only its beginning is known, as a text.
   *
   * @param text valid JSON, or the beginning of it that ends with {@link MaskedJson#CUT}
   */
  record Raw(String text) {

    boolean isCut() {
      return text.endsWith(MaskedJson.CUT);
    }

    static @Nullable Raw of(@Nullable String text) {
      return text == null ? null : new Raw(text);
    }
  }

  /** Returns the seconds of a duration, to the millisecond. */
  static double seconds(Duration duration) {
    return duration.toSeconds() + duration.toMillisPart() / MILLIS;
  }

  static String of(@Nullable Object value) {
    Json json = new Json();
    json.write(value);
    return json.out.toString();
  }

  private void write(@Nullable Object value) {
    if (value == null) {
      out.append("null");
    } else if (value instanceof Raw raw && raw.isCut()) {
      text(raw.text());
    } else if (value instanceof Raw raw) {
      // Characters with a meaning in HTML occur in strings only, where they can be escaped.
      out.append(
          raw.text().replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"));
    } else if (value instanceof Optional<?> optional) {
      write(optional.orElse(null));
    } else if (value instanceof OptionalInt optional) {
      write(optional.isPresent() ? (Integer) optional.getAsInt() : null);
    } else if (value instanceof Boolean || value instanceof Integer || value instanceof Short) {
      out.append(value);
    } else if (value instanceof Long number) {
      out.append(number.longValue());
    } else if (value instanceof Duration duration) {
      out.append(seconds(duration));
    } else if (value instanceof Enum<?> constant) {
      text(constant.name().toLowerCase(Locale.ROOT));
    } else if (value instanceof Collection<?> collection) {
      array(collection);
    } else if (value instanceof Map<?, ?> map) {
      object(map);
    } else if (value instanceof Record structure) {
      structure(structure);
    } else {
      text(value.toString());
    }
  }

  private void array(Collection<?> values) {
    out.append('[');
    String separator = "";
    for (Object value : values) {
      out.append(separator);
      write(value);
      separator = ",";
    }
    out.append(']');
  }

  private void object(Map<?, ?> map) {
    out.append('{');
    String separator = "";
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      out.append(separator);
      text(String.valueOf(entry.getKey()));
      out.append(':');
      write(entry.getValue());
      separator = ",";
    }
    out.append('}');
  }

  private void structure(Record structure) {
    RecordComponent[] components = structure.getClass().getRecordComponents();
    boolean isId = components.length == 1 && components[0].getType() == long.class;
    if (isId) {
      text(String.valueOf(valueOf(components[0], structure)));
      return;
    }
    out.append('{');
    String separator = "";
    for (RecordComponent component : components) {
      out.append(separator);
      text(component.getName());
      out.append(':');
      write(valueOf(component, structure));
      separator = ",";
    }
    out.append('}');
  }

  private static @Nullable Object valueOf(RecordComponent component, Record structure) {
    try {
      return component.getAccessor().invoke(structure);
    } catch (IllegalAccessException | InvocationTargetException impossible) {
      throw new IllegalStateException(
          "Component %s cannot be read.".formatted(component), impossible);
    }
  }

  private void text(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' '
          || c == '<'
          || c == '>'
          || c == '&'
          || Character.isSurrogate(c)
          || c == '\u2028'
          || c == '\u2029') {
        out.append("\\u%04x".formatted((int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
