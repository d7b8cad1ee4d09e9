package dev.skipjack.store.jooq.internal.sql;

import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import org.jooq.Field;
import org.jooq.ResultQuery;

/**
 * Where in a result the fields of a query are: by the very field that was selected, or by its name.
 * Immutable and safe for any number of threads.
 */
final class ResultColumns {

  private final IdentityHashMap<Field<?>, Integer> byField = new IdentityHashMap<>();
  private final Map<String, Integer> byName = new HashMap<>();

  ResultColumns(ResultQuery<?> query) {
    Field<?>[] fields = query.fields();
    for (int i = 0; i < fields.length; i++) {
      byField.putIfAbsent(fields[i], i + 1);
      byName.putIfAbsent(fields[i].getName(), i + 1);
    }
  }

  /** The position for JDBC, from 1. */
  int indexOf(Field<?> field) {
    Integer index = byField.get(field);
    if (index == null) {
      index = byName.get(field.getName());
    }
    if (index == null) {
      throw new IllegalArgumentException(
          "The query does not select '%s', but only %s."
              .formatted(field.getName(), Arrays.toString(byName.keySet().toArray())));
    }
    return index;
  }
}
