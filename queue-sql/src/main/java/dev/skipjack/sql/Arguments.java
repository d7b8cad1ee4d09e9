package dev.skipjack.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
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

  /** Creates arguments without values. */
  public Arguments() {}

  /**
   * Sets a bigint.
   *
   * @param name the name of the parameter
   * @param value the value
   * @return this
   */
  public Arguments number(String name, long value) {
    return put(name, (statement, index) -> statement.setLong(index, value));
  }

  /**
   * Sets a bigint, which may be null.
   *
   * @param name the name of the parameter
   * @param value the value, or null
   * @return this
   */
  public Arguments numberOrNull(String name, @Nullable Long value) {
    return put(
        name,
        (statement, index) -> {
          if (value == null) {
            statement.setNull(index, Types.BIGINT);
          } else {
            statement.setLong(index, value);
          }
        });
  }

  /**
   * Sets an integer, which may be null.
   *
   * @param name the name of the parameter
   * @param value the value, or null
   * @return this
   */
  public Arguments integer(String name, @Nullable Integer value) {
    return put(
        name,
        (statement, index) -> {
          if (value == null) {
            statement.setNull(index, Types.INTEGER);
          } else {
            statement.setInt(index, value);
          }
        });
  }

  /**
   * Sets a string, which may be null.
   *
   * @param name the name of the parameter
   * @param value the value, or null
   * @return this
   */
  public Arguments text(String name, @Nullable String value) {
    return put(name, (statement, index) -> statement.setString(index, value));
  }

  /**
   * Sets a byte string.
   *
   * @param name the name of the parameter
   * @param value the value
   * @return this
   */
  public Arguments bytes(String name, byte[] value) {
    return put(name, (statement, index) -> statement.setBytes(index, value));
  }

  /**
   * Sets an array of byte strings, one for each of {@code elements}.
   *
   * @param <E> the type of the elements
   * @param name the name of the parameter
   * @param elements the elements, in the order of the array
   * @param bytes returns the byte string of an element
   * @return this
   */
  public <E> Arguments byteStrings(String name, Collection<E> elements, Function<E, byte[]> bytes) {
    return array(name, "bytea", elements, bytes, byte[][]::new);
  }

  /**
   * Sets a UUID.
   *
   * @param name the name of the parameter
   * @param value the value
   * @return this
   */
  public Arguments uuid(String name, UUID value) {
    return put(name, (statement, index) -> statement.setObject(index, value));
  }

  /**
   * Sets an array of UUIDs, one for each of {@code elements}.
   *
   * @param <E> the type of the elements
   * @param name the name of the parameter
   * @param elements the elements, in the order of the array
   * @param uuid returns the UUID of an element
   * @return this
   */
  public <E> Arguments uuids(String name, Collection<E> elements, Function<E, UUID> uuid) {
    return array(name, "uuid", elements, uuid, UUID[]::new);
  }

  /**
   * Sets an array of strings, one for each of {@code elements}.
   *
   * @param <E> the type of the elements
   * @param name the name of the parameter
   * @param elements the elements, in the order of the array
   * @param text returns the string of an element, or null
   * @return this
   */
  public <E> Arguments texts(
      String name, Collection<E> elements, Function<E, @Nullable String> text) {
    return array(name, "text", elements, text, String[]::new);
  }

  /**
   * Sets an array of bigints, one for each of {@code elements}.
   *
   * @param <E> the type of the elements
   * @param name the name of the parameter
   * @param elements the elements, in the order of the array
   * @param number returns the number of an element, or null
   * @return this
   */
  public <E> Arguments bigints(
      String name, Collection<E> elements, Function<E, @Nullable Long> number) {
    return array(name, "int8", elements, number, Long[]::new);
  }

  /**
   * Sets an array of integers, one for each of {@code elements}.
   *
   * @param <E> the type of the elements
   * @param name the name of the parameter
   * @param elements the elements, in the order of the array
   * @param number returns the number of an element, or null
   * @return this
   */
  public <E> Arguments integers(
      String name, Collection<E> elements, Function<E, @Nullable Integer> number) {
    return array(name, "int4", elements, number, Integer[]::new);
  }

  /**
   * Sets an array of smallints, one for each of {@code elements}.
   *
   * @param <E> the type of the elements
   * @param name the name of the parameter
   * @param elements the elements, in the order of the array
   * @param number returns the number of an element, or null
   * @return this
   */
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

  /**
   * Sets a boolean.
   *
   * @param name the name of the parameter
   * @param value the value
   * @return this
   */
  public Arguments flag(String name, boolean value) {
    return put(name, (statement, index) -> statement.setBoolean(index, value));
  }

  /**
   * Sets an array of booleans, one for each of {@code elements}.
   *
   * @param <E> the type of the elements
   * @param name the name of the parameter
   * @param elements the elements, in the order of the array
   * @param flag returns the value of an element, or null
   * @return this
   */
  public <E> Arguments booleans(
      String name, Collection<E> elements, Function<E, @Nullable Boolean> flag) {
    return array(name, "bool", elements, flag, Boolean[]::new);
  }

  /**
   * Sets an array of timestamps with time zone, one for each of {@code elements}. They are sent as
   * strings in PostgreSQL's text form, because Java's types have no {@code -infinity}. The
   * statement casts them. The driver would send an array of timestamps as one string, in which the
   * meaning of NULL depends on the session's {@code array_nulls}.
   *
   * @param <E> the type of the elements
   * @param name the name of the parameter
   * @param elements the elements, in the order of the array
   * @param timestamp returns the timestamp of an element, or null
   * @return this
   */
  public <E> Arguments timestamps(
      String name, Collection<E> elements, Function<E, @Nullable String> timestamp) {
    return texts(name, elements, timestamp);
  }

  /**
   * @param empty creates an array of the element's own type; an array of objects would be sent as
   *     text, which takes longer to write and to read
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
        (statement, index) ->
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
    binder.bind(statement, index);
  }

  @FunctionalInterface
  private interface Binder {
    void bind(PreparedStatement statement, int index) throws SQLException;
  }
}
