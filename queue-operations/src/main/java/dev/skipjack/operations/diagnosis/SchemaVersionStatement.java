package dev.skipjack.operations.diagnosis;

import static org.jooq.impl.DSL.select;

import dev.skipjack.model.Routines;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import org.jooq.DSLContext;
import org.jooq.Field;

/** Reads the version of the schema: {@code SELECT schema_version()}. Locks nothing. */
final class SchemaVersionStatement {

  private SchemaVersionStatement() {}

  static Statement<NoRequest, Integer> of(DSLContext dialect) {
    Field<Integer> version = Routines.schemaVersion().as("version");
    return Statement.of(dialect, select(version), row -> row.integer(version));
  }
}
