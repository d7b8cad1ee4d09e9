package dev.skipjack.sql;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/**
 * The current row of a result, read by the fields of the query. Not thread-safe. Methods without
 * {@code OrNull} in their name throw an exception that names the field if the value is NULL, unless
 * documented otherwise.
 */
public final class Row {

  /**
   * The SQLSTATE of a null value that is not allowed. Without a SQLSTATE, the exception would be
   * mistaken for a broken connection.
   */
  private static final String UNEXPECTED_NULL = "22004";

  private final ResultSet result;
  private final ResultColumns columns;

  Row(ResultSet result, ResultColumns columns) {
    this.result = result;
    this.columns = columns;
  }

  /**
   * {@return a bigint}
   *
   * @param field the field of the query
   * @throws SQLException if the value is NULL or cannot be read
   */
  public long number(Field<Long> field) throws SQLException {
    return required(field, result.getLong(columns.indexOf(field)));
  }

  /**
   * {@return a bigint, or null for NULL}
   *
   * @param field the field of the query
   * @throws SQLException if the value cannot be read
   */
  public @Nullable Long numberOrNull(Field<Long> field) throws SQLException {
    long value = result.getLong(columns.indexOf(field));
    return result.wasNull() ? null : value;
  }

  /**
   * {@return an integer or a smallint}
   *
   * @param field the field of the query
   * @throws SQLException if the value is NULL or cannot be read
   */
  public int integer(Field<? extends Number> field) throws SQLException {
    return required(field, result.getInt(columns.indexOf(field)));
  }

  /**
   * {@return an integer or a smallint, or null for NULL}
   *
   * @param field the field of the query
   * @throws SQLException if the value cannot be read
   */
  public @Nullable Integer integerOrNull(Field<? extends Number> field) throws SQLException {
    int value = result.getInt(columns.indexOf(field));
    return result.wasNull() ? null : value;
  }

  /**
   * {@return a double precision}
   *
   * @param field the field of the query
   * @throws SQLException if the value is NULL or cannot be read
   */
  public double real(Field<Double> field) throws SQLException {
    return required(field, result.getDouble(columns.indexOf(field)));
  }

  /**
   * {@return a boolean}
   *
   * @param field the field of the query
   * @throws SQLException if the value is NULL or cannot be read
   */
  public boolean flag(Field<Boolean> field) throws SQLException {
    return required(field, result.getBoolean(columns.indexOf(field)));
  }

  /**
   * {@return whether a boolean is true; NULL counts as false}
   *
   * @param field the field of the query
   * @throws SQLException if the value cannot be read
   */
  public boolean isTrue(Field<Boolean> field) throws SQLException {
    return result.getBoolean(columns.indexOf(field));
  }

  /**
   * {@return a string, a document, or the label of an enumeration}
   *
   * @param field the field of the query
   * @throws SQLException if the value is NULL or cannot be read
   */
  public String text(Field<?> field) throws SQLException {
    String value = result.getString(columns.indexOf(field));
    if (value == null) {
      throw isNull(field);
    }
    return value;
  }

  /**
   * {@return a string, a document, or the label of an enumeration, or null for NULL}
   *
   * @param field the field of the query
   * @throws SQLException if the value cannot be read
   */
  public @Nullable String textOrNull(Field<?> field) throws SQLException {
    return result.getString(columns.indexOf(field));
  }

  /**
   * {@return a timestamp with time zone}
   *
   * @param field the field of the query
   * @throws SQLException if the value is NULL or cannot be read
   */
  public Instant instant(Field<Instant> field) throws SQLException {
    Instant value = instantOrNull(field);
    if (value == null) {
      throw isNull(field);
    }
    return value;
  }

  /**
   * {@return a timestamp with time zone, or null for NULL}
   *
   * @param field the field of the query
   * @throws SQLException if the value cannot be read
   */
  public @Nullable Instant instantOrNull(Field<Instant> field) throws SQLException {
    OffsetDateTime value = result.getObject(columns.indexOf(field), OffsetDateTime.class);
    return value == null ? null : value.toInstant();
  }

  /**
   * {@return a UUID}
   *
   * @param field the field of the query
   * @throws SQLException if the value is NULL or cannot be read
   */
  public UUID uuid(Field<UUID> field) throws SQLException {
    UUID value = result.getObject(columns.indexOf(field), UUID.class);
    if (value == null) {
      throw isNull(field);
    }
    return value;
  }

  /**
   * {@return a byte string}
   *
   * @param field the field of the query
   * @throws SQLException if the value is NULL or cannot be read
   */
  public byte[] bytes(Field<byte[]> field) throws SQLException {
    byte[] value = result.getBytes(columns.indexOf(field));
    if (value == null) {
      throw isNull(field);
    }
    return value;
  }

  /**
   * {@return the strings of an array with any number of dimensions} NULL counts as an empty array,
   * and elements that are NULL are omitted.
   *
   * @param field the field of the query
   * @throws SQLException if the value cannot be read
   */
  public List<String> texts(Field<String[]> field) throws SQLException {
    Array value = result.getArray(columns.indexOf(field));
    List<String> texts = new ArrayList<>();
    if (value != null) {
      addTexts(value.getArray(), texts);
    }
    return texts;
  }

  /**
   * {@return the strings of an array, as {@link #texts} does, but without omitting an element}
   *
   * @param field the field of the query
   * @throws IllegalArgumentException if an element is NULL
   * @throws SQLException if the value cannot be read
   */
  public List<String> textsWithoutNull(Field<String[]> field) throws SQLException {
    List<String> texts = texts(field);
    Array value = result.getArray(columns.indexOf(field));
    if (value != null && texts.size() < size(value.getArray())) {
      throw new IllegalArgumentException(
          "Column '%s' has an element that is NULL.".formatted(field.getName()));
    }
    return texts;
  }

  private static int size(@Nullable Object element) {
    return element instanceof Object[] elements ? Stream.of(elements).mapToInt(Row::size).sum() : 1;
  }

  private static void addTexts(@Nullable Object element, List<String> texts) {
    if (element instanceof Object[] elements) {
      for (Object each : elements) {
        addTexts(each, texts);
      }
    } else if (element != null) {
      texts.add(element.toString());
    }
  }

  private <T> T required(Field<?> field, T value) throws SQLException {
    if (result.wasNull()) {
      throw isNull(field);
    }
    return value;
  }

  private static SQLException isNull(Field<?> field) {
    return new SQLException("Column '%s' is NULL.".formatted(field.getName()), UNEXPECTED_NULL);
  }
}
