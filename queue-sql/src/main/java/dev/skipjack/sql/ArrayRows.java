package dev.skipjack.sql;

import static org.jooq.impl.DSL.name;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jooq.Field;
import org.jooq.Name;
import org.jooq.Param;
import org.jooq.QueryPart;
import org.jooq.Table;
import org.jooq.impl.DSL;

/**
 * Builds a table whose columns are arrays of equal length: {@code unnest(?, ?) AS alias (a, b)}.
 * Each column has one parameter, regardless of the number of rows, so the text of a statement is
 * the same for one row and for a thousand.
 *
 * <p>The SQL is a template, because jOOQ 3.19 cannot express an unnest of several arrays WITH
 * ORDINALITY.
 */
public final class ArrayRows {

  private final String alias;
  private final List<Name> columns = new ArrayList<>();
  private final List<QueryPart> arrays = new ArrayList<>();
  private boolean position;

  private ArrayRows(String alias) {
    this.alias = alias;
  }

  /**
   * {@return rows without columns, with the alias {@code alias}}
   *
   * @param alias the name of the common table expression
   */
  public static ArrayRows named(String alias) {
    return new ArrayRows(alias);
  }

  /**
   * Adds a column that contains the elements of an array.
   *
   * @param column the name of the column
   * @param array the array
   * @return this
   */
  public ArrayRows column(String column, Param<?> array) {
    columns.add(name(column));
    arrays.add(array);
    return this;
  }

  /**
   * Adds a last column {@code position}: the index of each row in the arrays, from 1.
   *
   * @return this
   */
  public ArrayRows withPosition() {
    position = true;
    return this;
  }

  /** {@return the table} */
  public Table<?> table() {
    List<QueryPart> parts = new ArrayList<>(arrays);
    String unnest =
        IntStream.range(0, arrays.size())
            .mapToObj(i -> "{" + i + "}")
            .collect(Collectors.joining(", ", function(), position ? ") with ordinality" : ")"));
    List<Name> names = new ArrayList<>(columns);
    if (position) {
      names.add(name("position"));
    }
    return DSL.table(unnest, parts.toArray(QueryPart[]::new))
        .as(name(alias), names.toArray(Name[]::new));
  }

  /**
   * Returns the name of the function. With several arrays, PostgreSQL accepts only the unqualified
   * name, which then always refers to its built-in function. With one array, the unqualified name
   * could refer to another function, so it is qualified.
   */
  private String function() {
    return arrays.size() == 1 ? "pg_catalog.unnest(" : "unnest(";
  }

  /**
   * {@return a column of the table}
   *
   * @param <T> the type of the value
   * @param column the name of the column
   * @param type the Java type of its values
   */
  public <T> Field<T> field(String column, Class<T> type) {
    return DSL.field(name(alias, column), type);
  }
}
