package dev.skipjack.outbox;

import static org.jooq.impl.DSL.field;

import dev.skipjack.sql.Texts;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.impl.SQLDataType;

/**
 * Converts headers for the database, which stores them as a JSON object. Statements exchange them
 * as an array of alternating names and values, because this library has no parser for JSON.
 */
final class EventHeaders {

  private EventHeaders() {}

  /** Returns alternating names and values, in PostgreSQL's text form of an array. */
  static String text(Map<String, String> headers) {
    List<String> texts = new ArrayList<>();
    headers.forEach(
        (name, value) -> {
          texts.add(name);
          texts.add(value);
        });
    return Texts.arrayOf(texts);
  }

  /** Returns the JSON object for {@link #text}. */
  static Field<JSONB> object(Field<?> text) {
    return field(
        "pg_catalog.jsonb_object(cast({0} as pg_catalog.text[]))", SQLDataType.JSONB, text);
  }

  /** Returns alternating names and values. */
  static Field<String[]> texts(Field<JSONB> object) {
    return field(
        "array(select unnest(array[header.key, header.value]) from jsonb_each_text({0}) as header)",
        String[].class, object);
  }

  /** Converts the result of {@link #texts} to headers by name. */
  static Map<String, String> of(List<String> texts) {
    Map<String, String> headers = new LinkedHashMap<>();
    for (int i = 0; i < texts.size(); i += 2) {
      headers.put(texts.get(i), texts.get(i + 1));
    }
    return Collections.unmodifiableMap(headers);
  }
}
