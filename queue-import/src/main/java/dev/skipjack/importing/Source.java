package dev.skipjack.importing;

import dev.skipjack.api.schedule.Timing;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A queue whose jobs can be imported. Immutable and safe for any number of threads. */
public abstract sealed class Source
    permits DbSchedulerSource, QuartzSource, JobRunrSource, RiverSource {

  private static final Pattern TABLE =
      Pattern.compile("[A-Za-z_][A-Za-z0-9_]*([.][A-Za-z_][A-Za-z0-9_]*)?");

  private final String name;
  private final String tables;

  Source(String name, String tables) {
    this.name = name;
    this.tables = tables;
    if (!TABLE.matcher(tables).matches()) {
      throw new IllegalArgumentException(
          "Table name '%s' is not allowed. Use the form table or schema.table, with letters, digits and '_'."
              .formatted(tables));
    }
  }

  /**
   * {@return a source that is db-scheduler's table} Tested with version 16.
   *
   * @param table the name of the table, with or without a schema; by default db-scheduler calls it
   *     {@code scheduled_tasks}
   * @throws IllegalArgumentException if {@code table} is not the name of a table
   */
  public static Source dbScheduler(String table) {
    return new DbSchedulerSource(table);
  }

  /**
   * {@return a source that is Quartz's tables} Tested with version 2.5.
   *
   * @param prefix how the names of the tables begin, with or without a schema; by default Quartz
   *     uses {@code qrtz_}
   * @throws IllegalArgumentException if {@code prefix} is not the beginning of a name
   */
  public static Source quartz(String prefix) {
    return new QuartzSource(prefix);
  }

  /**
   * {@return a source that is JobRunr's tables} Tested with version 8.
   *
   * @param prefix how the names of the tables begin, with or without a schema; by default JobRunr
   *     uses {@code jobrunr_}
   * @throws IllegalArgumentException if {@code prefix} is not the beginning of a name
   */
  public static Source jobRunr(String prefix) {
    return new JobRunrSource(prefix);
  }

  /**
   * {@return a source that is River's table, in which clients of any language keep their jobs}
   *
   * @param table the name of the table, with or without a schema; by default {@code river_job}
   * @throws IllegalArgumentException if {@code table} is not the name of a table
   */
  public static Source river(String table) {
    return new RiverSource(table);
  }

  /** {@return the name of the program whose jobs these are, for example {@code db-scheduler}} */
  public final String name() {
    return name;
  }

  /** Returns the part of a name from which the default kind is derived. */
  String shortName(String name) {
    return name;
  }

  /** Returns whether the source keeps an instance id of each job unique. */
  boolean hasUniqueIds() {
    return false;
  }

  /** Returns the statement that locks the source for a transaction; empty if no lock is needed. */
  String lock() {
    return "";
  }

  /** Returns the table, or the beginning of the names of the tables. */
  final String tables() {
    return tables;
  }

  /**
   * Checks that the tables exist and have the expected columns.
   *
   * @throws IllegalStateException if they do not
   */
  abstract void check(Connection connection) throws SQLException;

  /** Returns at least the names of all jobs that have not ended. */
  abstract List<String> names(Connection connection) throws SQLException;

  /**
   * Returns the next rows in the order of their keys.
   *
   * @param only the names of the jobs to return
   * @param after the last row of the page before; null for the first page
   */
  abstract List<SourceRow> page(
      Connection connection, List<String> only, @Nullable SourceRow after, int limit)
      throws SQLException;

  /**
   * Returns the common table expressions that delete those rows of {@code given(key1, key2, key3,
   * position)} whose {@linkplain #version version} is still the one that was read. The rows are
   * locked before they are compared. One of the expressions is {@code taken}, with the columns
   * {@code position} and {@code copy}: an object of JSON with the deleted rows of each {@linkplain
   * #parts part}.
   */
  abstract String take();

  /**
   * Returns the tables from which {@link #take} deletes rows, in an order in which the rows can be
   * inserted again.
   */
  abstract List<Part> parts();

  /**
   * Returns an expression for the time at which a copied row is due in the source; null if it has
   * none.
   *
   * @param copy the column with the copy
   */
  abstract String due(String copy);

  /**
   * A table of a source.
   *
   * @param name its name in copies
   * @param table the table
   * @param sharedKey the columns of its key if several rows of other tables can refer to one of its
   *     rows, which may therefore exist already; otherwise empty
   */
  record Part(String name, String table, List<String> sharedKey) {

    Part(String name, String table) {
      this(name, table, List.of());
    }

    boolean shared() {
      return !sharedKey.isEmpty();
    }
  }

  /**
   * Returns the name of the source and that of its first table, which identify it in a database.
   */
  final String identity(Connection connection) throws SQLException {
    return name + " " + qualified(connection, parts().get(0).table());
  }

  /** Returns the name of a table with its schema, however {@code table} is written. */
  private static String qualified(Connection connection, String table) throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement(
            "SELECT format('%I.%I', nspname, relname) FROM pg_class JOIN pg_namespace ON"
                + " pg_namespace.oid = relnamespace WHERE pg_class.oid = to_regclass(?)")) {
      query.setString(1, table);
      try (ResultSet row = query.executeQuery()) {
        return row.next() ? row.getString(1) : table;
      }
    }
  }

  /**
   * Returns the tables with the names and types of their columns, in a fixed order. The tables are
   * named with their schema, so that a plan does not depend on how the caller wrote their names.
   */
  final List<String> shape(Connection connection) throws SQLException {
    List<String> shape = new ArrayList<>();
    for (Part part : parts()) {
      shape.add(qualified(connection, part.table()));
      shape.addAll(
          texts(
              connection,
              """
              SELECT format('%%s %%s', attname, format_type(atttypid, atttypmod)) FROM pg_attribute
               WHERE attrelid = '%s'::regclass AND attnum > 0 AND NOT attisdropped
               ORDER BY attname COLLATE "C"
              """
                  .formatted(part.table())));
    }
    return shape;
  }

  /** Returns the columns of a table, and checks that those that are needed are among them. */
  static Set<String> columns(Connection connection, String table, List<String> needed)
      throws SQLException {
    Set<String> columns = new HashSet<>();
    try (PreparedStatement query =
        connection.prepareStatement(
            "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(?) AND attnum > 0 AND"
                + " NOT attisdropped")) {
      query.setString(1, table);
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          columns.add(row.getString(1));
        }
      }
    }
    if (columns.isEmpty()) {
      throw new IllegalStateException(
          "There is no table '%s' in this database. Name it with its schema, for example app.%s."
              .formatted(table, table.substring(table.indexOf('.') + 1)));
    }
    if (!columns.containsAll(needed)) {
      throw new IllegalStateException(
          "Table '%s' lacks the columns %s, so it belongs to another version or another program."
              .formatted(
                  table, needed.stream().filter(column -> !columns.contains(column)).toList()));
    }
    return columns;
  }

  /**
   * Joins parts, which may contain any characters, into one text, so that different parts result in
   * different texts.
   */
  static String id(String... parts) {
    return Stream.of(parts)
        .map(part -> part.replace("%", "%25").replace("/", "%2F"))
        .collect(Collectors.joining("/"));
  }

  /**
   * Returns an expression for a column of bytes or text. It is null if the value exceeds 1 MiB, so
   * that large values do not fill the memory.
   */
  static String bounded(String column) {
    return "CASE WHEN octet_length(%1$s) <= 1048576 THEN %1$s END".formatted(column);
  }

  /**
   * Returns an expression for a hash of rows, which differs after a change of any column. It is 0
   * if their data exceeds 1 MiB, because such rows stay, and hashing them would take long.
   *
   * @param bytes an expression for the size of the rows' data
   * @param rows expressions for the rows, for example {@code source.*}
   */
  static String version(String bytes, String... rows) {
    return Stream.of(rows)
        .map("(%s)::text"::formatted)
        .collect(
            Collectors.joining(
                ", ",
                "CASE WHEN %s > 1048576 THEN 0 ELSE hashtextextended(concat_ws('/', "
                    .formatted(bytes),
                "), 0) END"));
  }

  /**
   * Checks that the next time of a schedule is that of the source. They differ if the source counts
   * its intervals from another time, starts later, or has a next time that has passed.
   *
   * @param due the next time of the source
   */
  static void requireNext(Timing timing, Instant due, Instant now) throws JsonText.Rejected {
    if (!due.isAfter(now)) {
      throw new JsonText.Rejected(
          "its next time has passed: import it after it has fired, or declare a schedule");
    }
    if (!timing.next(now).equals(Optional.of(due))) {
      throw new JsonText.Rejected(
          "starts later, or counts from a time of its own: declare a schedule");
    }
  }

  /** Returns the strings in the first column of a query. */
  static List<String> texts(Connection connection, String sql) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(sql);
        ResultSet row = query.executeQuery()) {
      List<String> texts = new ArrayList<>();
      while (row.next()) {
        texts.add(row.getString(1));
      }
      return texts;
    }
  }
}
