package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.JobInsert;
import dev.skipjack.store.jooq.internal.JobInsert.Accepted;
import java.sql.SQLException;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;

/**
 * Inserts new jobs and returns their ids in the order of the input.
 *
 * <pre>{@code
 * WITH incoming AS MATERIALIZED (SELECT nextval('jobs_id_seq') AS id, given.* FROM unnest(...) WITH ORDINALITY AS given (...)),
 * inserted AS (INSERT INTO jobs (...) SELECT ... FROM incoming ORDER BY incoming.position RETURNING id)
 * SELECT incoming.id FROM incoming ORDER BY incoming.position
 * }</pre>
 *
 * <p>If the jobs differ only in their payloads, {@code incoming} unnests only these, and all other
 * values are parameters. With a thousand rows per statement, it then costs the server less than
 * COPY (docs/adr/0054). A single job is inserted by another statement:
 *
 * <pre>{@code
 * INSERT INTO jobs (...) VALUES (pg_catalog.nextval('jobs_id_seq'), :queue, ...,
 *   coalesce(:priority, (SELECT default_priority FROM job_queues WHERE queue OPERATOR(pg_catalog.=) :queue), 0), ...) RETURNING id
 * }</pre>
 *
 * <p>It needs no planner settings, because {@code job_queues} has few rows. The transaction
 * therefore consists of this statement alone.
 *
 * <p>Locks nothing that another transaction can see.
 */
final class EnqueueStatement {

  /**
   * The maximum number of rows per statement. More would not be faster, and would use more memory.
   */
  static final int LARGEST = 1_000;

  private EnqueueStatement() {}

  /**
   * Creates the statement that inserts any number of jobs and returns their ids in the order of the
   * request.
   */
  static Statement<List<NewJob>, EnqueueResult> of(DSLContext dialect, Accepted accepted) {
    CommonTableExpression<?> incoming = JobInsert.incoming(accepted);
    CommonTableExpression<?> inserted =
        name("inserted").as(JobInsert.insert(accepted).returning(JOBS.ID));
    return Statement.of(
        dialect,
        with(incoming, inserted).select(JobInsert.ID).from(incoming).orderBy(JobInsert.POSITION),
        jobs -> JobInsert.arguments(accepted, jobs),
        EnqueueStatement::read);
  }

  /** Creates the statement that inserts one job. */
  static Statement<NewJob, EnqueueResult> ofOne(DSLContext dialect, Accepted accepted) {
    return Statement.selfContained(
        dialect,
        JobInsert.insertAlone(accepted).returning(JOBS.ID),
        job -> JobInsert.argumentsOfOne(accepted, job),
        EnqueueStatement::read);
  }

  private static EnqueueResult read(Row row) throws SQLException {
    return new EnqueueResult.Enqueued(new JobId(row.number(JOBS.ID)));
  }
}
