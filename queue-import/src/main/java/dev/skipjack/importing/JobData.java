package dev.skipjack.importing;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads the data maps of Quartz's jobs without Quartz. A data map is stored as properties or as a
 * serialized map. Only strings, numbers, booleans, dates, times, UUIDs, enum constants, and
 * collections and maps of these become JSON. Other values are rejected.
 */
final class JobData {

  private static final String QUARTZ = "org.quartz.";
  private static final JsonFactory FACTORY = new JsonFactory();

  private static final ObjectInputFilter FILTER =
      ObjectInputFilter.Config.createFilter(
          "maxdepth=12;maxrefs=100000;maxbytes=1048576;%s;%s;%s;java.lang.*;java.math.*;java.time.*;java.util.*;!*"
              .formatted(
                  JobDataMap.class.getName(),
                  StringKeyDirtyFlagMap.class.getName(),
                  DirtyFlagMap.class.getName()));

  private JobData() {}

  /**
   * Reads objects of Quartz's classes as objects of the replacements with the same simple names.
   */
  private static final class Stream extends ObjectInputStream {

    Stream(InputStream bytes) throws IOException {
      super(bytes);
      setObjectInputFilter(FILTER);
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass described)
        throws IOException, ClassNotFoundException {
      String name = described.getName();
      return switch (name.startsWith(QUARTZ) ? name.substring(name.lastIndexOf('.') + 1) : "") {
        case "JobDataMap" -> JobDataMap.class;
        case "StringKeyDirtyFlagMap" -> StringKeyDirtyFlagMap.class;
        case "DirtyFlagMap" -> DirtyFlagMap.class;
        default -> super.resolveClass(described);
      };
    }
  }

  /**
   * Returns the data of a job and its trigger as one JSON object. If both contain a name, the
   * trigger's value is used.
   */
  static byte[] json(byte @Nullable [] ofJob, byte @Nullable [] ofTrigger)
      throws JsonText.Rejected {
    Map<String, Object> data = new TreeMap<>(read(ofJob));
    data.putAll(read(ofTrigger));
    return text(data).getBytes(StandardCharsets.UTF_8);
  }

  /** Returns a value as JSON. */
  static String text(@Nullable Object value) throws JsonText.Rejected {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(text)) {
      write(json, value);
    } catch (IOException impossible) {
      throw new JsonText.Rejected("data cannot be written");
    }
    return text.toString();
  }

  private static Map<String, Object> read(byte @Nullable [] data) throws JsonText.Rejected {
    if (data == null || data.length == 0) {
      return Map.of();
    }
    try {
      if (!SerializedPayload.isSerialized(data)) {
        Properties properties = new Properties();
        properties.load(new ByteArrayInputStream(data));
        Map<String, Object> texts = new HashMap<>();
        properties.forEach((name, value) -> texts.put(String.valueOf(name), value));
        return texts;
      }
      try (Stream stream = new Stream(new ByteArrayInputStream(data))) {
        Map<String, Object> map = ((DirtyFlagMap) stream.readObject()).map();
        return map == null ? Map.of() : map;
      }
    } catch (IOException | ClassNotFoundException | RuntimeException unreadable) {
      throw new JsonText.Rejected(
          "data contains an object that is not converted: " + unreadable.getMessage());
    }
  }

  private static void write(JsonGenerator json, @Nullable Object value)
      throws IOException, JsonText.Rejected {
    if (value == null) {
      json.writeNull();
    } else if (value instanceof Map<?, ?> members) {
      json.writeStartObject();
      for (Map.Entry<?, ?> member : members.entrySet()) {
        json.writeFieldName(String.valueOf(member.getKey()));
        write(json, member.getValue());
      }
      json.writeEndObject();
    } else if (value instanceof Collection<?> elements) {
      json.writeStartArray();
      for (Object element : elements) {
        write(json, element);
      }
      json.writeEndArray();
    } else if (value instanceof Boolean truth) {
      json.writeBoolean(truth);
    } else if (value instanceof Number number) {
      json.writeNumber(number.toString());
    } else if (value instanceof Date date) {
      json.writeString(date.toInstant().toString());
    } else if (value instanceof CharSequence
        || value instanceof Character
        || value instanceof Enum) {
      json.writeString(value.toString());
    } else if (value.getClass().getPackageName().equals("java.time") || value instanceof UUID) {
      json.writeString(value.toString());
    } else {
      throw new JsonText.Rejected(
          "data contains an object that is not converted: " + value.getClass().getName());
    }
  }
}
