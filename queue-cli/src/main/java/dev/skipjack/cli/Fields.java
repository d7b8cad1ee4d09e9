package dev.skipjack.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The fields of the objects that a command shows: the columns of a table and the members of JSON.
 * The name of a field that is a duration ends with {@code _seconds}. Immutable.
 */
final class Fields<T> {

  private enum Form {
    TABLE,
    /** A table in which at least one row has a value. */
    FILLED_TABLE,
    RECORD,
    JSON
  }

  private record Field<T>(
      String name, Set<Form> forms, Function<? super T, ? extends @Nullable Object> value) {

    /**
     * Returns the readable name, without the unit of a duration, which a table shows with the
     * value.
     */
    String label() {
      return name.replaceFirst("_seconds$", "").replace('_', ' ').toUpperCase(Locale.ROOT);
    }
  }

  private final List<Field<T>> fields;

  private Fields(List<Field<T>> fields) {
    this.fields = List.copyOf(fields);
  }

  static <T> Fields<T> none() {
    return new Fields<>(List.of());
  }

  /** Adds a field to all forms. */
  Fields<T> and(String name, Function<? super T, ? extends @Nullable Object> value) {
    return and(new Field<>(name, EnumSet.of(Form.TABLE, Form.RECORD, Form.JSON), value));
  }

  /** Adds a field that tables omit if no row has a value. */
  Fields<T> andIfPresent(String name, Function<? super T, ? extends @Nullable Object> value) {
    return and(new Field<>(name, EnumSet.of(Form.FILLED_TABLE, Form.RECORD, Form.JSON), value));
  }

  /** Adds a field that tables omit for lack of space. */
  Fields<T> andApart(String name, Function<? super T, ? extends @Nullable Object> value) {
    return and(new Field<>(name, EnumSet.of(Form.RECORD, Form.JSON), value));
  }

  /** Adds a field for tables and records only; its parts are separate fields of the JSON. */
  Fields<T> andText(String name, Function<? super T, ? extends @Nullable Object> value) {
    return and(new Field<>(name, EnumSet.of(Form.TABLE, Form.RECORD), value));
  }

  /** Adds a field to records only; its parts are separate fields of the JSON. */
  Fields<T> andRecord(String name, Function<? super T, ? extends @Nullable Object> value) {
    return and(new Field<>(name, EnumSet.of(Form.RECORD), value));
  }

  Fields<T> andJson(String name, Function<? super T, ? extends @Nullable Object> value) {
    return and(new Field<>(name, EnumSet.of(Form.JSON), value));
  }

  Fields<T> and(Fields<T> others) {
    Fields<T> all = this;
    for (Field<T> other : others.fields) {
      all = all.and(other);
    }
    return all;
  }

  /** Returns these fields for objects of type {@code S} that contain a {@code T}. */
  <S> Fields<S> of(Function<? super S, ? extends T> part) {
    return new Fields<>(
        fields.stream()
            .map(
                field ->
                    new Field<S>(
                        field.name(),
                        field.forms(),
                        whole -> field.value().apply(part.apply(whole))))
            .toList());
  }

  private Fields<T> and(Field<T> field) {
    List<Field<T>> more = new ArrayList<>(fields);
    more.add(field);
    return new Fields<>(more);
  }

  Map<String, @Nullable Object> members(T row) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    for (Field<T> field : fields) {
      if (field.forms().contains(Form.JSON)) {
        members.put(field.name(), field.value().apply(row));
      }
    }
    return members;
  }

  /** Returns the lines of a table with aligned columns. The first line is the header. */
  List<String> table(List<T> rows, Style style) {
    List<Field<T>> columns = fields.stream().filter(field -> isColumn(field, rows)).toList();
    List<List<String>> cells = new ArrayList<>();
    cells.add(columns.stream().map(Field::label).toList());
    for (T row : rows) {
      cells.add(columns.stream().map(column -> Cell.of(column.value().apply(row))).toList());
    }
    List<String> lines = new ArrayList<>();
    for (int line = 0; line < cells.size(); line++) {
      StringBuilder text = new StringBuilder();
      for (int column = 0; column < columns.size(); column++) {
        String cell = cells.get(line).get(column);
        int width = width(cells, column);
        String padding = " ".repeat(width - cell.length());
        boolean right = isNumeric(columns.get(column), rows);
        boolean last = column == columns.size() - 1;
        text.append(column == 0 ? "" : "  ")
            .append(right ? padding : "")
            .append(line == 0 ? style.heading(cell) : style.cell(cell))
            .append(right || last ? "" : padding);
      }
      lines.add(text.toString());
    }
    return lines;
  }

  private static <T> boolean isColumn(Field<T> field, List<T> rows) {
    return field.forms().contains(Form.TABLE)
        || (field.forms().contains(Form.FILLED_TABLE)
            && rows.stream().anyMatch(row -> !Cell.isEmpty(field.value().apply(row))));
  }

  private static int width(List<List<String>> cells, int column) {
    return cells.stream().mapToInt(line -> line.get(column).length()).max().orElse(0);
  }

  private static <T> boolean isNumeric(Field<T> column, List<T> rows) {
    boolean some = false;
    for (T row : rows) {
      Object value = column.value().apply(row);
      if (value != null && !(value instanceof Number) && !(value instanceof Duration)) {
        return false;
      }
      some |= value != null;
    }
    return some;
  }

  /**
   * Returns the lines of a single record. Each line is a label and a value; empty values are
   * omitted.
   */
  List<String> record(T row, Style style) {
    Map<String, String> values = new LinkedHashMap<>();
    for (Field<T> field : fields) {
      Object value = field.value().apply(row);
      if (field.forms().contains(Form.RECORD) && !Cell.isEmpty(value)) {
        values.put(field.label().toLowerCase(Locale.ROOT), Cell.whole(value));
      }
    }
    int width = values.keySet().stream().mapToInt(String::length).max().orElse(0);
    List<String> lines = new ArrayList<>();
    values.forEach(
        (label, value) ->
            lines.add(
                style.heading(label) + " ".repeat(width - label.length() + 2) + style.cell(value)));
    return lines;
  }
}
