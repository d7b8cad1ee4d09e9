package dev.skipjack.operations.diagnosis;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.function;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/** Tables, columns and functions of PostgreSQL's own catalog, which is not in the model. */
final class Catalog {

  private Catalog() {}

  static Table<?> catalog(String table, String alias) {
    return table(name("pg_catalog", table)).as(alias);
  }

  static <T> Field<T> column(String alias, String column, Class<T> type) {
    return field(name(alias, column), type);
  }

  /** Returns the value of a setting, as text. */
  static Field<String> setting(String name) {
    return function("current_setting", SQLDataType.CLOB, inline(name));
  }

  static Field<String> currentDatabase() {
    return function("current_database", SQLDataType.CLOB);
  }
}
