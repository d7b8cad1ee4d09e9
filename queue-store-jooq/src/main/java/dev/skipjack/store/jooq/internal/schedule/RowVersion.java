package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.model.Tables.JOB_SCHEDULES;
import static org.jooq.impl.DSL.field;

import org.jooq.Field;
import org.jooq.impl.SQLDataType;

/** Identifies the version of a row: the transaction that wrote it. A lock does not change it. */
final class RowVersion {

  static final Field<String> OF_SCHEDULE =
      field("cast({0}.xmin as text)", SQLDataType.CLOB, JOB_SCHEDULES);

  private RowVersion() {}
}
