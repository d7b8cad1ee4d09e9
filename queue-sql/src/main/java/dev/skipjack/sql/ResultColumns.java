package dev.skipjack.sql;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jooq.Field;
import org.jooq.ResultQuery;
import org.jooq.Select;

/**
 * The positions of a query's fields in its result. A field is found by identity, or by a name that
 * only one column has. Immutable and safe for any number of threads.
 */
final class ResultColumns {

  private static final int AMBIGUOUS = 0;

  private final IdentityHashMap<Field<?>, Integer> byField = new IdentityHashMap<>();
  private final Map<String, Integer> byName = new HashMap<>();

  ResultColumns(ResultQuery<?> query) {
    int index = 0;
    for (Field<?> field : selected(query)) {
      index++;
      byField.putIfAbsent(field, index);
      byName.merge(field.getName(), index, (first, second) -> AMBIGUOUS);
    }
  }

  /** Returns the selected fields themselves, because {@link ResultQuery#fields} returns copies. */
  private static List<? extends Field<?>> selected(ResultQuery<?> query) {
    return query instanceof Select<?> select ? select.getSelect() : List.of(query.fields());
  }

  /** Returns the position of a field for JDBC, from 1. */
  int indexOf(Field<?> field) {
    Integer index = byField.get(field);
    if (index == null) {
      index = byName.get(field.getName());
    }
    if (index == null || index == AMBIGUOUS) {
      throw new IllegalArgumentException(
          "The query selects %s column '%s'; it selects %s."
              .formatted(index == null ? "no" : "more than one", field.getName(), byName.keySet()));
    }
    return index;
  }
}
