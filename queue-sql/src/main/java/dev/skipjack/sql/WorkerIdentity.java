package dev.skipjack.sql;

import static dev.skipjack.model.Tables.JOB_WORKERS;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.concat;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.left;

import org.jooq.Field;
import org.jooq.impl.SQLDataType;

/** The identity of a worker, as the rows of its running jobs store it. */
public final class WorkerIdentity {

  /** The worker's name and the first digits of its boot id. */
  public static final Field<String> OF_ROW =
      concat(
          JOB_WORKERS.NAME,
          inline("/"),
          left(cast(JOB_WORKERS.BOOT_ID, SQLDataType.CLOB), inline(8)));

  private WorkerIdentity() {}
}
