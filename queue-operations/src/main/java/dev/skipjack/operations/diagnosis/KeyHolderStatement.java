package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import org.jooq.DSLContext;

/**
 * Finds the job that holds a unique key: {@code SELECT id, status FROM jobs WHERE unique_key =
 * :key}. Locks nothing.
 */
final class KeyHolderStatement {

  private KeyHolderStatement() {}

  /** The job that holds the unique key. */
  record Holder(JobId id, JobStatus status) {}

  static Statement<String, Holder> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(JOBS.ID, JOBS.STATUS).from(JOBS).where(JOBS.UNIQUE_KEY.eq(Texts.param("key"))),
        key -> new Arguments().text("key", key),
        row -> new Holder(new JobId(row.number(JOBS.ID)), JobStatus.of(row.text(JOBS.STATUS))));
  }
}
