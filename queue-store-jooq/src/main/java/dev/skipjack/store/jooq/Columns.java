package dev.skipjack.store.jooq;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads columns that may be NULL, and types that JDBC has no word for. */
final class Columns {

  private Columns() {}

  static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
    OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
    return value == null ? null : value.toInstant();
  }

  /** A column that is NOT NULL. */
  static Instant requireInstant(ResultSet row, int column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  static @Nullable Integer integer(ResultSet row, int column) throws SQLException {
    int value = row.getInt(column);
    return row.wasNull() ? null : value;
  }

  static @Nullable Long bigint(ResultSet row, int column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? null : value;
  }

  /** A column of whole seconds. */
  static @Nullable Duration seconds(ResultSet row, int column) throws SQLException {
    Long value = bigint(row, column);
    return value == null ? null : Duration.ofSeconds(value);
  }

  /** A text array; none and NULL are the same. */
  static List<String> texts(ResultSet row, int column) throws SQLException {
    Array value = row.getArray(column);
    return value == null ? List.of() : List.of((String[]) value.getArray());
  }
}
