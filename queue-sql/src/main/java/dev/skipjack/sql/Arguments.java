package dev.skipjack.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Values for the named parameters of a {@link StatementText}. Not thread-safe. */
public final class Arguments {

  private final Map<String, Binder> binders = new HashMap<>();
  private final boolean ascii;

  /** Creates arguments without values. */
  public Arguments() {
    this(false);
  }

  private Arguments(boolean ascii) {
    this.ascii = ascii;
  }

  /**
   * Returns a copy in which strings have a question mark for each character outside ASCII, for
   * databases whose encoding lacks a character (22P05). JSON documents are not changed.
   */
  public Arguments ascii() {
    Arguments copy = new Arguments(true);
    copy.binders.putAll(binders);
    return copy;
  }

  private static @Nullable String spelled(@Nullable String text, boolean ascii) {
    return text == null || !ascii ? text : text.replaceAll("[^\\x00-\\x7F]", "?");
  }

  /** Sets a number. */
  public Arguments number(String name, long value) {
    return put(name, (statement, index, ascii) -> statement.setLong(index, value));
  }

  /** Sets a number, which may be null. */
  public Arguments numberOrNull(String name, @Nullable Long value) {
    return put(
        name,
        (statement, index, ascii) -> {
          if (value == null) {
            statement.setNull(index, Types.BIGINT);
          } else {
            statement.setLong(index, value);
          }
        });
  }

  /** Sets an integer, which may be null. */
  public Arguments integer(String name, @Nullable Integer value) {
    return put(
        name,
        (statement, index, ascii) -> {
          if (value == null) {
            statement.setNull(index, Types.INTEGER);
          } else {
            statement.setInt(index, value);
          }
        });
  }

  /** Sets a string, which may be null. */
  public Arguments text(String name, @Nullable String value) {
    return put(
        name, (statement, index, ascii) -> statement.setString(index, spelled(value, ascii)));
  }

  /** Sets a byte string. */
  public Arguments bytes(String name, byte[] value) {
    return put(name, (statement, index, ascii) -> statement.setBytes(index, value));
  }

  /** Sets an array of byte strings, one for each element. */
  public <E> Arguments byteStrings(String name, Collection<E> elements, Function<E, byte[]> bytes) {
    return array(name, "bytea", elements, bytes, byte[][]::new);
  }

  /** Sets a UUID. */
  public Arguments uuid(String name, UUID value) {
    return put(name, (statement, index, ascii) -> statement.setObject(index, value));
  }

  /** Sets an array of UUIDs, one for each element. */
  public <E> Arguments uuids(String name, Collection<E> elements, Function<E, UUID> uuid) {
    return array(name, "uuid", elements, uuid, UUID[]::new);
  }

  /** Sets an array of strings, one for each element. */
  public <E> Arguments texts(
      String name, Collection<E> elements, Function<E, @Nullable String> text) {
    @Nullable String[] values = elements.stream().map(text).toArray(String[]::new);
    return put(
        name,
        (statement, index, ascii) ->
            statement.setArray(
                index,
                statement
                    .getConnection()
                    .createArrayOf(
                        "text",
                        Arrays.stream(values)
                            .map(value -> spelled(value, ascii))
                            .toArray(String[]::new))));
  }

  /** Sets an array of JSON documents, one for each element. {@link #ascii} does not change them. */
  public <E> Arguments documents(
      String name, Collection<E> elements, Function<E, @Nullable String> document) {
    return array(name, "text", elements, document, String[]::new);
  }

  /** Sets an array of bigints, one for each element. */
  public <E> Arguments bigints(
      String name, Collection<E> elements, Function<E, @Nullable Long> number) {
    return array(name, "int8", elements, number, Long[]::new);
  }

  /** Sets an array of integers, one for each element. */
  public <E> Arguments integers(
      String name, Collection<E> elements, Function<E, @Nullable Integer> number) {
    return array(name, "int4", elements, number, Integer[]::new);
  }

  /** Sets an array of smallints, one for each element. */
  public <E> Arguments smallints(
      String name, Collection<E> elements, Function<E, @Nullable Integer> number) {
    return array(
        name,
        "int2",
        elements,
        element -> {
          Integer value = number.apply(element);
          return value == null ? null : narrowed(value);
        },
        Short[]::new);
  }

  private static Short narrowed(Integer number) {
    if (number.shortValue() != number) {
      throw new IllegalArgumentException("%d is not a smallint.".formatted(number));
    }
    return number.shortValue();
  }

  /** Sets an array of booleans, one for each element. */
  public <E> Arguments booleans(
      String name, Collection<E> elements, Function<E, @Nullable Boolean> flag) {
    return array(name, "bool", elements, flag, Boolean[]::new);
  }

  /**
   * Sets an array of timestamps with time zone, one for each element. They are given in
   * PostgreSQL's text form, because Java's types have no {@code -infinity}, and sent as strings,
   * which the statement casts. The driver would send an array of timestamps as one string, in which
   * the meaning of NULL depends on the session's {@code array_nulls}.
   */
  public <E> Arguments timestamps(
      String name, Collection<E> elements, Function<E, @Nullable String> timestamp) {
    return texts(name, elements, timestamp);
  }

  /**
   * @param empty an array of the element's own type, because an array of objects is sent as text,
   *     which takes longer to write and to read
   */
  private <E, V> Arguments array(
      String name,
      String type,
      Collection<E> elements,
      Function<E, @Nullable V> value,
      IntFunction<@Nullable V[]> empty) {
    @Nullable V[] values = empty.apply(elements.size());
    int i = 0;
    for (E element : elements) {
      values[i++] = value.apply(element);
    }
    return put(
        name,
        (statement, index, ascii) ->
            statement.setArray(index, statement.getConnection().createArrayOf(type, values)));
  }

  private Arguments put(String name, Binder binder) {
    if (binders.put(name, binder) != null) {
      throw new IllegalArgumentException("Parameter '" + name + "' was set twice.");
    }
    return this;
  }

  void bind(PreparedStatement statement, int index, String name) throws SQLException {
    Binder binder = binders.get(name);
    if (binder == null) {
      throw new IllegalArgumentException(
          "Parameter '%s' was not set; the parameters set are %s."
              .formatted(name, List.copyOf(binders.keySet())));
    }
    binder.bind(statement, index, ascii);
  }

  @FunctionalInterface
  private interface Binder {
    void bind(PreparedStatement statement, int index, boolean ascii) throws SQLException;
  }
}
